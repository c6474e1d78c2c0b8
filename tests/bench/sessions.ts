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
  #state: number;
  readonly #subject: Subject;

  constructor(subject: Subject) {
    this.#state = subject.seed;
    this.#subject = subject;
  }

  below(bound: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor(this.#state / 2 ** 32 * bound);
  }

  #word(): string {
    const { words, isNatural } = this.#subject;
    // In a language the n-th word is said about 1/n as often as the first.
    const at = isNatural
      ? Math.floor(words.length ** (this.below(2 ** 24) / 2 ** 24))
      : this.below(words.length);
    return words[at] ?? "";
  }

  text(length: number): string {
    const words: string[] = [];
    for (let size = 0; size < length;) {
      const word = this.#word();
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

/** What tells one conversation from another. */
interface Subject {
  seed: number;
  words: readonly string[];
  /** A few of the words are said often, most of them seldom. */
  isNatural?: boolean;
  id: string;
  /** When it began, in ms since the epoch. */
  start: number;
  cwd: string;
}

const LONG: Subject = {
  seed: 42,
  words: WORDS,
  id: "0190a000-0000-7000-8000-000000000000",
  start: START,
  cwd: "/bench",
};

/** The lines of one conversation, one after the other. */
class Conversation {
  readonly #subject: Subject;
  readonly #dice: Dice;
  #count = 0;
  #answers = 0;
  #parentId: string | null = null;

  constructor(subject = LONG) {
    this.#subject = subject;
    this.#dice = new Dice(subject);
  }

  /** Half of the ids are small numbers, half large, as with random ones. */
  #nextId(): string {
    this.#count += 1;
    return (Math.imul(this.#count + this.#subject.seed - LONG.seed, 0x9e3779b1) >>> 0).toString(16)
      .padStart(8, "0");
  }

  #line(type: string, fields: Record<string, unknown>): string {
    const id = this.#nextId();
    const timestamp = new Date(this.#subject.start + this.#count * 1000).toISOString();
    const line = JSON.stringify({ type, id, parentId: this.#parentId, timestamp, ...fields });
    this.#parentId = id;
    return line + "\n";
  }

  #message(message: Record<string, unknown>): string {
    return this.#line("message", {
      message: { ...message, timestamp: this.#subject.start + this.#count * 1000 },
    });
  }

  #answer(content: unknown[], stopReason: string): string {
    const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-haiku-4-5" };
    this.#answers += 1;
    return this.#message({ role: "assistant", content, ...model, usage: USAGE, stopReason });
  }

  header(): string {
    const { id, start, cwd } = this.#subject;
    const timestamp = new Date(start).toISOString();
    return JSON.stringify({ type: "session", version: 3, id, timestamp, cwd }) + "\n";
  }

  question(text: string): string {
    return this.#message({ role: "user", content: [{ type: "text", text }] });
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

  /** A compaction that keeps one entry from before it. */
  compaction(writer: Writer): string {
    const firstKeptEntryId = this.#parentId;
    const summary = this.#dice.text(4000);
    const tokensBefore = 180_000;
    return this.#line("compaction", {
      summary,
      firstKeptEntryId,
      tokensBefore,
      ...(writer === "bough" ? { checkpoint: this.#checkpoint() } : {}),
    });
  }

  #checkpoint() {
    const model = { provider: "anthropic", modelId: "claude-haiku-4-5" };
    const used = { ...USAGE };
    for (const key of ["input", "output", "totalTokens"] as const) used[key] *= this.#answers;
    const totals = { sessionId: this.#subject.id, branch: used, session: used };
    return { model, thinkingLevel: "off", totals };
  }
}

/** Whose a session file is: Pi's compactions have no checkpoint of what stands above them. */
export type Writer = "bough" | "pi";

/**
 * A session file of about `bytes`, whose last compaction is near its end. Made once: the same name
 * has the same bytes.
 */
export function sessionFile(directory: string, bytes: number, writer: Writer = "bough"): string {
  const file = path.join(directory, `${writer}-${bytes / 1e6}MB.jsonl`);
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
  add(conversation.compaction(writer));
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

const DIRECTORIES = 20;
const SESSION_BYTES = 180_000;
const VOCABULARY = 20_000;
const SYLLABLES = "ba ke lo mi nu ra so ti vu za chi dro fen gul".split(" ");

/** Words as many as a person's, and some that code has. */
function vocabulary(): string[] {
  return Array.from({ length: VOCABULARY }, (_, number) => {
    let word = "";
    for (let rest = number + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
      word += SYLLABLES[rest % SYLLABLES.length] ?? "";
    }
    return number % 10 === 0 ? `${word}_${number}` : word;
  });
}

/** The word that is looked for: it stands once in every hundredth session. */
export const RARE_WORD = "heronsbill";

/**
 * A directory with so many sessions of about 180 KB, of 20 working directories. Made once, as above.
 */
export function manySessions(directory: string, count: number): string {
  const sessionsDir = path.join(directory, `sessions-${count}`);
  if (fs.existsSync(sessionsDir)) return sessionsDir;
  const unfinished = `${sessionsDir}.unfinished`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  const words = vocabulary();
  for (let number = 0; number < count; number += 1) {
    const cwd = `/bench/project-${number % DIRECTORIES}`;
    const start = START + number * 3_600_000;
    const id = `0190b000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
    const seed = 1000 + number * 997;
    const conversation = new Conversation({ seed, words, isNatural: true, id, start, cwd });
    let lines = conversation.header();
    if (number % 100 === 0) lines += conversation.question(`Where is the ${RARE_WORD}?`);
    while (lines.length < SESSION_BYTES) lines += conversation.turn();
    const place = path.join(unfinished, `--${cwd.slice(1).replaceAll("/", "-")}--`);
    fs.mkdirSync(place, { recursive: true });
    const time = new Date(start).toISOString().replace(/[:.]/g, "-");
    fs.writeFileSync(path.join(place, `${time}_${id}.jsonl`), lines);
  }
  fs.renameSync(unfinished, sessionsDir);
  return sessionsDir;
}
