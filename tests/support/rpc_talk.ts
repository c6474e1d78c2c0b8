/** A client of rpc mode in this process: commands go in, records come out. */
import { type Model, runShell, type Tool } from "../../lib/agent/mod.ts";
import { AgentSession, type AgentSessionOptions } from "../../lib/runtime/mod.ts";
import type { ExitCode } from "../../lib/runtime/command_line/exit_code.ts";
import { parseCommandLine } from "../../lib/runtime/command_line/parse.ts";
import { ConfigError } from "../../lib/runtime/config/errors.ts";
import type { ByteWriter } from "../../lib/runtime/modes/output.ts";
import { Sink } from "../../lib/runtime/modes/output.ts";
import type { RpcServices } from "../../lib/runtime/modes/rpc/perform.ts";
import { rpc, type RpcOpened, type RpcPorts } from "../../lib/runtime/modes/rpc/rpc.ts";
import { Stopper } from "../../lib/runtime/modes/stop.ts";
import { AgentSessionRuntime, type Conversation } from "../../lib/runtime/runtime.ts";
import { MemorySessionRepo, type SessionRepo } from "../../lib/session/mod.ts";
import { HeldTimer } from "./manual_timer.ts";
import { recordedSink } from "./recorded_sink.ts";
import { type ScriptedModel, scriptedModel } from "./scripted_model.ts";

export type RpcRecord = Record<string, unknown>;

export interface TalkOptions {
  answers?: Parameters<typeof scriptedModel>[0];
  repo?: SessionRepo;
  cwd?: string;
  tools?: readonly Tool[];
  session?: Partial<AgentSessionOptions>;
  conversation?: Omit<Partial<Conversation>, "session" | "services">;
  ports?: Partial<RpcPorts>;
  /** stdout takes nothing until this resolves. */
  gate?: Promise<void>;
}

/** stdin that a test fills. */
class TypedStdin {
  readonly kind = "pipe";
  readonly #pieces: (Uint8Array | undefined)[] = [];
  #wake = () => {};
  /** How many pieces were read. */
  taken = 0;

  push(piece: Uint8Array | undefined): void {
    this.#pieces.push(piece);
    this.#wake();
  }

  async read(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.taken++;
    return this.#pieces.shift();
  }
}

/** stdout as records; each piece that is written wakes who waits for one. */
class RecordWriter implements ByteWriter {
  readonly records: RpcRecord[] = [];
  readonly #gate: Promise<void>;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #waiting: (() => void)[] = [];

  constructor(gate: Promise<void>) {
    this.#gate = gate;
  }

  async write(bytes: Uint8Array): Promise<number> {
    await this.#gate;
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    this.records.push(...lines.map((line): RpcRecord => JSON.parse(line)));
    for (const wake of this.#waiting.splice(0)) wake();
    return bytes.length;
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Rpc mode with a scripted model. Use it with `await using`: stdin ends with it. */
export class RpcTalk implements AsyncDisposable {
  readonly stopper = new Stopper();
  readonly stdin = new TypedStdin();
  readonly model: ScriptedModel;
  /** Resolves with the exit code when all is written. */
  readonly finished: Promise<ExitCode>;
  readonly #stdout: RecordWriter;
  readonly #stderr = recordedSink();
  #live: AgentSession | undefined;

  constructor(options: TalkOptions = {}) {
    this.model = scriptedModel(options.answers ?? []);
    this.#stdout = new RecordWriter(options.gate ?? Promise.resolve());
    this.finished = this.#run(options);
  }

  get records(): readonly RpcRecord[] {
    return this.#stdout.records;
  }

  get stderr(): string {
    return this.#stderr.writer.text;
  }

  /** The live session. */
  get live(): AgentSession {
    if (!this.#live) throw new Error("Nothing is live yet.");
    return this.#live;
  }

  /** Sends commands, in one piece; a string goes as it is. */
  send(...lines: (string | RpcRecord)[]): void {
    const text = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line));
    this.bytes(new TextEncoder().encode(text.map((line) => `${line}\n`).join("")));
  }

  bytes(bytes: Uint8Array): void {
    this.stdin.push(bytes);
  }

  end(): void {
    this.stdin.push(undefined);
  }

  /** The first record with these fields, as soon as it is there. */
  async record(fields: RpcRecord): Promise<RpcRecord> {
    const fits = (record: RpcRecord) =>
      Object.entries(fields).every(([name, value]) => record[name] === value);
    for (;;) {
      const found = this.records.find(fits);
      if (found) return found;
      await this.#stdout.next();
    }
  }

  /** Sends one command and waits for its answer, which comes without what is the same in all. */
  async ask(command: RpcRecord): Promise<RpcRecord> {
    const id = `ask-${this.records.length}-${this.stdin.taken}`;
    this.send({ id, ...command });
    const { type: _, id: _id, command: _command, ...rest } = await this.record({
      type: "response",
      id,
    });
    return rest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.finished;
  }

  async #run(options: TalkOptions): Promise<ExitCode> {
    const line = parseCommandLine(["--mode", "rpc"], { stdin: false, stdout: false });
    if (line.kind !== "run") throw new Error(JSON.stringify(line));
    const stdout = new Sink(this.#stdout, {
      isTerminal: false,
      onError: (error) => this.stopper.stop({ kind: "output", error }),
    });
    const code = await rpc(line.options, {
      stdout,
      stderr: this.#stderr.sink,
      stdin: () => this.stdin,
      stopper: this.stopper,
      timer: new HeldTimer(),
      open: () => this.#open(options),
      ...options.ports,
    });
    await stdout.drain();
    await this.#stderr.sink.drain();
    return code;
  }

  async #open(options: TalkOptions): Promise<RpcOpened> {
    const repo = options.repo ?? new MemorySessionRepo();
    const cwd = options.cwd ?? "/";
    const other = { ...this.model.facts, id: "other", reasoning: false };
    const models: Model[] = [this.model, { ...this.model, facts: other }];
    const modelOf = (id: string) => {
      const model = models.find(({ facts }) => facts.id === id);
      if (!model) throw new ConfigError("unknown_model", `Cannot use the model ${id}`);
      return model;
    };
    const runtime = await AgentSessionRuntime.create<RpcServices>(await repo.create({ cwd }), {
      repo,
      prepare: (session) =>
        Promise.resolve({
          start: async () => {
            this.#live = new AgentSession({
              session,
              model: this.model,
              tools: options.tools ?? [],
              retry: { enabled: false },
              shell: (run) => runShell({ ...run, env: { PATH: "/usr/bin:/bin" } }),
              ...options.session,
            });
            return {
              session: this.#live,
              services: {
                models: {
                  choose: async ({ model = "" }: { model?: string }) => ({
                    facts: modelOf(model).facts,
                  }),
                  check: async () => {},
                  create: ({ id }: { id: string }) => modelOf(id),
                },
              },
              ...options.conversation,
            };
          },
        }),
    });
    return { runtime, warnings: [{ message: "Something to know" }] };
  }
}

/** What happened, in short: the types of the records, and of responses their commands. */
export function brief(records: readonly RpcRecord[]): string[] {
  return records.map(({ type, command, success, id }) =>
    type === "response"
      ? `${success ? "done" : "not done"}: ${command}`
      : id === undefined || type === "session"
      ? `${type}`
      : `${type} of ${id}`
  );
}
