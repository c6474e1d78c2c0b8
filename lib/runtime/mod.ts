/** Live conversations. What needs the command line, settings files or zod is not in here. */
export { AgentSession } from "./agent_session.ts";
export { type AgentSessionOptions, type PromptOptions } from "./agent_session_options.ts";
export { type CacheWarmingSettings } from "./cache_warming.ts";
export { type AgentSessionListener } from "./event_hub.ts";
export { type AgentSessionEvent, type CompactionReason } from "./event.ts";
export { createAgentSession, type CreateAgentSessionOptions } from "./create.ts";
export {
  type CompactionIntent,
  type LeafMove,
  type SessionHooks,
  type SuppliedSummary,
  type UserInput,
} from "./hooks.ts";
export { type Delivery } from "./message_keeper.ts";
export { type MoveOptions, type MoveOutcome } from "./navigation.ts";
export { DEFAULT_RETRY, type RetrySettings } from "./retry.ts";
export { type RunOutcome } from "./run_tally.ts";
export { RunningError } from "./running_error.ts";
export {
  AgentSessionRuntime,
  type CommandSummary,
  type Conversation,
  type Prepared,
  type Rebind,
  type RuntimePorts,
  type StartReason,
  type SwitchIntent,
  type SwitchOutcome,
} from "./runtime.ts";
export { type SessionStats } from "./stats.ts";
export { type ShellOutcome, shellWith, type UserShell } from "./user_shell.ts";
