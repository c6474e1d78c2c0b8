/** stdout and stderr for tests: what was written is kept, and writing can be made slow or fail. */
import { type ByteWriter, Sink } from "../../lib/runtime/modes/output.ts";

/** Keeps what it is given. */
export class RecordedWriter implements ByteWriter {
  readonly pieces: Uint8Array[] = [];
  /** At most this many bytes are taken at a time. */
  takesMax = Infinity;
  /** What the next writes fail with. */
  error: Error | undefined;
  /** Writes wait for this. */
  gate: Promise<void> = Promise.resolve();

  async write(bytes: Uint8Array): Promise<number> {
    await this.gate;
    if (this.error) throw this.error;
    const taken = bytes.slice(0, this.takesMax);
    this.pieces.push(taken);
    return taken.length;
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString("utf8");
  }
}

/** A sink and what it wrote. */
export function recordedSink(
  options: { isTerminal?: boolean; onError?: (error: Error) => void } = {},
): { sink: Sink; writer: RecordedWriter } {
  const writer = new RecordedWriter();
  const { isTerminal = false, onError } = options;
  return { sink: new Sink(writer, { isTerminal, ...(onError ? { onError } : {}) }), writer };
}

/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
