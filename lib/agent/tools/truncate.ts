/** Cuts long text the same way everywhere: at whole characters, counted in bytes of UTF-8. */

/** How many lines of a text a result may have. */
export const LINES_MAX = 2_000;
/** How many bytes of text a result may have. */
export const BYTES_MAX = 50 * 1024;

/** The bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** The longest beginning of at most `bytesMax` bytes that ends with a whole character. */
export function cutEnd(text: string, bytesMax: number): string {
  // A UTF-16 unit never has less than one byte.
  const bytes = Buffer.from(text.slice(0, bytesMax + 1), "utf8");
  if (bytes.length <= bytesMax) return text.length <= bytesMax + 1 ? text : bytes.toString("utf8");
  let end = Math.max(0, bytesMax);
  while (end > 0 && isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

/** The longest end of at most `bytesMax` bytes that begins with a whole character. */
export function cutStart(text: string, bytesMax: number): string {
  if (bytesMax <= 0) return "";
  const bytes = Buffer.from(text.slice(-bytesMax - 1), "utf8");
  if (bytes.length <= bytesMax) return bytes.toString("utf8");
  let start = bytes.length - bytesMax;
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** A list of lines that was cut to fit. */
export interface CutLines {
  lines: string[];
  /** Some lines were left off. */
  cut: boolean;
}

/** The first lines that fit into the limits, whole ones only. */
export function firstLines(
  lines: readonly string[],
  limits: { linesMax?: number; bytesMax?: number } = {},
): CutLines {
  const { linesMax = LINES_MAX, bytesMax = BYTES_MAX } = limits;
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += byteLength(line) + 1;
    if (count >= linesMax || bytes > bytesMax + 1) break;
    count++;
  }
  return { lines: lines.slice(0, count), cut: count < lines.length };
}

/** Bytes for people: `512 bytes`, `48.8 KB`, `1.2 GB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  let size = bytes / 1024;
  for (const unit of ["KB", "MB"]) {
    if (size < 1024) return `${size.toFixed(1)} ${unit}`;
    size /= 1024;
  }
  return `${size.toFixed(1)} GB`;
}
