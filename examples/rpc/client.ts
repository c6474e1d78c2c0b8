/**
 * Talks to Bough over `--mode rpc` (docs/rpc.md), on Bun, Deno or Node. Needs no package.
 *
 *     bun client.ts "What is in this directory?" "And what is missing?"
 */
import { type ChildProcess, spawn } from "node:child_process";

/** A record that came. */
export type BoughRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

type Listener = (record: BoughRecord) => void;

/** A command was not done; `code` says why, for programs. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly code: string;

  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  /** Settles the one who waits; false if the record is not for them. */
  take(record: BoughRecord): boolean;
  fail(error: Error): void;
}

/** One conversation. `close()` saves the session and ends the program. */
export class Bough {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Set<Waiting>();
  #ids = 0;
  #rest = "";
  /** Why nothing is answered any more. */
  #failure: Error | undefined;

  constructor(options: readonly string[] = [], command = "bough") {
    this.#child = spawn(command, ["--mode", "rpc", ...options], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    // A program that is gone takes no commands; how it ended is told to those who wait.
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.setEncoding("utf8");
    this.#child.stdout?.on("data", (text: string) => this.#receive(text));
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", resolve);
    });
    this.#ended.then(
      (code) => this.#failAll(new Error(`Bough ended with ${code}`)),
      (error: Error) => this.#failAll(error),
    );
  }

  /** Calls the listener with each record that is no answer. Returns what ends that. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends a command and resolves with the data of its answer; rejects with CommandFailed. */
  async ask(type: string, args: Record<string, unknown> = {}): Promise<unknown> {
    return await this.#send(type, args, "response");
  }

  /** Says something and resolves with the result (for an extension's command, with the answer). */
  async prompt(message: string): Promise<BoughRecord> {
    return await this.#send("prompt", { message }, "result");
  }

  /** Ends stdin, and resolves with the exit code. */
  async close(): Promise<number | null> {
    this.#child.stdin?.end();
    return await this.#ended;
  }

  /** Waits for the answer; for a result if the answer says that there will be one. */
  #send(type: string, args: Record<string, unknown>, until: "response"): Promise<unknown>;
  #send(type: string, args: Record<string, unknown>, until: "result"): Promise<BoughRecord>;
  #send(type: string, args: Record<string, unknown>, until: "response" | "result") {
    const id = `ts-${++this.#ids}`;
    return new Promise<unknown>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const waiting: Waiting = {
        take: (record) => {
          if (record["id"] !== id) return false;
          const error = record["error"];
          if (record.type === "response" && record["success"] !== true) {
            reject(new CommandFailed(error as { code: string; message: string }));
          } else if (until === "response") {
            resolve(record["data"]);
          } else if (record.type === "result" || isTaken(record)) {
            resolve(record);
          } else return true;
          this.#waiting.delete(waiting);
          return true;
        },
        fail: reject,
      };
      this.#waiting.add(waiting);
      this.#child.stdin?.write(`${JSON.stringify({ id, type, ...args })}\n`);
    });
  }

  /** LF alone ends a line, so `node:readline` will not do. */
  #receive(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const record: BoughRecord = JSON.parse(line);
      const isAnswer = record.type === "response" || record.type === "result";
      if (isAnswer && [...this.#waiting].some((waiting) => waiting.take(record))) continue;
      for (const listener of this.#listeners) listener(record);
    }
  }

  #failAll(error: Error): void {
    this.#failure = error;
    for (const waiting of this.#waiting) waiting.fail(error);
    this.#waiting.clear();
  }
}

/** Whether a prompt was the command of an extension: then no result follows. */
function isTaken(record: BoughRecord): boolean {
  const data = record["data"] as { status?: string } | undefined;
  return data?.status === "taken";
}

/** Prints an answer as it is written, and names the tools that run. */
function show(record: BoughRecord): void {
  const part = record["assistantMessageEvent"] as { type: string; delta: string } | undefined;
  if (part?.type === "text_delta") process.stdout.write(part.delta);
  else if (record.type === "tool_execution_start") console.error(`[${record["toolName"]}]`);
}

async function main(prompts: readonly string[]): Promise<number> {
  const bough = new Bough(["--read-only", "--quiet"]);
  bough.subscribe(show);
  for (const prompt of prompts) {
    const result = await bough.prompt(prompt);
    console.log();
    if (result["ok"] === true) continue;
    console.error((result["error"] as { message: string }).message);
    await bough.close();
    return Number(result["exitCode"]);
  }
  const state = await bough.ask("get_state") as { sessionId: string };
  console.error(`session ${state.sessionId}`);
  return await bough.close() ?? 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
