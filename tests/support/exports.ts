/** What `mod.ts` exports, and how it is documented, read from the sources. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "./binary.ts";
import { allImports, importGraph } from "./imports.ts";

export interface Export {
  name: string;
  isType: boolean;
}

const EXPORT_LIST = /export\s+(type\s+)?\{([^}]*)\}/g;
const DECLARATION =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export\s+(?:abstract\s+|async\s+)*(?:class|function\*?|const|interface|type)\s+(\w+)/g;

function read(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), "utf8");
}

/** The names in the export lists of a file, sorted. */
export function exportsOf(file: string): Export[] {
  const source = read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return [...source.matchAll(EXPORT_LIST)].flatMap(([, allTypes, list = ""]) =>
    list.split(",").map((item) => item.trim()).filter((item) => item !== "").map((item) => ({
      name: item.replace(/^type\s+/, "").replace(/^\w+\s+as\s+/, ""),
      isType: allTypes !== undefined || item.startsWith("type "),
    }))
  ).sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The text of each documentation comment that stands at an exported name, by name and file. */
export function documentation(entry: string): Map<string, string> {
  const files = new Set(importGraph(entry, allImports).map(({ to }) => to));
  const found = new Map<string, string>();
  for (const file of files) {
    if (file === undefined || !file.endsWith(".ts")) continue;
    for (const [, text = "", name = ""] of read(file).matchAll(DECLARATION)) {
      found.set(name, text.replaceAll(/^\s*\* ?/gm, "").trim());
    }
  }
  return found;
}

/** The examples in a documentation comment. */
export function examplesIn(text: string): string[] {
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
}
