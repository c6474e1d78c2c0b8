/** What the sources import, read from the sources. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "./binary.ts";

export interface Import {
  /** The file that imports, from the project's directory. */
  from: string;
  /** As it is written. */
  specifier: string;
  /** The file that is meant, from the project's directory; undefined for a package. */
  to: string | undefined;
  dynamic: boolean;
}

const TRANSPILER = new Bun.Transpiler({ loader: "ts" });
const IMPORT = /\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g;

function resolve(from: string, specifier: string): string | undefined {
  return specifier.startsWith(".")
    ? path.posix.join(path.posix.dirname(from), specifier)
    : undefined;
}

/** What a file imports at run time: no types, for they are erased. */
export function runtimeImports(file: string): Import[] {
  const source = fs.readFileSync(path.join(ROOT, file), "utf8");
  return TRANSPILER.scanImports(source).map(({ path: specifier, kind }) => ({
    from: file,
    specifier,
    to: resolve(file, specifier),
    dynamic: kind === "dynamic-import",
  }));
}

/** All that a file imports, types too. Comments are left out. */
export function allImports(file: string): Import[] {
  const source = fs.readFileSync(path.join(ROOT, file), "utf8")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/^\s*\/\/.*$/gm, "");
  return [...source.matchAll(IMPORT)].map(([text, specifier = ""]) => ({
    from: file,
    specifier,
    to: resolve(file, specifier),
    dynamic: text.startsWith("import"),
  }));
}

/** The imports of a file and of all that it reaches, followed through relative imports. */
export function importGraph(entry: string, importsOf = runtimeImports): Import[] {
  const found: Import[] = [];
  const seen = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    // A text may name a file that is not there: a source in a string, or one of a failing import.
    const isSource = file.endsWith(".ts") && fs.existsSync(path.join(ROOT, file));
    const imports = isSource ? importsOf(file) : [];
    found.push(...imports);
    for (const { to } of imports) if (to !== undefined) waiting.push(to);
  }
  return found;
}

/** The TypeScript files below a directory, from the project's directory. */
export function sourceFiles(directory: string): string[] {
  return fs.readdirSync(path.join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(directory, name.replaceAll("\\", "/")))
    .filter((name) => name.endsWith(".ts"))
    .sort();
}
