/** Reads the beginning of a JSON object. */
import type { Buffer } from "node:buffer";

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `\u1234` */
const ESCAPE_LENGTH = 6;

/**
 * What a JSON object holds as far as its first bytes go: a string that breaks off is cut, and what
 * is left of another value is left out. Undefined if they are not the beginning of an object.
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
  let cut = { end: 0, closing: "" };
  let inString = false;
  /** The next string, or the one that is open, names a field. */
  let isKey = false;
  let escape = -ESCAPE_LENGTH;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) escape = at++;
      else if (byte === QUOTE) inString = false;
      continue;
    }
    switch (byte) {
      case QUOTE:
        inString = true;
        break;
      case COMMA:
        cut = { end: at, closing };
        isKey = closing.startsWith("}");
        break;
      case 0x3a: // :
        isKey = false;
        break;
      case 0x7b: // {
      case 0x5b: // [
        isKey = byte === 0x7b;
        closing = (isKey ? "}" : "]") + closing;
        cut = { end: at + 1, closing };
        break;
      case 0x7d: // }
      case 0x5d: // ]
        closing = closing.slice(1);
        cut = { end: at + 1, closing };
        break;
    }
  }
  if (!inString || isKey) return cut;
  const end = escape > bytes.length - ESCAPE_LENGTH ? escape : wholeCharacters(bytes);
  return { end, closing: `"${closing}` };
}

/** The length without a character whose bytes may not all be there. */
function wholeCharacters(bytes: Buffer): number {
  let end = bytes.length;
  if ((bytes[end - 1] ?? 0) < 0x80) return end;
  do end--; while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80);
  return end;
}
