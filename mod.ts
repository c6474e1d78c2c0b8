/**
 * Bough as a library: sessions that are trees in plain files, an agent with tools, and what joins
 * them. It runs on Bun and on Deno, there also by URL, and imports no package: a provider's client
 * is handed in.
 *
 * @example
 * ```ts ignore
 * import Anthropic from "@anthropic-ai/sdk";
 * import {
 *   anthropicMessages, codingTools, createAgentSession, JsonlSessionRepo, modelFacts,
 * } from "bough";
 *
 * const cwd = process.cwd();
 * const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
 * const { session } = await createAgentSession({
 *   session: await repo.continueRecent(cwd) ?? await repo.create({ cwd }),
 *   model: anthropicMessages({
 *     client: new Anthropic({ maxRetries: 0 }),
 *     facts: await modelFacts("anthropic/claude-haiku-4-5"),
 *   }),
 *   tools: codingTools({ cwd }),
 * });
 * console.log((await session.prompt("What is this project?")).text);
 * await session.dispose();
 * ```
 *
 * @module
 */

// Sessions: entries, their tree, their files.
export {
  type Access,
  type AssistantMessage,
  type BashExecutionMessage,
  type BranchSummaryEntry,
  type BranchSummaryMessage,
  type Checkpoint,
  type Clock,
  type CompactionEntry,
  type CompactionSummaryMessage,
  type ContextEditEntry,
  type ContextItem,
  type Cost,
  type CustomEntry,
  type CustomMessage,
  type CustomMessageEntry,
  type Damage,
  type Durability,
  type EntryBase,
  type EntryType,
  type FileSystem,
  type ForkedSession,
  type ForkOptions,
  type ForkPoint,
  type HeldLock,
  type Ids,
  type ImageContent,
  JsonlSessionRepo,
  type JsonlSessionRepoOptions,
  type LabelEntry,
  type LeafEntry,
  type LockHolder,
  MemorySessionRepo,
  type Message,
  type MessageEntry,
  type ModelChangeEntry,
  type ModelRef,
  type NewBranchSummary,
  type NewCompaction,
  type NewCustomMessage,
  type NewSession,
  type Outline,
  type OutlineEntry,
  Session,
  type SessionContext,
  type SessionEntry,
  SessionError,
  type SessionErrorCode,
  type SessionHeader,
  type SessionInfoEntry,
  type SessionLock,
  type SessionSummary,
  type StopReason,
  type StoredMessage,
  type SystemMessage,
  type TextContent,
  textOf,
  type ThinkingContent,
  type ThinkingLevel,
  type ThinkingLevelChangeEntry,
  type ToolCall,
  type ToolResultMessage,
  type TreeNode,
  type Usage,
  type UsageEntry,
  type UserMessage,
} from "./lib/session/mod.ts";

// The agent: one run, its models and tools.
export {
  type AdapterOptions,
  Agent,
  type AgentEvent,
  type AgentListener,
  type AgentOptions,
  type AnthropicClient,
  anthropicMessages,
  type ArgumentsCheck,
  type AssistantMessageEvent,
  codingTools,
  type CompletionsCompat,
  defineTool,
  loadCatalogue,
  type Model,
  type ModelCost,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelFacts,
  modelFacts,
  type ModelRequest,
  openaiCompletions,
  type OpenAICompletionsClient,
  openaiResponses,
  type OpenAIResponsesClient,
  type PendingResponse,
  type QueueMode,
  readOnlyTools,
  type RecordedMessage,
  replayModel,
  type RequestOptions,
  type StandardSchema,
  type StandardTool,
  type Tool,
  type ToolCallContext,
  ToolError,
  type ToolOptions,
  type ToolResult,
  type ToolSpec,
} from "./lib/agent/mod.ts";

// A live conversation: both, joined.
export { AgentSession } from "./lib/runtime/agent_session.ts";
export {
  type AgentSessionOptions,
  type PromptOptions,
} from "./lib/runtime/agent_session_options.ts";
export { type CacheWarmingSettings } from "./lib/runtime/cache_warming.ts";
export { createAgentSession, type CreateAgentSessionOptions } from "./lib/runtime/create.ts";
export { type AgentSessionEvent } from "./lib/runtime/event.ts";
export { type AgentSessionListener } from "./lib/runtime/event_hub.ts";
export { type SessionHooks } from "./lib/runtime/hooks.ts";
export { type MoveOptions, type MoveOutcome } from "./lib/runtime/navigation.ts";
export { type RetrySettings } from "./lib/runtime/retry.ts";
export { type RunOutcome } from "./lib/runtime/run_tally.ts";
export { type SessionStats } from "./lib/runtime/stats.ts";
export {
  type CompactionConfig,
  CompactionError,
  type CompactionErrorCode,
} from "./lib/compaction/mod.ts";
