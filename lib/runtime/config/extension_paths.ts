/** Where the extensions are that a run loads. They are found here and loaded elsewhere. */
import * as path from "node:path";
import { type FileSystem, nodeFileSystem } from "../../session/mod.ts";
import { ConfigError, type ConfigWarning } from "./errors.ts";
import { listDirectory, lookAt, realPathOf } from "./text_file.ts";

const MODULE = /\.[cm]?[jt]s$/;
const INDEX_NAMES = ["index.ts", "index.js", "index.mts", "index.mjs"];

function isModule(name: string): boolean {
  return MODULE.test(name) && !name.endsWith(".d.ts");
}

function indexOf(folder: string, fs: FileSystem): string | undefined {
  return INDEX_NAMES.map((name) => path.join(folder, name)).find((file) =>
    lookAt(file, fs)?.isFile
  );
}

/** The modules in a folder: its files, and of each folder in it the `index` file. */
function modulesIn(folder: string, fs: FileSystem, warnings: ConfigWarning[]): string[] {
  return listDirectory(folder, fs, warnings)
    .map((name) => {
      const file = path.join(folder, name);
      if (!lookAt(file, fs)?.isDirectory) return isModule(name) ? file : undefined;
      return indexOf(file, fs);
    })
    .filter((file) => file !== undefined);
}

/** What a path that somebody wrote stands for: a module, or a folder that is one or holds some. */
function modulesAt(
  place: string,
  fs: FileSystem,
  warnings: ConfigWarning[],
): string[] | undefined {
  const stat = lookAt(place, fs);
  if (!stat) return undefined;
  if (!stat.isDirectory) return [place];
  const index = indexOf(place, fs);
  return index === undefined ? modulesIn(place, fs, warnings) : [index];
}

export interface ExtensionPlaces {
  /** Folders that may be there. */
  readonly folders: readonly string[];
  /** From the settings: what is not there gives a warning. */
  readonly configured: readonly string[];
  /** Asked for in this run: what is not there is an error (`bad_extension`). */
  readonly requested: readonly string[];
  readonly fs?: FileSystem;
}

/** The absolute paths of the extensions, each once, in the order in which they are to be loaded. */
export function findExtensions(
  { folders, configured, requested, fs = nodeFileSystem }: ExtensionPlaces,
): { extensionPaths: string[]; warnings: ConfigWarning[] } {
  const warnings: ConfigWarning[] = [];
  const found = folders.flatMap((folder) => modulesIn(folder, fs, warnings));
  for (const place of configured) {
    const modules = modulesAt(place, fs, warnings);
    const message = `Cannot load the extension ${place}: there is no such file or directory`;
    if (modules) found.push(...modules);
    else warnings.push({ file: place, message });
  }
  for (const place of requested) {
    const modules = modulesAt(place, fs, warnings);
    if (!modules) {
      const message = `Cannot load the extension ${place}: there is no such file or directory; ` +
        "check what --extension names";
      throw new ConfigError("bad_extension", message, { file: place });
    }
    found.push(...modules);
  }
  const unique = new Map(found.map((file) => [realPathOf(file, fs), file]));
  return { extensionPaths: [...unique.values()], warnings };
}
