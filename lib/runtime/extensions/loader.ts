/** Loads the modules of extensions, in the binary and from source; each time anew. */
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Extension } from "./api.ts";
import { isRecord, reasonOf } from "../../session/mod.ts";

/** What a module came to; a problem is one line. */
export type LoadedModule = { ok: true; extension: Extension } | { ok: false; problem: string };

/** What Bun lets a program do to its module loader. */
interface BunLoader {
  plugin(plugin: { name: string; setup(build: ModuleBuilder): void }): unknown;
}

interface ModuleBuilder {
  module(name: string, make: () => { exports: Record<string, unknown>; loader: "object" }): unknown;
}

const API_MODULE = "bough/api";

function isBunLoader(value: unknown): value is BunLoader {
  return isRecord(value) && typeof value["plugin"] === "function";
}

/** Undefined where the runtime is not Bun. */
function bunLoader(): BunLoader | undefined {
  const bun: unknown = Reflect.get(globalThis, "Bun");
  return isBunLoader(bun) ? bun : undefined;
}

/**
 * Makes `bough/api` mean this program's own code, so that an extension shares its classes. Where
 * modules cannot be made up (Deno), extensions have it as `helpers` of their argument.
 */
export async function provideApi(): Promise<void> {
  const bun = bunLoader();
  if (!bun) return;
  const exports = { ...await import("./helpers.ts") };
  bun.plugin({
    name: API_MODULE,
    setup: (build) => build.module(API_MODULE, () => ({ exports, loader: "object" })),
  });
}

/**
 * Imports a module and everything in its folder as they are on the disk now. Under Deno only the
 * file itself is read anew: there, nothing takes a module back.
 */
export async function loadModule(file: string): Promise<LoadedModule> {
  try {
    const module: unknown = await importAnew(file);
    const extension = defaultExport(module);
    if (extension) return { ok: true, extension };
    return { ok: false, problem: "it has no default export that is a function" };
  } catch (error) {
    return { ok: false, problem: loadProblem(error) };
  }
}

async function importAnew(file: string): Promise<unknown> {
  if (bunLoader()) return await import(file);
  const { mtimeMs } = fs.statSync(file);
  return await import(`${pathToFileURL(file).href}?v=${mtimeMs}`);
}

/** Takes back what was imported from the folders of these files, so that it is read again. */
export function forgetModules(files: readonly string[]): void {
  if (!bunLoader()) return;
  const { cache } = createRequire(import.meta.url);
  const folders = files.map((file) => path.dirname(file) + path.sep);
  // From source, an extension may lie above our own modules: those stay.
  const own = ["lib", "node_modules"].map((name) => path.join(projectDirectory(), name) + path.sep);
  for (const key of Object.keys(cache)) {
    const isTheirs = folders.some((folder) => key.startsWith(folder)) &&
      !own.some((folder) => key.startsWith(folder));
    if (isTheirs) delete cache[key];
  }
}

function projectDirectory(): string {
  return path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
}

function isExtension(value: unknown): value is Extension {
  return typeof value === "function";
}

/** Of a CommonJS module, the default export is `module.exports`, which may hold a `default`. */
function defaultExport(module: unknown): Extension | undefined {
  const outer = isRecord(module) ? module["default"] : undefined;
  if (isExtension(outer)) return outer;
  const inner = isRecord(outer) ? outer["default"] : undefined;
  return isExtension(inner) ? inner : undefined;
}

/** Why a module could not be loaded; a syntax error with its file and line. */
function loadProblem(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const place = isRecord(first) && isRecord(first["position"]) ? first["position"] : undefined;
  const reason = reasonOf(first);
  if (!place || typeof place["file"] !== "string" || place["file"] === "") return reason;
  return `${place["file"]}:${place["line"]}:${place["column"]}: ${reason}`;
}
