/** The stored keys: `<home>/auth.json`, readable by its owner only. */
import * as path from "node:path";
import { type FileSystem, isRecord } from "../../session/mod.ts";
import { ConfigError } from "./errors.ts";
import type { ChangeOptions } from "./guarded_change.ts";
import { contentError, type JsonFileOptions, readJsonFile, updateJsonFile } from "./json_file.ts";

function authFile(home: string, fs?: FileSystem): JsonFileOptions {
  const file = path.join(home, "auth.json");
  return { file, what: "keys", code: "bad_auth", ...(fs ? { fs } : {}) };
}

/** What is stored for a provider. Other types than `api_key` are kept and not used. */
type StoredKey = { readonly type: "api_key"; readonly key: string } | { readonly type: "other" };

function checkEntry(entry: unknown, provider: string, options: JsonFileOptions): StoredKey {
  // Never with the value: it may be a key in the wrong place.
  if (!isRecord(entry)) {
    throw contentError(options, `${provider}: expected an object with "type" and "key"`);
  }
  if (entry["type"] !== "api_key") return { type: "other" };
  const key = entry["key"];
  if (typeof key === "string" && key !== "") return { type: "api_key", key };
  throw contentError(options, `${provider}.key: expected a text that is not empty`);
}

/**
 * The stored keys by provider, as they stand in the file: a key, or what `Secrets` resolves to one.
 * Throws `ConfigError` `bad_auth` if the file is there and is wrong.
 */
export function readKeys(
  { home, fs }: { home: string; fs?: FileSystem },
): ReadonlyMap<string, string> {
  const options = authFile(home, fs);
  const keys = new Map<string, string>();
  for (const [provider, entry] of Object.entries(readJsonFile(options) ?? {})) {
    const stored = checkEntry(entry, provider, options);
    if (stored.type === "api_key") keys.set(provider, stored.key);
  }
  return keys;
}

/** The providers with a stored key, in the order of the file. Never the keys. */
export function listProviders(options: { home: string; fs?: FileSystem }): string[] {
  return [...readKeys(options).keys()];
}

/** Why a text cannot be the value of an HTTP header, or undefined. A line break would end it. */
export function headerProblem(text: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/.test(text)) return "it has line breaks or control characters";
  return /[^\u0000-\u00ff]/.test(text)
    ? "it has characters that cannot be sent (a shortened copy ends in one: …)"
    : undefined;
}

/** Why a text cannot be a key, or undefined. */
export function keyProblem(key: string): string | undefined {
  return key.trim() === "" ? "it is empty" : headerProblem(key.trim());
}

/** Stores a provider's key; the others stay. A file that cannot be read is left alone. */
export async function setKey(
  { home, provider, ...options }: { home: string; provider: string } & ChangeOptions,
  key: string,
): Promise<void> {
  const problem = keyProblem(key);
  if (problem !== undefined) {
    throw new ConfigError("bad_auth", `Cannot store the key of ${provider}: ${problem}`);
  }
  const entry = { type: "api_key", key: key.trim() };
  await updateJsonFile(
    { ...options, ...authFile(home, options.fs) },
    (content) => Object.fromEntries([...Object.entries(content), [provider, entry]]),
  );
}

/** Forgets a provider's key; false if there was none. */
export async function removeKey(
  { home, provider, ...options }: { home: string; provider: string } & ChangeOptions,
): Promise<boolean> {
  if (!Object.hasOwn(readJsonFile(authFile(home, options.fs)) ?? {}, provider)) return false;
  await updateJsonFile(
    { ...options, ...authFile(home, options.fs) },
    (content) => Object.fromEntries(Object.entries(content).filter(([name]) => name !== provider)),
  );
  return true;
}
