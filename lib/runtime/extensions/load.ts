/** Loads extensions: each module, then its default export, then what that registered. */
import * as path from "node:path";
import type { Timer } from "../../agent/mod.ts";
import { callWithin } from "./call.ts";
import { reasonOf } from "./errors.ts";
import { forgetModules, loadModule, provideApi } from "./loader.ts";
import { apiOf, type ApiPorts, type Registered, unregistered } from "./registered.ts";

/** How long an extension may take to load. */
export const LOAD_LIMIT_MS = 10_000;

export interface LoadPorts extends ApiPorts {
  timer: Timer;
  /** Aborts the start of the program. */
  signal: AbortSignal | undefined;
  /** Takes one more provider; rejects if its description is wrong. */
  addProvider(name: string, description: unknown): Promise<void>;
  warn(message: string): void;
}

/** The extensions that could be loaded, in this order; each other one is told of and left out. */
export async function loadAll(
  files: readonly string[],
  ports: LoadPorts,
): Promise<Registered[]> {
  await provideApi();
  forgetModules(files);
  const loaded: Registered[] = [];
  for (const file of files) {
    const extension = await load(file, ports);
    if (extension) loaded.push(extension);
  }
  return loaded;
}

async function load(file: string, ports: LoadPorts): Promise<Registered | undefined> {
  const { timer, signal, warn } = ports;
  const skip = (problem: string) => {
    warn(`Cannot load the extension ${file}: ${problem}. It is skipped.`);
    return undefined;
  };
  const extension = unregistered(nameOf(file), file);
  const outcome = await callWithin(async () => {
    const module = await loadModule(file);
    if (!module.ok) return module.problem;
    await module.extension(apiOf(extension, ports));
    return undefined;
  }, { limitMs: LOAD_LIMIT_MS, timer, signal });
  extension.isOpen = false;
  switch (outcome.kind) {
    case "returned":
      if (typeof outcome.value === "string") return skip(outcome.value);
      break;
    case "threw":
      return skip(reasonOf(outcome.error));
    case "hung":
      return skip(`it did not load within ${LOAD_LIMIT_MS / 1000} s`);
    case "aborted":
      return skip("the start was aborted");
  }
  for (const [name, description] of extension.providers) {
    try {
      await ports.addProvider(name, description);
    } catch (error) {
      warn(`Extension ${extension.name} (${file}): ${reasonOf(error)}`);
    }
  }
  return extension;
}

/** The file's name without its ending; of an `index`, that of its folder. */
function nameOf(file: string): string {
  const { dir, name } = path.parse(file);
  return name === "index" ? path.basename(dir) : name;
}
