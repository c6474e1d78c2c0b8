/** A conversation in memory with extensions, without files. */
import type { ModelFacts, Timer, Tool } from "../../lib/agent/mod.ts";
import { AgentSession, type AgentSessionOptions } from "../../lib/runtime/mod.ts";
import type { Extension, ExtensionUi, NoticeLevel } from "../../lib/runtime/extensions/api.ts";
import type { ExtensionSource } from "../../lib/runtime/extensions/load.ts";
import { type ExtensionRunner, loadExtensions } from "../../lib/runtime/extensions/runner.ts";
import { MemorySessionRepo, type SessionEntry, textOf } from "../../lib/session/mod.ts";
import { type Answer, type ScriptedModel, scriptedModel } from "./scripted_model.ts";

export interface ExtendedOptions {
  answers?: readonly Answer[];
  facts?: Partial<ModelFacts>;
  tools?: readonly Tool[];
  questions?: NonNullable<ExtensionUi["questions"]>;
  timer?: Timer;
  cwd?: string;
  env?: Record<string, string | undefined>;
  options?: Partial<AgentSessionOptions>;
  addProvider?: (name: string, description: unknown) => Promise<void>;
}

/** A live conversation and what its extensions said. Close it with `await using`. */
export class Extended implements AsyncDisposable {
  readonly live: AgentSession;
  readonly runner: ExtensionRunner;
  readonly model: ScriptedModel;
  /** What a person was told, with its level; what could not be loaded has none. */
  readonly notices: [string, NoticeLevel?][];

  private constructor(parts: Pick<Extended, "live" | "runner" | "model" | "notices">) {
    ({ live: this.live, runner: this.runner, model: this.model, notices: this.notices } = parts);
  }

  /** The sources are files, or functions by name. */
  static async open(
    sources: readonly string[] | Readonly<Record<string, Extension>>,
    options: ExtendedOptions = {},
  ): Promise<Extended> {
    const { answers = [], cwd = "/tmp", env = {}, facts, questions, timer, tools = [] } = options;
    const notices: [string, NoticeLevel?][] = [];
    const given: ExtensionSource[] = Array.isArray(sources)
      ? [...sources]
      : Object.entries(sources).map(([name, extension]) => ({ name, extension }));
    const runner = await loadExtensions(given, {
      cwd,
      env: () => env,
      ui: {
        notify: (text, level) => notices.push([text, level]),
        ...(questions ? { questions } : {}),
      },
      addProvider: options.addProvider ?? (() => Promise.resolve()),
      warn: (message) => notices.push([message]),
      ...(timer ? { timer } : {}),
    });
    const model = scriptedModel(answers, facts);
    const live = new AgentSession({
      session: await new MemorySessionRepo().create({ cwd }),
      model,
      tools: runner.toolsWith(tools),
      hooks: runner.hooks,
      ...(timer ? { timer } : {}),
      ...options.options,
    });
    runner.goLive(live);
    return new Extended({ live, runner, model, notices });
  }

  async start(): Promise<void> {
    await this.runner.started({ reason: "start" });
  }

  /** The active branch, an entry each. */
  async branch(): Promise<string[]> {
    return (await this.live.session.getBranch()).map(entryText);
  }

  /** What the n-th request (0 for the first) says, a message each. */
  request(n: number): string[] {
    return this.model.requests[n]?.messages.map((message) =>
      `${message.role}: ${"content" in message ? textOf(message.content) : ""}`
    ) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.live.abort();
    await this.runner.shutdown();
    await this.live.dispose();
  }
}

/** An entry in one line: what it is, and what it says. */
export function entryText(entry: SessionEntry): string {
  switch (entry.type) {
    case "message":
      return `${entry.message.role}: ${
        "content" in entry.message ? textOf(entry.message.content) : ""
      }`;
    case "custom_message":
      return `custom ${entry.customType}: ${textOf(entry.content)}`;
    case "custom":
      return `entry ${entry.customType}: ${JSON.stringify(entry.data)}`;
    case "compaction":
    case "branch_summary":
      return `${entry.type}: ${entry.summary}`;
    case "label":
      return `label: ${entry.label ?? ""}`;
    case "session_info":
      return `name: ${entry.name}`;
    case "usage":
      return `usage: ${entry.kind}`;
    case "model_change":
    case "thinking_level_change":
    case "context_edit":
    case "leaf":
      return entry.type;
  }
}
