/** Reads the beginning of a JSON object. */
import type { Buffer } from "node:buffer";

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `\u1234` */
const ESCAPE_LENGTH = 6;

/**
 * What a JSON object holds as far as its first bytes go: a string that breaks off ends in an
 * ellipsis, and what is left of another value is left out. Undefined if they are not the beginning of an object.
 */
export function parsePrefix(bytes: Buffer): unknown {
  const { end, closing } = cutOf(bytes);
  try {
    return JSON.parse(bytes.toString("utf8", 0, end) + closing);
  } catch {
    // No JSON: the caller reads the whole line, and tells what is wrong with it.
    return undefined;
  }
}

/** How many bytes to keep, and what has to follow them to make JSON of it. */
function cutOf(bytes: Buffer): { end: number; closing: string } {
  let closing = "";
  /** Where the last whole value, or the beginning of one, ends. */
  let wholeEnd = 0;
  let wholeClosing = "";
  let inString = false;
  /** The next string, or the one that is open, names a field. */
  let isKey = false;
  // Mostly the last string is a long one that breaks off: nothing in it changes how it goes on.
  const lastQuote = bytes.lastIndexOf(QUOTE);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (at > lastQuote) break;
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
      continue;
    }
    switch (byte) {
      case QUOTE:
        inString = true;
        break;
      case COMMA:
        wholeEnd = at;
        wholeClosing = closing;
        isKey = closing.startsWith("}");
        break;
      case 0x3a: // :
        isKey = false;
        break;
      case 0x7b: // {
      case 0x5b: // [
        isKey = byte === 0x7b;
        closing = (isKey ? "}" : "]") + closing;
        wholeEnd = at + 1;
        wholeClosing = closing;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        closing = closing.slice(1);
        wholeEnd = at + 1;
        wholeClosing = closing;
        break;
    }
  }
  if (!inString || isKey) return { end: wholeEnd, closing: wholeClosing };
  const end = openEscape(bytes, lastQuote + 1) ?? wholeCharacters(bytes);
  return { end, closing: `\\u2026"${closing}` };
}

/** Where an escape begins that may break off at the end of bytes, which are a string's from `start` on. */
function openEscape(bytes: Buffer, start: number): number | undefined {
  let at = Math.max(start, bytes.length - 2 * ESCAPE_LENGTH);
  // Backslashes in a row are told apart from the first of them on.
  while (bytes[at - 1] === BACKSLASH) at--;
  let found: number | undefined;
  for (; at < bytes.length; at++) {
    if (bytes[at] !== BACKSLASH) continue;
    found = at > bytes.length - ESCAPE_LENGTH ? at : undefined;
    at++;
  }
  return found;
}

/** The length without a character whose bytes may not all be there. */
function wholeCharacters(bytes: Buffer): number {
  let end = bytes.length;
  if ((bytes[end - 1] ?? 0) < 0x80) return end;
  do end--; while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80);
  return end;
}
