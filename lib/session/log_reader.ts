/**
 * Reads the entries of a session from its bytes, last line first, and no further than is asked for.
 * An entry's head (its place in the tree) is read from its line's first bytes; a line that turns
 * out to be broken when it is parsed is remembered, and what was built on its head is built anew.
 * So the answers are those of a full reading.
 */
import type { Buffer } from "node:buffer";
import { holdsAny } from "./byte_search.ts";
import type { ByteSource } from "./byte_source.ts";
import { type EntryHead, parseEntry, readLine, readWholeLine } from "./codec.ts";
import type { Damage, SessionEntry } from "./entry.ts";
import { SessionError } from "./errors.ts";
import type { LineProblem } from "./salvage.ts";
import { BackwardLines, lineNumbers, type LineSpan } from "./lines.ts";
import { EntryIndex } from "./tree.ts";

/** A line is not what its head said: what was read of the tree no longer holds. */
class BrokenLine extends Error {
  override readonly name = "BrokenLine";
}

/** Lines that lie this close are read together, up to a limit. */
const READ_GAP = 4 * 1024;
const READ_MAX = 1024 * 1024;

/** The entries of one session. */
export class LogReader {
  #source: ByteSource;
  readonly #floor: number;
  readonly #name: string;
  readonly #blockSize: number | undefined;
  /** Offsets of lines that are not what their heads say. */
  readonly #broken = new Set<number>();
  #lines: BackwardLines;
  /** Heads of what was there at the start, last entry first, as far as read; then the index's. */
  #tail: EntryHead[] = [];
  /** Heads of what was appended since, in file order; then the index's. */
  #appended: EntryHead[] = [];
  #problems: (LineProblem & { offset: number })[] = [];
  #index: EntryIndex | undefined;
  /** Counts the times that reading began anew. */
  #reading = 0;

  /**
   * @param floor Where the line after the header begins.
   * @param name What errors call the session: its path.
   * @param blockSize How much is read at a time, in bytes.
   */
  constructor(source: ByteSource, floor: number, name: string, blockSize?: number) {
    this.#source = source;
    this.#floor = floor;
    this.#name = name;
    this.#blockSize = blockSize;
    this.#lines = new BackwardLines(source, floor, blockSize);
  }

  /** The bytes that heads refer to. */
  get source(): ByteSource {
    return this.#source;
  }

  /** Whether every line has been read, so that the index costs little. */
  get complete(): boolean {
    return this.#index !== undefined || this.#lines.done;
  }

  /** The index of all entries; reads all lines not read so far. */
  index(): EntryIndex {
    while (!this.#index) {
      while (this.#extend()) { /* block after block */ }
      const index = new EntryIndex(this.#tail.reverse().concat(this.#appended));
      if (this.#findBroken(index)) this.restart(this.#source);
      else this.#index = index;
    }
    this.#tail = this.#appended = [];
    return this.#index;
  }

  /** Runs a reading, and again for as long as it comes upon broken lines. */
  settle<T>(read: () => T): T {
    while (true) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof BrokenLine)) throw error;
        this.restart(this.#source);
      }
    }
  }

  /** Forgets what was read; the source may be another view of the same file. */
  restart(source: ByteSource): void {
    this.#source = source;
    this.#reading++;
    this.#lines = new BackwardLines(source, this.#floor, this.#blockSize);
    this.#tail = [];
    this.#appended = [];
    this.#problems = [];
    this.#index = undefined;
  }

  /** Takes note of entries that were appended; `source` has their bytes. */
  add(heads: readonly EntryHead[], source: ByteSource): void {
    this.#source = source;
    for (const head of heads) {
      if (this.#index) this.#index.add(head);
      else this.#appended.push(head);
    }
  }

  /** The leaf by the file alone: what the last entry says that says anything. */
  leafId(): string | null {
    return this.settle(() => {
      const back = this.#leafInTail();
      if (back === null) return null;
      const head = back === undefined ? this.#leafInIndex() : this.#head(back);
      if (head) this.read([head]);
      return head?.id ?? null;
    });
  }

  #leafInIndex(): EntryHead | undefined {
    const index = this.index();
    return index.leaf === undefined ? undefined : index.head(index.leaf);
  }

  /** Where the leaf is, counted back; null for none, undefined if only the index can tell. */
  #leafInTail(): number | null | undefined {
    if (this.#index) return undefined;
    const last = this.#head(0);
    return last && !this.#index ? this.#nodeInTail(0) : undefined;
  }

  /**
   * The entries from an id up to its root, that one first; `leaf` entries are passed through. An id
   * that is not there gives nothing.
   */
  *ancestors(id: string): Generator<EntryHead, void> {
    const reading = this.#reading;
    let back = this.#index ? undefined : this.#findInTail(id, 0);
    let last: EntryHead | undefined;
    while (back !== undefined) {
      const node: number | null | undefined = this.#nodeInTail(back);
      if (node === null) return;
      last = this.#head(node ?? back);
      if (!last || node === undefined) break;
      yield last;
      if (last.parentId === null) return;
      back = this.#findInTail(last.parentId, node + 1);
    }
    yield* this.#ancestorsInIndex(id, last, reading);
  }

  /** Goes on where the tail cannot tell: a parent is missing, or stands further down. */
  *#ancestorsInIndex(
    id: string,
    last: EntryHead | undefined,
    reading: number,
  ): Generator<EntryHead, void> {
    const index = this.index();
    // To build the index may have shown that a line is broken, and with it the walk so far.
    if (last && reading !== this.#reading) throw new BrokenLine(`entry ${last.id}`);
    const position = last && index.positionOf(last.offset);
    let at = position === undefined
      ? index.findNode(id)
      : last?.type === "leaf"
      ? index.nodeAt(position)
      : index.parent(position);
    for (; at !== undefined; at = index.parent(at)) yield index.head(at);
  }

  /** The entry at a place in the tail, or what a `leaf` entry there leads to; null for nothing. */
  #nodeInTail(back: number): number | null | undefined {
    let at: number | undefined = back;
    for (let head = this.#head(at); head?.type === "leaf"; head = this.#head(at)) {
      if (head.targetId === null) return null;
      if (head.targetId === undefined) return undefined;
      at = this.#findInTail(head.targetId, at + 1);
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** Looks for an id from a place in the tail upwards; undefined if the file begins before it. */
  #findInTail(id: string, from: number): number | undefined {
    for (let back = from;; back++) {
      const head = this.#head(back);
      if (!head) return undefined;
      if (head.id === id) return back;
    }
  }

  /** The entry so many before the last one; undefined past the first. */
  #head(back: number): EntryHead | undefined {
    const added = this.#appended.length;
    if (back < added) return this.#appended[added - 1 - back];
    while (this.#tail.length <= back - added && this.#extend()) { /* the next block up */ }
    return this.#tail[back - added];
  }

  /** All heads, last entry first, reading as it goes. */
  *headsBackward(): Generator<EntryHead, void> {
    if (this.#index) {
      for (let at = this.#index.size - 1; at >= 0; at--) yield this.#index.head(at);
    } else {
      for (let back = 0;; back++) {
        const head = this.#head(back);
        if (!head) return;
        yield head;
      }
    }
  }

  /**
   * All lines, last first, each read once and not remembered, with bytes that hold until the next one
   * is asked for. Undefined for a line that is not just one entry: then only the index can tell.
   */
  *passing(): Generator<{ head: EntryHead; bytes: Buffer } | undefined, void> {
    const lines = new BackwardLines(this.#source, this.#floor, this.#blockSize);
    while (!lines.done) {
      for (const { start, end } of lines.next()) {
        const bytes = lines.bytes(start, end);
        const slice = (from: number, to: number) => bytes.subarray(from, to);
        const { heads, problem } = readLine({ offset: start, length: end - start, slice });
        const [head] = heads;
        if (problem || heads.length > 1 || this.#broken.has(start)) yield undefined;
        else if (head) yield { head, bytes };
      }
    }
  }

  /** Parses entries. To be run in `settle`, as their lines may turn out to be broken. */
  read(heads: readonly EntryHead[]): SessionEntry[] {
    const entries: SessionEntry[] = [];
    for (let first = 0; first < heads.length;) {
      const start = heads[first]?.offset ?? 0;
      let end = start;
      let next = first;
      for (; next < heads.length; next++) {
        const head = heads[next];
        if (!head || head.offset < start || head.offset > end + READ_GAP) break;
        const headEnd = head.offset + head.length;
        if (next > first && headEnd - start > READ_MAX) break;
        end = Math.max(end, headEnd);
      }
      const bytes = this.#source.read(start, end);
      for (; first < next; first++) {
        const head = heads[first];
        if (!head) continue;
        const at = head.offset - start;
        const entry = this.#parse(head, bytes.subarray(at, at + head.length));
        if (!entry) throw this.#breakLine(head);
        entries.push(entry);
      }
    }
    return entries;
  }

  /** An entry's bytes, as they stand. */
  bytes({ offset, length }: EntryHead): Buffer {
    return this.#source.read(offset, offset + length);
  }

  #breakLine(head: EntryHead): Error {
    if (this.#broken.has(head.offset)) {
      return new SessionError(
        "not_a_session",
        `Cannot read entry ${head.id} of ${this.#name}: the file changed meanwhile; open it again`,
        { file: this.#name },
      );
    }
    this.#broken.add(head.offset);
    return new BrokenLine(`entry ${head.id}`);
  }

  /** Whether one of these texts stands anywhere up to the end of an entry. */
  holdsUpTo({ offset, length }: EntryHead, texts: readonly string[]): boolean {
    return holdsAny(this.#source, texts, { start: this.#floor, end: offset + length });
  }

  /** Everything that could not be read as it stands, in file order, as far as was read. */
  damage(): Damage[] {
    const found = this.#problems.map(({ offset, kind, reason }) => ({ offset, kind, reason }));
    for (const { position, kind, reason } of this.#index?.flaws ?? []) {
      const head = this.#index?.head(position);
      if (head) found.push({ offset: head.offset, kind, reason: `entry ${head.id}: ${reason}` });
    }
    found.sort((a, b) => a.offset - b.offset);
    const numbers = lineNumbers(this.#source, found.map(({ offset }) => offset));
    return found.map((one, at) => ({ line: numbers[at] ?? 0, ...one }));
  }

  /** Reads the next block up; false if there is none. */
  #extend(): boolean {
    if (this.#lines.done) return false;
    for (const span of this.#lines.next()) this.#readLine(span);
    return true;
  }

  #readLine(span: LineSpan): void {
    const lines = this.#lines;
    const line = {
      offset: span.start,
      length: span.end - span.start,
      slice: (from: number, to: number) => lines.bytes(span.start + from, span.start + to),
    };
    const { heads, problem } = this.#broken.has(span.start) ? readWholeLine(line) : readLine(line);
    if (problem) {
      const torn = problem.kind === "unreadable" && !span.terminated;
      const kind = torn ? "torn" : problem.kind;
      this.#problems.push({ offset: span.start, kind, reason: problem.reason });
      const next = this.#tail.at(-1);
      if (next) next.afterDamage = true;
    }
    for (let at = heads.length - 1; at >= 0; at--) {
      const head = heads[at];
      if (head) this.#tail.push(head);
    }
  }

  /**
   * Where a parent is missing, the tree depends on whether the line before is whole; where one
   * stands further down, on every line. Those lines are parsed, and if some are broken the index
   * has to be built again.
   */
  #findBroken(index: EntryIndex): boolean {
    let found = false;
    for (const { position, kind } of index.flaws) {
      if (kind !== "missing_parent") continue;
      for (let at = position - 1; at >= 0 && this.#isBroken(index.head(at)); at--) found = true;
    }
    for (let at = 0; index.looksAhead && at < index.size; at++) {
      if (this.#isBroken(index.head(at))) found = true;
    }
    return found;
  }

  /** Whether a line is not what its head says, which is then remembered. */
  #isBroken(head: EntryHead): boolean {
    if (this.#broken.has(head.offset) || this.#parse(head, this.bytes(head))) return false;
    this.#broken.add(head.offset);
    return true;
  }

  #parse(head: EntryHead, bytes: Buffer): SessionEntry | undefined {
    const entry = parseEntry(bytes);
    return entry?.id === head.id && entry.parentId === head.parentId ? entry : undefined;
  }
}
