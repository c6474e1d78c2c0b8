/** Long sessions, the same at every run. */
import * as fs from "node:fs";
import * as path from "node:path";

const START = Date.UTC(2026, 0, 1);
const BLOCK_BYTES = 4e6;
/** How far from the end the last compaction is, in bytes; about 20,000 tokens. */
const TAIL_BYTES = 80_000;
const WORDS = "the tree of a session grows by one entry a line and nothing in it is ever changed"
  .split(" ");

/** A linear congruential generator: numbers below a bound, the same at every run. */
class Dice {
  #state = 42;

  below(bound: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor(this.#state / 2 ** 32 * bound);
  }

  text(length: number): string {
    const words: string[] = [];
    for (let size = 0; size < length;) {
      const word = WORDS[this.below(WORDS.length)] ?? "";
      words.push(word);
      size += word.length + 1;
    }
    return words.join(" ");
  }
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = {
  input: 900,
  output: 90,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 990,
  cost: NO_COST,
};

/** The lines of one conversation, one after the other. */
class Conversation {
  readonly #dice = new Dice();
  #count = 0;
  #parentId: string | null = null;

  /** Half of the ids are small numbers, half large, as with random ones. */
  #nextId(): string {
    this.#count += 1;
    return (Math.imul(this.#count, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  }

  #line(type: string, fields: Record<string, unknown>): string {
    const id = this.#nextId();
    const timestamp = new Date(START + this.#count * 1000).toISOString();
    const line = JSON.stringify({ type, id, parentId: this.#parentId, timestamp, ...fields });
    this.#parentId = id;
    return line + "\n";
  }

  #message(message: Record<string, unknown>): string {
    return this.#line("message", {
      message: { ...message, timestamp: START + this.#count * 1000 },
    });
  }

  #answer(content: unknown[], stopReason: string): string {
    const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-haiku-4-5" };
    return this.#message({ role: "assistant", content, ...model, usage: USAGE, stopReason });
  }

  header(): string {
    const timestamp = new Date(START).toISOString();
    const id = "0190a000-0000-7000-8000-000000000000";
    return JSON.stringify({ type: "session", version: 3, id, timestamp, cwd: "/bench" }) + "\n";
  }

  /** A question, a tool call, its result (a few long ones among them), an answer: about 10 KB. */
  turn(): string {
    const text = (length: number) => [{ type: "text", text: this.#dice.text(length) }];
    const id = `toolu_${this.#count}`;
    const call = { type: "toolCall", id, name: "read", arguments: { path: "a.txt" } };
    const long = this.#dice.below(20) === 0 ? 60_000 : 6_000;
    const result = { toolCallId: id, toolName: "read", content: text(long), isError: false };
    return this.#message({ role: "user", content: text(200) }) +
      this.#answer([...text(300), call], "toolUse") +
      this.#message({ role: "toolResult", ...result }) +
      this.#answer(text(800), "stop");
  }

  /** A compaction that keeps one entry from before it, with the checkpoint that we write. */
  compaction(): string {
    const firstKeptEntryId = this.#parentId;
    const summary = this.#dice.text(4000);
    const model = { provider: "anthropic", modelId: "claude-haiku-4-5" };
    const checkpoint = { model, thinkingLevel: "off" };
    const tokensBefore = 180_000;
    return this.#line("compaction", { summary, firstKeptEntryId, tokensBefore, checkpoint });
  }
}

/**
 * A session file of about `bytes`, whose last compaction is near its end. Made once: the same name
 * has the same bytes.
 */
export function sessionFile(directory: string, bytes: number): string {
  const file = path.join(directory, `session-${bytes / 1e6}MB.jsonl`);
  if (fs.existsSync(file)) return file;
  const unfinished = `${file}.unfinished`;
  fs.mkdirSync(directory, { recursive: true });
  const fd = fs.openSync(unfinished, "w");
  const conversation = new Conversation();
  let block = conversation.header();
  let size = block.length;
  const add = (lines: string) => {
    block += lines;
    size += lines.length;
    if (block.length < BLOCK_BYTES) return;
    fs.appendFileSync(fd, block);
    block = "";
  };
  while (size < bytes - TAIL_BYTES) add(conversation.turn());
  add(conversation.compaction());
  while (size < bytes) add(conversation.turn());
  fs.appendFileSync(fd, block);
  fs.closeSync(fd);
  fs.renameSync(unfinished, file);
  return file;
}

/** A copy that may be written to, gone when disposed of. */
export function copyOf(file: string): { file: string } & Disposable {
  const directory = fs.mkdtempSync(path.join(path.dirname(file), "copy-"));
  const copy = path.join(directory, path.basename(file));
  fs.copyFileSync(file, copy);
  const remove = () => fs.rmSync(directory, { recursive: true, force: true });
  return { file: copy, [Symbol.dispose]: remove };
}
