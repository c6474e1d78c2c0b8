/** Settings laid over settings. */
import { defaultSettings, type Settings, type SettingsPatch } from "./settings_defaults.ts";
import { isRecord, type JsonObject } from "../../session/mod.ts";

function merge(base: JsonObject, patch: JsonObject, defaults: JsonObject): JsonObject {
  const result = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const fallback = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    if (value === null) {
      if (fallback === undefined) result.delete(name);
      else result.set(name, fallback);
    } else if (isRecord(value)) {
      const below = result.get(name);
      const group = isRecord(fallback) ? fallback : {};
      result.set(name, merge(isRecord(below) ? below : group, value, group));
    } else {
      result.set(name, value);
    }
  }
  // Not by assignment: a file may hold the name "__proto__".
  return Object.fromEntries(result);
}

/**
 * Lays a patch over settings, key by key and group by group. Lists are replaced as a whole; `null`
 * takes a key back to its default.
 */
export function mergeSettings(base: Settings, patch: SettingsPatch): Settings {
  return merge({ ...base }, { ...patch }, { ...defaultSettings() }) as JsonObject & Settings;
}

/**
 * The object of a settings file after a change: like `mergeSettings`, but `null` removes a key, and
 * what is not in the patch stays as it stands, known or not.
 */
export function mergeIntoFile(content: JsonObject, patch: SettingsPatch): JsonObject {
  return merge(content, { ...patch }, {});
}
