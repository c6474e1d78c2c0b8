/** Where the sessions are, without reading more of the settings than that. */
import * as path from "node:path";
import { type Durability, isRecord, nodeFileSystem } from "../../session/mod.ts";
import { type Environment, expandTilde } from "./home.ts";
import { readJsonFile } from "./json_file.ts";
import { loadSettings } from "./settings.ts";

/** What a `JsonlSessionRepo` is made with. */
export interface SessionPlace {
  sessionsDir: string;
  /** A directory that was named holds the files themselves; the home has one for each project. */
  flat: boolean;
  durability: Durability;
}

export interface SessionPlaceOptions {
  env: Environment;
  home: string;
  /** Where relative paths begin. */
  startDirectory: string;
  /** `--session-dir`. */
  sessionDir?: string;
  /** The user's settings do not count. */
  bare?: boolean;
}

/**
 * The option, else the user's setting, else `<home>/sessions`. Throws a `ConfigError` if the
 * settings are wrong in what matters here, and only then checks all of them.
 */
export async function sessionPlace(options: SessionPlaceOptions): Promise<SessionPlace> {
  const { env, home, startDirectory, sessionDir: named, bare = false } = options;
  const file = path.join(home, "settings.json");
  const { sessionDir, durability } = bare ? {} : await ownSettings(file, env);
  const chosen = named === undefined ? sessionDir : path.resolve(startDirectory, named);
  return {
    sessionsDir: chosen ?? path.join(home, "sessions"),
    flat: chosen !== undefined,
    durability: durability ?? "turn",
  };
}

async function ownSettings(
  file: string,
  env: Environment,
): Promise<{ sessionDir?: string; durability?: Durability }> {
  const raw = readJsonFile({ file, what: "settings", code: "bad_settings" });
  const wanted = isRecord(raw) ? [raw["sessionDir"], raw["durability"]] : [];
  if (wanted.every((value) => value === undefined)) return {};
  const [sessionDir, durability] = wanted;
  if (typeof sessionDir === "string" && sessionDir !== "" && durability === undefined) {
    return { sessionDir: path.resolve(path.dirname(file), expandTilde(sessionDir, env)) };
  }
  const { settings } = await loadSettings({ files: [file], env });
  return {
    durability: settings.durability,
    ...settings.sessionDir === undefined ? {} : { sessionDir: settings.sessionDir },
  };
}

/**
 * The directory that `--cwd` names, else the process's own. Its links are resolved, as they are in
 * that of the process: a session belongs to one spelling of its directory.
 */
export function workingDirectory(startDirectory: string, named: string | undefined): string {
  const directory = path.resolve(startDirectory, named ?? "");
  return nodeFileSystem.realPath(directory) ?? directory;
}
