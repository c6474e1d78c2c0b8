/** The end of a long output, bounded in memory; the whole goes to a file when it does not fit. */
import * as fs from "node:fs";
import * as path from "node:path";
import { byteLength, BYTES_MAX, cutStart, LINES_MAX } from "./truncate.ts";
import { reasonOf } from "../../session/mod.ts";

/** The part of an output that is shown. Lines count from 1; both ends are included. */
export interface ShownOutput {
  text: string;
  firstLine: number;
  lastLine: number;
  totalLines: number;
  totalBytes: number;
  /** Bytes of the last line, where only its end is shown. */
  cutLineBytes?: number;
}

/** Text that is kept at most, in UTF-16 units: always enough for `BYTES_MAX`. */
const KEPT_MAX = 2 * BYTES_MAX;

/** Takes output in pieces; knows its last lines and how much there was. */
export class OutputTail {
  #text = "";
  #bytes = 0;
  #newlines = 0;
  #openLineBytes = 0;
  #lastLineBytes = 0;

  push(text: string): void {
    if (text === "") return;
    this.#bytes += byteLength(text);
    let lineStart = 0;
    let lastLineStart = -1;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", lineStart)) {
      this.#newlines++;
      lastLineStart = lineStart;
      lineStart = at + 1;
    }
    if (lastLineStart >= 0) {
      const carried = lastLineStart === 0 ? this.#openLineBytes : 0;
      this.#lastLineBytes = carried + byteLength(text.slice(lastLineStart, lineStart - 1));
      this.#openLineBytes = 0;
    }
    this.#openLineBytes += byteLength(text.slice(lineStart));
    const all = this.#text + text;
    this.#text = all.length > 2 * KEPT_MAX ? all.slice(-KEPT_MAX) : all;
  }

  /** Whether the output is more than will be shown. */
  get isCut(): boolean {
    return this.#totalLines > LINES_MAX ||
      this.#bytes - (this.#openLineBytes === 0 ? 1 : 0) > BYTES_MAX;
  }

  get #totalLines(): number {
    return this.#newlines + (this.#openLineBytes > 0 ? 1 : 0);
  }

  /** The last whole lines that fit; the end of the last line, if it alone does not. */
  shown(): ShownOutput {
    const isClosed = this.#openLineBytes === 0 && this.#newlines > 0;
    const kept = isClosed ? this.#text.slice(0, -1) : this.#text;
    const totals = {
      lastLine: this.#totalLines,
      totalLines: this.#totalLines,
      totalBytes: this.#bytes,
    };
    const lastLineBytes = isClosed ? this.#lastLineBytes : this.#openLineBytes;
    if (lastLineBytes > BYTES_MAX) {
      const text = cutStart(kept, BYTES_MAX).toWellFormed();
      return { ...totals, text, firstLine: this.#totalLines, cutLineBytes: lastLineBytes };
    }
    const lines = kept.split("\n").slice(-Math.min(LINES_MAX, Math.max(1, this.#totalLines)));
    let bytes = -1;
    let first = lines.length;
    while (first > 0) {
      bytes += byteLength(lines[first - 1] ?? "") + 1;
      if (bytes > BYTES_MAX) break;
      first--;
    }
    const shown = lines.slice(first);
    return {
      ...totals,
      text: shown.join("\n").toWellFormed(),
      firstLine: this.#totalLines === 0 ? 0 : this.#totalLines - shown.length + 1,
    };
  }
}

/** How much of an endless output goes to a file. */
const FILE_BYTES_MAX = 1024 ** 3;
/** How much is kept in memory before a file is made; more than is ever shown. */
const PENDING_MAX = 4 * BYTES_MAX;

/**
 * Keeps bytes until `spill` is called or they get many, then writes them and all that follow to a
 * new file, which only its owner can read. A full disk ends the file, not the command.
 */
export class OutputFile {
  readonly #directory: string;
  #pending: Uint8Array[] | undefined = [];
  #pendingBytes = 0;
  #fd: number | undefined;
  #written = 0;
  #path: string | undefined;
  #problem: string | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where the whole output is; undefined while it is only kept. */
  get path(): string | undefined {
    return this.#path;
  }

  /** Why the file does not have everything, if so. */
  get problem(): string | undefined {
    return this.#problem;
  }

  push(bytes: Uint8Array): void {
    if (!this.#pending) return this.#write(bytes);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > PENDING_MAX) this.spill();
  }

  spill(): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = undefined;
    const file = path.join(this.#directory, `bough-output-${crypto.randomUUID()}.log`);
    this.#try(() => {
      this.#fd = fs.openSync(file, "wx", 0o600);
      this.#path = file;
    });
    for (const bytes of pending) this.#write(bytes);
  }

  /** Removes the file: all there was to see has been shown. */
  discard(): void {
    this.close();
    const file = this.#path;
    this.#path = undefined;
    if (file !== undefined) this.#try(() => fs.rmSync(file, { force: true }));
  }

  /** The file stays; nothing more is written. */
  close(): void {
    this.#pending = undefined;
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) this.#try(() => fs.closeSync(fd));
  }

  #write(bytes: Uint8Array): void {
    const fd = this.#fd;
    if (fd === undefined || this.#problem !== undefined) return;
    const room = FILE_BYTES_MAX - this.#written;
    const taken = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.#try(() => {
      for (let done = 0; done < taken.length;) done += fs.writeSync(fd, taken, done);
      this.#written += taken.length;
    });
    if (taken.length < bytes.length) this.#problem ??= "it ends after 1 GB";
  }

  #try(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#problem ??= reasonOf(error);
    }
  }
}
