/** The values of options: durations, sizes, counts and money. Each is undefined if it is none. */

const MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES = { "": 1, k: 1000, m: 1_000_000, g: 1_000_000_000 };

/** The longest time that a timer of JavaScript can wait. */
const DURATION_MS_MAX = 2 ** 31 - 1;

function isKeyOf<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}

/** `90s`, `1.5h`, `1h30m`, or a plain number of seconds, in ms. */
export function parseDuration(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return withinDuration(Number(text) * MS.s);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    if (unit !== undefined && isKeyOf(MS, unit)) ms += Number(amount) * MS[unit];
  }
  return withinDuration(ms);
}

function withinDuration(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.round(ms) : undefined;
}

/** A duration that a timer can wait for. */
export function parseTimeout(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms > 0 && ms <= DURATION_MS_MAX ? ms : undefined;
}

/** `10MB`, `500k` or plain bytes. */
export function parseSize(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)(k|m|g|)b?$/i.exec(text);
  const unit = found?.[2]?.toLowerCase();
  if (!found || unit === undefined || !isKeyOf(BYTES, unit)) return undefined;
  const bytes = Math.floor(Number(found[1]) * BYTES[unit]);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** A whole number, one at least. */
export function parseCount(text: string): number | undefined {
  const count = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** US dollars, with or without the sign. */
export function parseUsd(text: string): number | undefined {
  const found = /^\$?(\d+(?:\.\d+)?|\.\d+)$/.exec(text);
  const usd = Number(found?.[1]);
  return found && Number.isFinite(usd) && usd > 0 ? usd : undefined;
}

/** The names of a list `a,b`; undefined if there is none. */
export function parseNames(text: string): string[] | undefined {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return names.length > 0 ? names : undefined;
}
