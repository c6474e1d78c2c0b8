/**
 * The event-stream format, as its standard says: lines end in LF, CR or CRLF; a byte-order mark at
 * the start and comments are dropped; the data lines of one event are joined by LF.
 *
 * One parser serves all wire formats: those of the SDKs stop at an event that is no JSON, and differ.
 */

/** One event of a stream. */
export interface SseEvent {
  /** Empty where the server gave no name. */
  name: string;
  data: string;
}

const LF = 10;
const CR = 13;

/** Bytes in, events out. A letter or a line may be spread over any number of pieces. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  /** The start of a line whose end has not come yet. */
  #rest = "";
  /** The last piece ended in CR: an LF at the start of the next one belongs to it. */
  #afterCr = false;
  #name = "";
  #data: string[] = [];

  push(bytes: Uint8Array): SseEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /**
   * What is left when the stream ends. The standard drops an event without its empty line; servers
   * that leave out the last one are common, so it counts here.
   */
  end(): SseEvent[] {
    return this.#read(this.#decoder.decode() + "\n\n");
  }

  #read(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let start = 0;
    if (this.#afterCr && text.length > 0) {
      if (text.charCodeAt(0) === LF) start = 1;
      this.#afterCr = false;
    }
    const ends = new LineEnds(text);
    for (;;) {
      const end = ends.from(start);
      if (end === -1) break;
      const event = this.#line(this.#rest + text.slice(start, end));
      this.#rest = "";
      if (event) events.push(event);
      start = end + 1;
      if (text.charCodeAt(end) !== CR) continue;
      if (start === text.length) this.#afterCr = true;
      else if (text.charCodeAt(start) === LF) start++;
    }
    this.#rest += text.slice(start);
    return events;
  }

  #line(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return undefined;
    let value = colon === -1 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.#data.push(value);
    else this.#name = value;
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const event = { name: this.#name, data: this.#data.join("\n") };
    this.#name = "";
    this.#data = [];
    return event.data.trim() === "" ? undefined : event;
  }
}

/** Finds the ends of a text's lines, one after the other; -1 after the last. */
class LineEnds {
  readonly #text: string;
  #lf: number;
  #cr: number;

  constructor(text: string) {
    this.#text = text;
    this.#lf = text.indexOf("\n");
    this.#cr = text.indexOf("\r");
  }

  from(start: number): number {
    if (this.#lf !== -1 && this.#lf < start) this.#lf = this.#text.indexOf("\n", start);
    if (this.#cr !== -1 && this.#cr < start) this.#cr = this.#text.indexOf("\r", start);
    return this.#lf === -1 || this.#cr === -1
      ? Math.max(this.#lf, this.#cr)
      : Math.min(this.#lf, this.#cr);
  }
}
