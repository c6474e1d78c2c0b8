/**
 * The ids of tool calls in one request. Providers differ in what they take, and sessions hold the
 * ids of all of them; an id that is used again in a later message must not be the same to a provider
 * that wants them unique. Made from the history alone, so the same history gives the same request.
 */
export class ToolIds {
  readonly #lengthMax: number;
  readonly #used = new Set<string>();
  readonly #names = new Map<string, string>();

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** Names a call. */
  call(id: string): string {
    const wanted = validId(id, this.#lengthMax);
    let name = wanted;
    for (let n = 2; this.#used.has(name); n++) {
      const suffix = `_${n}`;
      name = wanted.slice(0, this.#lengthMax - suffix.length) + suffix;
    }
    this.#used.add(name);
    this.#names.set(id, name);
    return name;
  }

  /** The name of the last call with this id. */
  result(id: string): string {
    return this.#names.get(id) ?? this.call(id);
  }
}

/** The part before `|`: behind it, the Responses format keeps the id of the item. */
function callIdOf(id: string): string {
  const bar = id.indexOf("|");
  return bar > 0 ? id.slice(0, bar) : id;
}

/** The item id of the Responses format, if the id has one. */
export function itemIdOf(id: string): string | undefined {
  const bar = id.indexOf("|");
  return bar > 0 && bar < id.length - 1 ? id.slice(bar + 1) : undefined;
}

/** An id for a call that came without one. */
export function newCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

function validId(id: string, lengthMax: number): string {
  const wanted = callIdOf(id);
  const clean = wanted.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (clean === wanted && clean !== "" && clean.length <= lengthMax) return clean;
  const hash = hashOf(id);
  return `${clean.slice(0, lengthMax - hash.length - 1)}_${hash}`;
}

/** 64 bits of FNV-1a as text: no secret, only different for different ids. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36);
}
