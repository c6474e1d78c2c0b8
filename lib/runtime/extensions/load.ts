/** Loads extensions: each module, then its default export, then what that registered. */
import * as path from "node:path";
import type { Timer } from "../../agent/mod.ts";
import type { Extension } from "./api.ts";
import { callWithin } from "./call.ts";
import { forgetModules, loadModule, provideApi } from "./loader.ts";
import { apiOf, type ApiPorts, type Registered, unregistered } from "./registered.ts";
import { reasonOf } from "../../session/mod.ts";

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

/** The file of an extension, or one that is part of the program that loads it. */
export type ExtensionSource = string | { name: string; extension: Extension };

/** The extensions that could be loaded, in this order; each other one is told of and left out. */
export async function loadAll(
  sources: readonly ExtensionSource[],
  ports: LoadPorts,
): Promise<Registered[]> {
  await provideApi();
  forgetModules(sources.filter((source) => typeof source === "string"));
  const loaded: Registered[] = [];
  for (const source of sources) {
    const extension = await load(source, ports);
    if (extension) loaded.push(extension);
  }
  return loaded;
}

async function load(source: ExtensionSource, ports: LoadPorts): Promise<Registered | undefined> {
  const { timer, signal, warn } = ports;
  const name = typeof source === "string" ? nameOf(source) : source.name;
  const place = typeof source === "string" ? source : source.name;
  const skip = (problem: string) => {
    warn(`Cannot load the extension ${place}, so it is skipped: ${problem}`);
    return undefined;
  };
  const extension = unregistered(name, place);
  const outcome = await callWithin(async (givenUp) => {
    const module = typeof source === "string"
      ? await loadModule(source)
      : { ok: true as const, extension: source.extension };
    if (!module.ok) return module.problem;
    // A module that came too late was skipped: it takes part in nothing.
    if (givenUp.aborted) return undefined;
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
  for (const [provider, description] of extension.providers) {
    try {
      await ports.addProvider(provider, description);
    } catch (error) {
      warn(`Extension ${name} (${place}): ${reasonOf(error)}`);
    }
  }
  return extension;
}

/** The file's name without its ending; of an `index`, that of its folder. */
function nameOf(file: string): string {
  const { dir, name } = path.parse(file);
  return name === "index" ? path.basename(dir) : name;
}
