/** Which key a provider's requests carry, and where it comes from. */
import type { FileSystem } from "../../session/mod.ts";
import { keyProblem, readKeys } from "./auth.ts";
import { ConfigError } from "./errors.ts";
import type { Provider } from "./providers.ts";
import type { Secret, Secrets } from "./secrets.ts";

/** Where a key was found; the first of these that there is counts. */
export type KeySource = "option" | "environment" | "auth.json" | "models.json";

/** Whether and where there is a key for a provider. */
export interface KeyStatus {
  readonly isNeeded: boolean;
  /** Whether requests can be sent, as far as can be told without running a command. */
  readonly isUsable: boolean;
  /** The environment variable that may hold it. */
  readonly variable: string;
  /** Where it is; absent if there is none. */
  readonly source?: KeySource;
}

interface FoundKey {
  readonly source: KeySource;
  readonly text: string;
}

export interface KeysOptions {
  readonly home: string;
  readonly secrets: Secrets;
  readonly fs?: FileSystem;
}

/** The keys of all providers. None is ever part of a message. */
export class Keys {
  readonly #home: string;
  readonly #secrets: Secrets;
  readonly #fs: FileSystem | undefined;
  /** Given for this run, by provider. */
  readonly #given = new Map<string, string>();
  #stored: ReadonlyMap<string, string> | undefined;

  constructor({ home, secrets, fs }: KeysOptions) {
    this.#home = home;
    this.#secrets = secrets;
    this.#fs = fs;
  }

  /** Takes a key for this run (`--api-key`); it goes before all others and is not stored. */
  give(provider: string, key: string): void {
    this.#given.set(provider, key);
  }

  #find(provider: Provider): FoundKey | undefined {
    const given = this.#given.get(provider.name);
    if (given !== undefined) return { source: "option", text: given };
    const variable = this.#secrets.variable(provider.keyVariable);
    if (variable !== undefined) return { source: "environment", text: variable };
    this.#stored ??= readKeys({ home: this.#home, ...(this.#fs ? { fs: this.#fs } : {}) });
    const stored = this.#stored.get(provider.name);
    if (stored !== undefined) return { source: "auth.json", text: stored };
    return provider.key === undefined ? undefined : { source: "models.json", text: provider.key };
  }

  /** Where a provider's key is, or undefined if there is none. No command is run to find out. */
  source(provider: Provider): KeySource | undefined {
    return this.#find(provider)?.source;
  }

  /** Whether requests can be sent, as far as can be told without running a command. */
  usable(provider: Provider): boolean {
    if (!provider.needsKey) return true;
    const found = this.#find(provider);
    if (!found) return false;
    return isPlain(found) || this.#secrets.peek(found.text)?.kind !== "missing";
  }

  /** What is known of a provider's key, never the key. */
  status(provider: Provider): KeyStatus {
    const source = this.source(provider);
    return {
      isNeeded: provider.needsKey,
      isUsable: this.usable(provider),
      variable: provider.keyVariable,
      ...(source === undefined ? {} : { source }),
    };
  }

  /**
   * The key, or undefined if the provider has none and needs none. Throws a `ConfigError` `no_key`
   * that says where one may be put.
   */
  async require(provider: Provider): Promise<string | undefined> {
    const found = this.#find(provider);
    if (!found) {
      if (provider.needsKey) throw this.#missing(provider, "");
      return undefined;
    }
    const secret: Secret = isPlain(found)
      ? { kind: "value", value: found.text }
      : await this.#secrets.resolve(found.text);
    if (secret.kind === "missing") throw this.#missing(provider, `; ${secret.reason}`);
    const problem = keyProblem(secret.value);
    if (problem !== undefined) {
      throw this.#missing(provider, `; the one in ${found.source}: ${problem}`);
    }
    return secret.value.trim();
  }

  /** What to do about a key that the provider refused: where it came from, another one must go. */
  refusedAdvice(provider: Provider): string {
    const { keyVariable, name } = provider;
    const store = `store one with "bough auth set ${name}"`;
    switch (this.source(provider)) {
      case "option":
        return `It was given with --api-key: give another one, or leave that out and ${store}.`;
      case "environment":
        return `It stands in ${keyVariable}: set another one there, or unset that and ${store}.`;
      case "auth.json":
        return `It stands in auth.json: store another one with "bough auth set ${name}".`;
      case "models.json":
        return `It stands in models.json: correct it there, or ${store}.`;
      case undefined:
        return `None was sent: set ${keyVariable}, or ${store}.`;
    }
  }

  #missing({ name, keyVariable }: Provider, why: string): ConfigError {
    return new ConfigError(
      "no_key",
      `Cannot ask ${name}: there is no key for it${why}. Set ${keyVariable}, store one with ` +
        `"bough auth set ${name}", give one with --api-key, or choose another model with --model`,
    );
  }
}

/** Whether the text is the key itself: what a file holds may be the name of a variable, or a command. */
function isPlain({ source }: FoundKey): boolean {
  switch (source) {
    case "option":
    case "environment":
      return true;
    case "auth.json":
    case "models.json":
      return false;
  }
}
