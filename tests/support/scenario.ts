/**
 * Scenarios: given a session, a scripted model and a list of actions; then the tree, the requests
 * that were sent and the events, as golden text (`tests/golden/scenarios`).
 */
import type { AgentSession, AgentSessionOptions, RunOutcome } from "../../lib/runtime/mod.ts";
import { AgentSession as LiveSession, AgentSessionRuntime } from "../../lib/runtime/mod.ts";
import type { AgentSessionEvent } from "../../lib/runtime/mod.ts";
import type { ModelFacts, ModelRequest, Tool } from "../../lib/agent/mod.ts";
import {
  MemorySessionRepo,
  type Message,
  type Session,
  type SessionEntry,
  textOf,
  type TreeNode,
} from "../../lib/session/mod.ts";
import { InstantTimer } from "./manual_timer.ts";
import { type Answer, type ScriptedModel, scriptedModel } from "./scripted_model.ts";

/** What an action has at hand. */
export interface World {
  readonly runtime: AgentSessionRuntime;
  readonly live: AgentSession;
  readonly session: Session;
  readonly model: ScriptedModel;
  readonly timer: InstantTimer;
  /** Adds a line to the log of events. */
  note(text: string): void;
  /** The id of the n-th entry (1 for the first), as ids are not known beforehand. */
  entry(n: number): Promise<string>;
}

export type Action = (world: World) => Promise<unknown>;

export interface Scenario {
  /** Fills the session before it goes live. */
  given?: (session: Session) => Promise<unknown>;
  answers: readonly (Answer | ((request: ModelRequest) => Answer))[];
  facts?: Partial<ModelFacts>;
  options?: Partial<AgentSessionOptions>;
  /** Beside `echo`. */
  tools?: readonly Tool[];
  /** Options that are made with the world, such as hooks. */
  hooks?: (world: () => World) => AgentSessionOptions["hooks"];
  actions: readonly Action[];
}

export const echo: Tool = {
  name: "echo",
  description: "Says it again",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: (args) =>
    Promise.resolve({ content: [{ type: "text", text: String(args["text"] ?? "") }] }),
};

/** Plays a scenario and gives what came of it as text. */
export async function play(scenario: Scenario): Promise<string> {
  const timer = new InstantTimer();
  const repo = new MemorySessionRepo({ clock: timer, ids: countedIds() });
  const first = await repo.create({ cwd: "/project" });
  await scenario.given?.(first);
  const model = scriptedModel(scenario.answers, scenario.facts);
  const log: string[] = [];
  const world = (): World => worldOf(runtime, model, timer, log);
  const runtime = await AgentSessionRuntime.create<unknown>(first, {
    repo,
    prepare: (session) =>
      Promise.resolve({
        start: async () => ({
          session: new LiveSession({
            session,
            model,
            tools: [echo, ...scenario.tools ?? []],
            systemPrompt: "Be brief.",
            thinkingLevel: (await session.settings()).thinkingLevel,
            timer,
            random: () => 0,
            ...scenario.options,
            ...(scenario.hooks ? { hooks: scenario.hooks(world) ?? {} } : {}),
          }),
          services: undefined,
          started: ({ reason }: { reason: string }) => {
            log.push(`* session starts: ${reason}`);
            return Promise.resolve();
          },
          shutdown: () => {
            log.push("* session ends");
            return Promise.resolve();
          },
        }),
      }),
  });
  const listen = () =>
    runtime.session.subscribe((event) => {
      const line = describeEvent(event);
      if (line !== undefined) log.push(line);
    });
  listen();
  runtime.onRebind(() => void listen());
  for (const action of scenario.actions) await action(world());
  const text = await report(world(), log);
  await runtime.dispose();
  return text;
}

function worldOf(
  runtime: AgentSessionRuntime,
  model: ScriptedModel,
  timer: InstantTimer,
  log: string[],
): World {
  return {
    runtime,
    get live() {
      return runtime.session;
    },
    get session() {
      return runtime.session.session;
    },
    model,
    timer,
    note: (text) => void log.push(`* ${text}`),
    async entry(n) {
      const entry = (await runtime.session.session.getEntries())[n - 1];
      if (!entry) throw new Error(`the session has no entry ${n}`);
      return entry.id;
    },
  };
}

function countedIds() {
  let sessions = 0;
  let entries = 0;
  return {
    sessionId: () => `session-${++sessions}`,
    entryId: () => (++entries).toString(16).padStart(8, "0"),
  };
}

// --- actions

export const prompt = (text: string): Action => async ({ live, note }) => {
  note(`prompt ${JSON.stringify(text)}`);
  note(describeOutcome(await live.prompt(text)));
};

/** Starts a prompt, does something once the model was asked for the n-th time, and waits. */
export const promptAnd = (text: string, n: number, then: Action): Action => async (world) => {
  world.note(`prompt ${JSON.stringify(text)}`);
  const running = world.live.prompt(text);
  await world.model.asked(n);
  await then(world);
  world.note(describeOutcome(await running));
};

export const abort: Action = ({ live, note }) => {
  note("abort");
  // Not awaited: it resolves when the run has ended.
  void live.abort();
  return Promise.resolve();
};

/** Does something that must fail, and notes how. */
export const failing = (action: Action): Action => async (world) => {
  try {
    await action(world);
    world.note("did not fail");
  } catch (error) {
    world.note(`failed: ${error instanceof Error ? error.message : error}`);
  }
};

// --- the report

async function report({ session, model }: World, log: readonly string[]): Promise<string> {
  const nodes = await session.getTree();
  const leaf = session.leafId;
  const requests = model.requests.map((request, index) => describeRequest(index + 1, request));
  const context = (await session.buildContext()).messages.map((message) => `  ${brief(message)}`);
  return [
    "# tree",
    ...nodes.flatMap((node) => describeNode(node, 0, leaf)),
    ...(leaf === null ? ["leaf: none"] : []),
    "# context",
    ...context,
    "# requests",
    ...requests.flat(),
    "# events",
    ...log,
    "",
  ].join("\n");
}

function describeNode(node: TreeNode, depth: number, leaf: string | null): string[] {
  const { entry, label, children } = node;
  const marks = (label === undefined ? "" : ` (${label})`) + (entry.id === leaf ? "  <- leaf" : "");
  const own = `${"  ".repeat(depth)}${entry.id} ${describeEntry(entry)}${marks}`;
  const indent = children.length > 1 ? depth + 1 : depth;
  return [own, ...children.flatMap((child) => describeNode(child, indent, leaf))];
}

function describeEntry(entry: SessionEntry): string {
  switch (entry.type) {
    case "message":
      return brief(entry.message);
    case "model_change":
      return `model ${entry.provider}/${entry.modelId}`;
    case "thinking_level_change":
      return `thinking ${entry.thinkingLevel}`;
    case "compaction":
      return `compaction ${short(entry.summary)}, kept from ${entry.firstKeptEntryId}`;
    case "branch_summary":
      return `branch summary ${short(entry.summary)}, from ${entry.fromId}`;
    case "custom":
      return `custom ${entry.customType}`;
    case "custom_message":
      return `custom message ${short(textOf(entry.content))}`;
    case "context_edit":
      return `edit of ${entry.targetId}`;
    case "label":
      return `label of ${entry.targetId}: ${entry.label ?? "none"}`;
    case "session_info":
      return `name ${entry.name}`;
    case "usage":
      return `usage ${entry.kind}`;
    case "leaf":
      return `leaf ${entry.targetId}`;
  }
}

function describeRequest(n: number, request: ModelRequest): string[] {
  const tools = request.tools.map((tool) => tool.name).join(" ") || "none";
  return [
    `${n}. thinking ${request.thinkingLevel}, tools ${tools}`,
    ...request.messages.map((message) => `   ${brief(message)}`),
  ];
}

/** A message in one line. */
export function brief(message: Message): string {
  switch (message.role) {
    case "user":
    case "custom":
    case "system":
      return `${message.role} ${short(textOf(message.content))}`;
    case "assistant": {
      const calls = message.content.filter((block) => block.type === "toolCall");
      const names = calls.map((call) => ` [${call.id} ${call.name}]`).join("");
      return `assistant ${message.stopReason} ${short(textOf(message.content))}${names}`;
    }
    case "toolResult":
      return `${message.isError ? "error" : "result"} ${message.toolCallId} ${
        short(textOf(message.content))
      }`;
    case "bashExecution":
      return `bash ${short(message.command)} -> ${short(message.output)}`;
    case "branchSummary":
    case "compactionSummary":
      return `${message.role} ${short(message.summary)}`;
  }
}

const SHOWN_MAX = 60;
const EVENT_MAX = 240;

function short(text: string): string {
  return JSON.stringify(cut(text.replaceAll("\n", "⏎"), SHOWN_MAX));
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

function describeOutcome(outcome: RunOutcome): string {
  const { stopReason, turns, retries, compactions, error, aborted, saved } = outcome;
  return [
    `outcome ${stopReason}`,
    `turns ${turns}`,
    ...(retries ? [`retries ${retries}`] : []),
    ...(compactions ? [`compactions ${compactions}`] : []),
    ...(aborted ? ["aborted"] : []),
    ...(saved ? [] : ["not saved"]),
    ...(outcome.taken ? ["taken"] : []),
    ...(error ? [`error: ${error.message}`] : []),
  ].join(", ");
}

/** An event in one line; updates of a message are left out. */
function describeEvent(event: AgentSessionEvent): string | undefined {
  const { type } = event;
  switch (type) {
    case "message_update":
    case "message_start":
    case "turn_start":
      return undefined;
    case "message_end":
      return `${type} ${event.entryId ?? "-"} ${brief(event.message)}`;
    case "turn_end":
      return `${type} ${event.toolResults.length} results`;
    case "agent_end":
      return `${type}${event.willRetry ? " willRetry" : ""}`;
    case "agent_settled":
      return `${type}${event.aborted ? " aborted" : ""}`;
    case "entry_appended":
      return `${type} ${event.entry.id} ${describeEntry(event.entry)}`;
    case "queue_update":
      return `${type} steering ${JSON.stringify(event.steering)} followUp ${
        JSON.stringify(event.followUp)
      }`;
    case "compaction_end":
      return [
        `${type} ${event.reason}`,
        ...(event.result ? [`entry ${event.result.id}`] : []),
        ...(event.aborted ? ["aborted"] : []),
        ...(event.willRetry ? ["willRetry"] : []),
        ...(event.errorMessage === undefined ? [] : [`error: ${event.errorMessage}`]),
      ].join(", ");
    case "agent_start":
      return type;
    default:
      return cut(`${type} ${JSON.stringify({ ...event, type: undefined })}`, EVENT_MAX);
  }
}
