/** The files below a directory, in order, without those that `.gitignore` files leave out. */
import type * as fsTypes from "node:fs";
import * as fs from "node:fs/promises";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { errorCode } from "../../session/mod.ts";
import type { IgnoreFactory, IgnoreRules } from "./ignore.ts";

/** Where a walk starts, and what it leaves out. */
export interface WalkOptions {
  directory: string;
  /** Reads `.gitignore` files; without it `node_modules` is left out instead. */
  ignore: IgnoreFactory | undefined;
  signal: AbortSignal;
}

/** Compares names by their bytes. */
export function byName(a: { name: string }, b: { name: string }): number {
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}

/** The directory above (or at) which holds `.git`; undefined if none does, as far as we may look. */
export function gitRoot(directory: string): string | undefined {
  for (let current = directory;; current = path.dirname(current)) {
    if (isThere(path.join(current, ".git"))) return current;
    if (path.dirname(current) === current) return undefined;
  }
}

function isThere(file: string): boolean {
  try {
    return existsSync(file);
  } catch {
    // Deno without permission to look there.
    return false;
  }
}

/** The rules that hold in a directory: its own and those above, the nearest last. */
type Rules = readonly { base: string; rules: IgnoreRules }[];

/**
 * Yields paths of regular files, relative to the directory, with `/`: name by name, a directory's
 * files in its place. Links are not followed; what cannot be read is passed over.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<string> {
  const { directory, ignore, signal } = options;
  const waiting: { relative: string; rules: Rules; isFile: boolean }[] = [
    { relative: "", rules: await rulesAbove(directory, ignore), isFile: false },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    signal.throwIfAborted();
    if (next.isFile) {
      yield next.relative;
      continue;
    }
    const absolute = path.join(directory, next.relative);
    const entries = await entriesOf(absolute);
    const isRepository = next.relative !== "" && entries.some((entry) => entry.name === ".git");
    const rules = await rulesIn(absolute, entries, isRepository ? [] : next.rules, ignore);
    for (const entry of entries.sort(byName).reverse()) {
      const isFile = entry.isFile();
      if (entry.name === ".git" || (!isFile && !entry.isDirectory())) continue;
      const child = path.join(absolute, entry.name);
      if (ignore ? isIgnored(child, !isFile, rules) : entry.name === "node_modules") continue;
      const relative = next.relative === "" ? entry.name : `${next.relative}/${entry.name}`;
      waiting.push({ relative, rules, isFile });
    }
  }
}

async function entriesOf(directory: string): Promise<fsTypes.Dirent[]> {
  try {
    return await fs.readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) !== undefined) return [];
    throw error;
  }
}

/** The rules of the directories above, down from the root of the repository; none outside one. */
async function rulesAbove(directory: string, ignore: IgnoreFactory | undefined): Promise<Rules> {
  const root = gitRoot(directory);
  if (!ignore || root === undefined || root === directory) return [];
  let rules: Rules = [];
  const parts = path.relative(root, directory).split(path.sep);
  for (let depth = 0; depth < parts.length; depth++) {
    const above = path.join(root, ...parts.slice(0, depth));
    rules = await rulesIn(above, await entriesOf(above), rules, ignore);
  }
  return rules;
}

async function rulesIn(
  directory: string,
  entries: readonly fsTypes.Dirent[],
  above: Rules,
  ignore: IgnoreFactory | undefined,
): Promise<Rules> {
  if (!ignore || !entries.some((entry) => entry.name === ".gitignore" && entry.isFile())) {
    return above;
  }
  try {
    const rules = ignore({ ignorecase: false });
    rules.add(await fs.readFile(path.join(directory, ".gitignore"), "utf8"));
    return [...above, { base: directory, rules }];
  } catch (error) {
    if (errorCode(error) !== undefined) return above;
    throw error;
  }
}

/** The nearest rules that say anything of a path decide. */
function isIgnored(absolute: string, isDirectory: boolean, levels: Rules): boolean {
  for (const { base, rules } of levels.toReversed()) {
    const relative = path.relative(base, absolute).split(path.sep).join("/");
    const { ignored, unignored } = rules.test(isDirectory ? `${relative}/` : relative);
    if (ignored || unignored) return ignored;
  }
  return false;
}
