/** What an extension sees of Bough (`docs/extensions.md`). Types only. */
import type { ModelFacts, Tool, ToolCallContext, ToolResult } from "../../agent/mod.ts";
import type {
  AssistantMessage,
  CompactionEntry,
  ImageContent,
  Message,
  Session,
  SessionEntry,
  TextContent,
  ThinkingLevel,
  ToolResultMessage,
  Usage,
} from "../../session/mod.ts";
import type { CompactionReason } from "../event.ts";
import type { Delivery } from "../message_keeper.ts";
import type { StartReason } from "../runtime.ts";
import type * as helpers from "./helpers.ts";

export type { Delivery } from "../message_keeper.ts";

/** What each event tells. All of it is a copy: to change something, return it. */
export interface ExtensionEvents {
  /** The session is live. `reason` says how it came to be. */
  session_start: { reason: StartReason; previousSessionFile?: string };
  /** The session is about to be left; afterwards contexts and the API of this extension are stale. */
  session_shutdown: Record<never, never>;
  /** Another session is about to take this one's place. */
  session_before_switch: { reason: StartReason; file?: string };
  /** A fork of this session (a clone too) is about to take its place. */
  session_before_fork: { entryId: string | null; position: "before" | "at" };
  session_before_compact: {
    reason: CompactionReason;
    /** From the root to the leaf. */
    branch: SessionEntry[];
    /** What would be summarized, and what would be kept first; absent if nothing would. */
    plan?: { messages: Message[]; firstKeptEntryId: string };
    /** What the person wants of the summary. */
    instructions?: string;
  };
  session_compact: { reason: CompactionReason; entry: CompactionEntry };
  session_compact_failed: { reason: CompactionReason; aborted: boolean; errorMessage?: string };
  /** The leaf is about to move to `targetId`. */
  session_before_tree: { targetId: string | null; fromId: string | null; summarize: boolean };
  /** The leaf was moved. `targetId` is the place that was asked for, `leafId` what is now the leaf. */
  session_tree: {
    targetId: string | null;
    fromId: string | null;
    leafId: string | null;
    summaryEntryId?: string;
  };
  /** Somebody typed this; it is no command. */
  input: { text: string; images: ImageContent[] };
  before_agent_start: { prompt: string; systemPrompt: string };
  /** The messages of the next request. */
  context: { messages: Message[] };
  agent_start: Record<never, never>;
  agent_end: { messages: Message[]; willRetry: boolean; errorMessage?: string };
  /** Nothing is left to do. */
  agent_before_settle: Record<never, never>;
  turn_start: Record<never, never>;
  turn_end: { message: AssistantMessage; toolResults: ToolResultMessage[] };
  /** The message is in the session. */
  message_end: { message: Message; entryId?: string };
  tool_call: { toolCallId: string; toolName: string; args: Record<string, unknown> };
  tool_result: {
    toolCallId: string;
    toolName: string;
    args: Record<string, unknown>;
    result: ToolResult;
  };
  /** Another model is asked from now on. */
  model_select: { provider: string; modelId: string };
  /** A person's `!command`, before it runs. */
  user_bash: { command: string };
}

export type ExtensionEventName = keyof ExtensionEvents;

/** A message of an extension: the model reads it as the user's, a person sees whose it is. */
export interface ExtensionMessage {
  customType: string;
  content: string | (TextContent | ImageContent)[];
  /** Whether people are shown it; `true` if absent. */
  display?: boolean;
  details?: unknown;
}

/** What follows: one more round, or the end of the run. */
export interface RoundWish {
  next?: "another" | "stop";
}

/** What a handler may return, besides nothing; events that are not named here take nothing. */
export interface ExtensionResults {
  session_before_switch: { cancel: boolean };
  session_before_fork: { cancel: boolean };
  session_before_compact:
    | { cancel: true }
    /** Without `firstKeptEntryId`, what the plan would keep is kept; `""` keeps nothing. */
    | { summary: string; firstKeptEntryId?: string; details?: unknown; usage?: Usage };
  session_before_tree: { cancel: true } | { summary: string; details?: unknown };
  /** `taken`: the extension has seen to it, nothing is sent. */
  input: { taken: true } | { text?: string; images?: ImageContent[] };
  before_agent_start: { messages?: ExtensionMessage[]; systemPrompt?: string };
  context: { messages: Message[] };
  turn_end: RoundWish;
  agent_before_settle: { next?: "another" };
  /** `block` is the reason, written for the model. */
  tool_call: { block: string } | { args: Record<string, unknown> };
  /** Takes the place of those parts of the result. */
  tool_result: Partial<ToolResult>;
  /** `block` is the reason. */
  user_bash: { block: string };
}

export type ExtensionResult<E extends ExtensionEventName> = E extends keyof ExtensionResults
  ? ExtensionResults[E]
  : undefined;

export type ExtensionHandler<E extends ExtensionEventName> = (
  event: ExtensionEvents[E],
  context: ExtensionContext,
) => ExtensionResult<E> | undefined | void | Promise<ExtensionResult<E> | undefined | void>;

export interface HandlerOptions {
  /**
   * For `tool_call` and `user_bash`: if the handler fails, what it guards is refused. Without it, a
   * handler that fails is left out.
   */
  failClosed?: boolean;
}

/** The session, to read. Entries are copies. */
export type SessionView =
  & Pick<Session, "id" | "cwd" | "file" | "name" | "leafId" | "labels">
  & Pick<Session, "getEntry" | "getEntries" | "getBranch" | "getTree" | "buildContext">;

export type NoticeLevel = "info" | "warning" | "error";

/** What a handler or a command works with. It is stale once its session was left. */
export interface ExtensionContext {
  readonly cwd: string;
  readonly session: SessionView;
  readonly model: ModelFacts;
  readonly thinkingLevel: ThinkingLevel;
  /** Whether a prompt, a compaction or a move in the tree is being worked on. */
  readonly isRunning: boolean;
  /** Aborts with the run, or when this call has taken too long. */
  readonly signal: AbortSignal;
  /** Whether there is a person to ask. Without one, `confirm`, `select` and `input` reject. */
  readonly hasUI: boolean;
  /** Tells the person something, or stderr where there is none. */
  notify(text: string, level?: NoticeLevel): void;
  confirm(question: string): Promise<boolean>;
  /** Resolves with undefined if the person wants none of them. */
  select(question: string, choices: readonly string[]): Promise<string | undefined>;
  input(question: string): Promise<string | undefined>;
}

/** How extensions reach a person: a mode implements it. */
export interface ExtensionUi {
  notify(text: string, level: NoticeLevel): void;
  /** Absent where nobody can answer. A question that is aborted may settle with anything. */
  readonly questions?: {
    confirm(question: string, signal: AbortSignal): Promise<boolean>;
    select(
      question: string,
      choices: readonly string[],
      signal: AbortSignal,
    ): Promise<string | undefined>;
    input(question: string, signal: AbortSignal): Promise<string | undefined>;
  };
}

/** A command: `/name args`. */
export interface ExtensionCommand {
  /** One line, for `/help`. */
  description: string;
  /** A text that is returned is sent as the prompt. */
  run(args: string, context: ExtensionContext): string | void | Promise<string | void>;
}

/** A tool; besides what every tool is given, its calls have the context of the extension. */
export interface ExtensionTool extends Omit<Tool, "execute"> {
  execute(
    args: Record<string, unknown>,
    call: ToolCallContext,
    context: ExtensionContext,
  ): Promise<ToolResult>;
}

export interface ExecOptions {
  /** The session's directory if absent; a relative path starts there. */
  cwd?: string;
  /** Added to the environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Written to stdin; without it stdin is empty. */
  stdin?: string;
  signal?: AbortSignal;
  /** 60,000 if absent. */
  timeoutMs?: number;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  /** 128 + n after signal n. */
  exitCode: number;
  /** The time limit or the signal ended it. */
  stopped: boolean;
  /** Only the first 10 MB of stdout or stderr are here. */
  truncated: boolean;
}

/** What the default export of an extension is given. Registrations are made before it returns. */
export interface ExtensionApi {
  /** The name that reports use: the file's, or that of its folder where the file is an `index`. */
  readonly name: string;
  /** What `bough/api` exports, for runtimes that cannot resolve it (Deno). */
  readonly helpers: typeof helpers;
  on<E extends ExtensionEventName>(
    event: E,
    handler: ExtensionHandler<E>,
    options?: HandlerOptions,
  ): void;
  /** Adds a tool; one with the name of a built-in tool takes its place. */
  registerTool(tool: ExtensionTool): void;
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Adds a provider with its models, described as in `models.json`. */
  registerProvider(name: string, description: Record<string, unknown>): void;
  /** Keeps state in the session, on this branch and outside the context. Resolves with its id. */
  appendEntry(customType: string, data?: unknown): Promise<string>;
  /** Says something to the model; a text is sent under the extension's name. */
  sendMessage(
    message: string | ExtensionMessage,
    options?: { deliver?: Delivery },
  ): Promise<void>;
  /** Labels an entry; no label takes it away. */
  setLabel(entryId: string, label?: string): Promise<void>;
  setSessionName(name: string): Promise<void>;
  /** Runs a program, without a shell, in a process group of its own. Rejects if it cannot start. */
  exec(program: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
}

/** The default export of an extension. */
export type Extension = (bough: ExtensionApi) => void | Promise<void>;
