/** Ways in which a file of lines gets damaged. */
import type { Random } from "./random.ts";

type Damaging = (bytes: Uint8Array, random: Random) => Uint8Array;

function join(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A stretch within the bytes. */
function stretch(bytes: Uint8Array, random: Random, max: number): [number, number] {
  const start = random.int(0, Math.max(0, bytes.length - 1));
  return [start, Math.min(bytes.length, start + random.int(1, max))];
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 10) continue;
    lines.push(bytes.subarray(start, at + 1));
    start = at + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}

function onLines(change: (lines: Uint8Array[], at: number, random: Random) => void): Damaging {
  return (bytes, random) => {
    const lines = linesOf(bytes);
    if (lines.length === 0) return bytes;
    change(lines, random.int(0, lines.length - 1), random);
    return join(...lines);
  };
}

const NONE = new Uint8Array(0);

/** Each by its name, so that a failing test can say what was done. */
export const DAMAGES: Readonly<Record<string, Damaging>> = {
  "flip bits": (bytes, random) => {
    const copy = bytes.slice();
    for (let left = random.int(1, 8); left > 0 && copy.length > 0; left--) {
      const at = random.int(0, copy.length - 1);
      copy[at] = (copy[at] ?? 0) ^ (1 << random.int(0, 7));
    }
    return copy;
  },
  "drop bytes": (bytes, random) => {
    const [start, end] = stretch(bytes, random, 300);
    return join(bytes.subarray(0, start), bytes.subarray(end));
  },
  "double bytes": (bytes, random) => {
    const [start, end] = stretch(bytes, random, 300);
    return join(bytes.subarray(0, end), bytes.subarray(start));
  },
  "swap bytes": (bytes, random) => {
    const copy = bytes.slice();
    const from = random.int(0, Math.max(0, copy.length - 1));
    const to = random.int(0, Math.max(0, copy.length - 1));
    [copy[from], copy[to]] = [copy[to] ?? 0, copy[from] ?? 0];
    return copy;
  },
  "fill with zeros": (bytes, random) => {
    const [start, end] = stretch(bytes, random, 600);
    return bytes.slice().fill(0, start, end);
  },
  "cut off": (bytes, random) => bytes.subarray(0, random.int(0, bytes.length)),
  "cut a line end": (bytes, random) => {
    const lines = linesOf(bytes);
    const at = random.int(0, Math.max(0, lines.length - 1));
    return join(...lines.map((line, number) => number === at ? line.subarray(0, -1) : line));
  },
  "drop a line": onLines((lines, at) => {
    lines[at] = NONE;
  }),
  "double a line": onLines((lines, at) => {
    lines.splice(at, 0, lines[at] ?? NONE);
  }),
  "repeat a line elsewhere": onLines((lines, at, random) => {
    lines.splice(random.int(0, lines.length), 0, lines[at] ?? NONE);
  }),
  "swap lines": onLines((lines, at, random) => {
    const other = random.int(0, lines.length - 1);
    [lines[at], lines[other]] = [lines[other] ?? NONE, lines[at] ?? NONE];
  }),
  "give a line another's id": (bytes, random) => {
    const text = new TextDecoder().decode(bytes);
    const ids = text.match(/[0-9a-f]{8}(?=")/g) ?? [];
    if (ids.length === 0) return bytes;
    const from = random.pick(ids);
    const at = text.lastIndexOf(from, random.int(0, text.length));
    if (at < 0) return bytes;
    return new TextEncoder().encode(text.slice(0, at) + random.pick(ids) + text.slice(at + 8));
  },
};

/** Damages bytes once or a few times. @returns what was done, and the damaged bytes. */
export function damage(
  bytes: Uint8Array,
  random: Random,
): { bytes: Uint8Array; done: string[] } {
  const names = Object.keys(DAMAGES);
  const done: string[] = [];
  let damaged = bytes;
  for (let left = random.chance(0.5) ? 1 : random.int(2, 5); left > 0; left--) {
    const name = random.pick(names);
    done.push(name);
    damaged = DAMAGES[name]?.(damaged, random) ?? damaged;
  }
  return { bytes: damaged, done };
}
