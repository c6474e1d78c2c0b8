/** The settings of a directory: defaults, the user's file, the project's, and what was asked for. */
import * as path from "node:path";
import type { FileSystem, JsonObject } from "../../session/mod.ts";
import type { ConfigWarning } from "./errors.ts";
import type { ChangeOptions } from "./guarded_change.ts";
import { type Environment, expandTilde } from "./home.ts";
import { contentError, type JsonFileOptions, readJsonFile, updateJsonFile } from "./json_file.ts";
import { nearestNames } from "./nearest.ts";
import { defaultSettings, type Settings, type SettingsPatch } from "./settings_defaults.ts";
import { mergeIntoFile, mergeSettings } from "./settings_merge.ts";
import { checkSettings, settingNames } from "./settings_schema.ts";

function settingsFile(file: string, fs?: FileSystem): JsonFileOptions {
  return { file, what: "settings", code: "bad_settings", ...(fs ? { fs } : {}) };
}

/** The known setting that an unknown one may have been meant for; a last part alone is enough. */
function nearestSetting(unknown: string, names: readonly string[]): string | undefined {
  const [whole] = nearestNames(unknown, names);
  if (whole !== undefined) return whole;
  const lastPart = (name: string) => name.slice(name.lastIndexOf(".") + 1);
  const [last] = nearestNames(lastPart(unknown), names.map(lastPart));
  return names.find((name) => last !== undefined && lastPart(name) === last);
}

function unknownWarning(file: string, name: string, names: readonly string[]): ConfigWarning {
  const near = nearestSetting(name, names);
  const end = near === undefined ? "" : `; did you mean "${near}"?`;
  return { file, message: `Unknown setting "${name}" in ${file}${end}` };
}

function check(
  raw: JsonObject,
  options: JsonFileOptions,
  warnings: ConfigWarning[],
): SettingsPatch {
  const { patch, problems, unknown } = checkSettings(raw);
  if (problems.length > 0) throw contentError(options, problems.join("; "));
  if (unknown.length > 0) {
    const names = settingNames();
    warnings.push(...unknown.map((name) => unknownWarning(options.file, name, names)));
  }
  return patch;
}

/** Makes the paths of a file's settings absolute: `~/` is the home, the rest is beside the file. */
function withAbsolutePaths(patch: SettingsPatch, file: string, env: Environment): SettingsPatch {
  const absolute = (name: string) => path.resolve(path.dirname(file), expandTilde(name, env));
  const result = { ...patch };
  if (patch.sessionDir) result.sessionDir = absolute(patch.sessionDir);
  // A bare name is looked up in PATH.
  if (patch.shellPath && /[/\\]/.test(patch.shellPath)) {
    result.shellPath = absolute(patch.shellPath);
  }
  if (patch.extensions) result.extensions = patch.extensions.map(absolute);
  if (patch.skills) result.skills = patch.skills.map(absolute);
  if (patch.prompts) result.prompts = patch.prompts.map(absolute);
  return result;
}

export interface LoadSettingsOptions {
  /** The files that there may be, the later ones over the earlier. */
  readonly files: readonly string[];
  readonly env: Environment;
  /** Laid over all files. */
  readonly options?: SettingsPatch;
  readonly fs?: FileSystem;
}

/**
 * Reads and merges the settings. An unknown key is a warning; a file that is unreadable, no JSON, or
 * has a wrong value is a `ConfigError` (`bad_settings`) with file, place and what was expected.
 */
export async function loadSettings(
  { files, env, options = {}, fs }: LoadSettingsOptions,
): Promise<{ settings: Settings; warnings: ConfigWarning[] }> {
  const warnings: ConfigWarning[] = [];
  let settings = defaultSettings();
  for (const file of files) {
    const which = settingsFile(file, fs);
    const raw = readJsonFile(which);
    if (!raw) continue;
    const patch = check(raw, which, warnings);
    settings = mergeSettings(settings, withAbsolutePaths(patch, file, env));
  }
  return { settings: mergeSettings(settings, options), warnings };
}

/**
 * Changes some settings in a file and leaves the rest of it as it is; `null` removes a setting. A
 * file that is there and cannot be read is never written over: `ConfigError` says what is wrong.
 */
export async function updateSettings(
  file: string,
  patch: SettingsPatch,
  options: ChangeOptions = {},
): Promise<void> {
  await updateJsonFile(
    { ...options, ...settingsFile(file, options.fs) },
    (content) => mergeIntoFile(content, patch),
  );
}
