/** Runs of the binary against a provider of the tests' own, in a home of their own. */
import * as fs from "node:fs";
import * as path from "node:path";
import { binaryPath, runBinary, startBinary } from "./binary.ts";
import {
  type FinishedProcess,
  type ProcessOptions,
  type RunningProcess,
  runProcess,
} from "./process.ts";
import { type Plan, ScriptedServer } from "./scripted_server.ts";
import { TempDirectory } from "./temp.ts";

type RunOptions = Omit<ProcessOptions, "temp">;

/** A home whose default model is `local/m`, a server that is that model, and runs between the two. */
export class LocalRun implements AsyncDisposable {
  readonly temp = new TempDirectory();
  readonly server: ScriptedServer;
  /** Where the session files are. */
  readonly sessions: string;

  private constructor(server: ScriptedServer) {
    this.server = server;
    this.sessions = this.temp.join("home/sessions");
  }

  /**
   * The provider answers as the plan says; files of the plan lie in `directory`. The models have a
   * window of 200,000 tokens, unless another is given.
   */
  static async start(
    plan: Plan,
    options: { directory?: string; contextWindow?: number } = {},
  ): Promise<LocalRun> {
    const run = new LocalRun(await ScriptedServer.start(plan, options));
    const model = {
      contextWindow: options.contextWindow ?? 200_000,
      maxTokens: 8_000,
      input: ["text", "image"],
      cost: { input: 1000, output: 1000, cacheRead: 1000, cacheWrite: 1000 },
    };
    const keys = { apiKey: "test-key" };
    run.temp.write(
      "home/models.json",
      JSON.stringify({
        providers: {
          local: {
            ...keys,
            baseUrl: `${run.server.url}/v1`,
            api: "openai-completions",
            models: [{ id: "m", ...model }],
          },
          localA: {
            ...keys,
            baseUrl: run.server.url,
            api: "anthropic-messages",
            models: [{ id: "m", ...model }],
          },
        },
      }),
    );
    run.settings({});
    return run;
  }

  /** Writes the settings; retries come quickly. */
  settings(settings: Record<string, unknown>): void {
    this.temp.write(
      "home/settings.json",
      JSON.stringify({
        defaultModel: "local/m",
        retry: { baseDelayMs: 1, maxDelayMs: 5 },
        ...settings,
      }),
    );
  }

  /** Runs the binary to its end. Without `stdin` it gets `/dev/null`. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<FinishedProcess> {
    return await runBinary(args, { temp: this.temp, ...options });
  }

  /** Starts the binary. Use it with `using`. */
  async begin(args: readonly string[], options: RunOptions = {}): Promise<RunningProcess> {
    return await startBinary(args, { temp: this.temp, ...options });
  }

  /** Runs lines of bash in which `bough` is the binary. */
  async shell(script: string, options: RunOptions = {}): Promise<FinishedProcess> {
    const bin = this.temp.make("bin");
    const link = path.join(bin, "bough");
    if (!fs.existsSync(link)) fs.symlinkSync(await binaryPath(), link);
    const env = { PATH: `${bin}:${process.env["PATH"]}`, ...options.env };
    return await runProcess("bash", ["-c", script], { temp: this.temp, ...options, env });
  }

  /** The files of all sessions. */
  sessionFiles(): string[] {
    if (!fs.existsSync(this.sessions)) return [];
    return fs.readdirSync(this.sessions, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => path.join(this.sessions, name));
  }

  /** The entries of the only session; each line must be whole. */
  entries(): Record<string, unknown>[] {
    const [file, ...more] = this.sessionFiles();
    if (file === undefined || more.length > 0) {
      throw new Error(`There are ${file === undefined ? 0 : more.length + 1} sessions.`);
    }
    return readLines(file);
  }

  /** What each request says last, as text. */
  lastMessages(): string[] {
    return this.server.bodies().map((body) => {
      const { messages } = body;
      const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
      const content = typeof last === "object" && last !== null && "content" in last
        ? last.content
        : undefined;
      return typeof content === "string" ? content : JSON.stringify(content);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    this.temp[Symbol.dispose]();
  }
}

/** The lines of a JSONL file; throws if one is no JSON, or the last one has no end. */
export function readLines(file: string): Record<string, unknown>[] {
  const text = fs.readFileSync(file, "utf8");
  if (!text.endsWith("\n")) throw new Error(`The last line of ${file} has no end.`);
  return text.slice(0, -1).split("\n").map((line) => JSON.parse(line));
}

function stream(...chunks: { choices: unknown[]; usage?: unknown }[]): { text: string } {
  const lines = chunks.map((chunk) =>
    JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...chunk })
  );
  return { text: [...lines, "[DONE]"].map((line) => `data: ${line}\n\n`).join("") };
}

function usageChunk(prompt: number, completion: number) {
  return {
    choices: [],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    },
  };
}

/** An OpenAI-style answer with this text, or with these pieces of text. */
export function completion(
  text: string | readonly string[],
  options: { finish?: string; tokens?: { prompt: number; completion: number } } = {},
): { text: string } {
  const { finish = "stop", tokens = { prompt: 20, completion: 5 } } = options;
  const pieces = typeof text === "string" ? [text] : text;
  return stream(
    { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
    ...pieces.map((content) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    usageChunk(tokens.prompt, tokens.completion),
  );
}

/** An OpenAI-style answer that calls `bash` with a command. */
export function bashCall(command: string, id = "call_1"): { text: string } {
  const call = {
    index: 0,
    id,
    type: "function",
    function: { name: "bash", arguments: JSON.stringify({ command }) },
  };
  return stream(
    { choices: [{ index: 0, delta: { role: "assistant", tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    usageChunk(20, 5),
  );
}
