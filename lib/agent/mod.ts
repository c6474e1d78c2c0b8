/** One run of a model with tools. Knows no session, file or terminal. */
export {
  type Model,
  type ModelApi,
  type ModelCost,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  type ToolSpec,
} from "./model.ts";
export {
  type ArgumentsCheck,
  type Tool,
  type ToolCallContext,
  ToolError,
  type ToolResult,
} from "./tool.ts";
export { type AgentEvent, type AssistantMessageEvent } from "./event.ts";
export { invalidArgumentsOf, markInvalidArguments } from "./invalid_arguments.ts";
export { type ConversionTarget, type ProviderMessage, toProviderMessages } from "./convert.ts";
export { withSystemMessages } from "./context_text.ts";
export {
  type AdapterOptions,
  type AnthropicClient,
  anthropicMessages,
  type AskedModel,
  canKeepPromptCached,
  catalogueModel,
  checkImage,
  type CompletionsCompat,
  costOf,
  IDLE_TIMEOUT_MS,
  IMAGE_BYTES_MAX,
  IMAGE_SIDE_MAX,
  type ImageCheck,
  imageNote,
  loadCatalogue,
  MODEL_ERROR_FATE,
  modelErrorFrom,
  modelFacts,
  openaiCompletions,
  type OpenAICompletionsClient,
  openaiResponses,
  type OpenAIResponsesClient,
  type PendingResponse,
  type RecordedMessage,
  replayModel,
  type RequestOptions,
  retryAfter,
} from "./providers/mod.ts";
export { Agent, type AgentListener, type AgentOptions, userMessage } from "./agent.ts";
export { answerEvents } from "./answer_events.ts";
export { type RequestHooks, type RunState } from "./ask.ts";
export { type AfterTurn, type RunEnd, type RunHooks, type Turn } from "./loop.ts";
export { type ToolCallHooks } from "./tool_calls.ts";
export { errorResult } from "./tool_result.ts";
export { AbortGrace, OVERDUE } from "./grace.ts";
export { MessageQueue, type QueueMode } from "./queue.ts";
export { systemTimer, type Timer } from "./timer.ts";
export {
  checkArguments,
  defineTool,
  shapeOf,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  type StandardTool,
} from "./schema/mod.ts";
export {
  bashTool,
  codingTools,
  editTool,
  findTool,
  grepTool,
  lsTool,
  readOnlyTools,
  readTool,
  TOOL_NAMES,
  type ToolName,
  type ToolOptions,
  writeTool,
} from "./tools/mod.ts";
export type { BashDetails, EditDetails, ReadDetails } from "./tools/mod.ts";
export type { IgnoreFactory, IgnoreRules } from "./tools/mod.ts";
export {
  childEnvironment,
  findRipgrep,
  ProcessGroups,
  runShell,
  type ShellOptions,
  type ShellResult,
} from "./tools/mod.ts";
export { Listeners } from "./listeners.ts";
