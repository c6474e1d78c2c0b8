/** What each command does with the conversation. */
import type { ImageContent } from "../../../session/mod.ts";
import type { AgentSession } from "../../agent_session.ts";
import { treeNodes } from "../../commands/session/tree_nodes.ts";
import type { ModelRegistry } from "../../config/mod.ts";
import type { AgentSessionRuntime, SwitchOutcome } from "../../runtime.ts";
import { CommandError } from "./answer.ts";
import type { CommandOf, RpcCommand } from "./command.ts";
import { exportSession } from "./export.ts";
import { messagesOf, placeOf, stateOf } from "./state.ts";

/** What rpc mode needs of a directory's services. */
export interface RpcServices {
  readonly models: Pick<ModelRegistry, "choose" | "check" | "create">;
}

/** What rpc mode needs of a runtime. */
export interface RpcRuntime extends
  Pick<
    AgentSessionRuntime,
    "session" | "start" | "newSession" | "switchSession" | "fork" | "clone" | "dispose"
  > {
  readonly services: RpcServices;
  /** Calls back with each session that takes the place of another. */
  onRebind(rebind: () => void | Promise<void>): () => void;
}

/** All but those that are about the client itself. */
export type Task = Exclude<RpcCommand, { type: "prompt" | "shutdown" }>;

/** Does what a command asks for; resolves with the data of its answer. */
export async function perform(command: Task, runtime: RpcRuntime): Promise<unknown> {
  const { session } = runtime;
  switch (command.type) {
    case "steer":
      assertRunning(session, "steer");
      return await session.steer(command.message, imagesOf(command));
    case "follow_up":
      assertRunning(session, "follow up");
      return await session.followUp(command.message, imagesOf(command));
    case "abort":
      return await abort(session);
    case "get_state":
      return await stateOf(session);
    case "get_messages":
      return await messagesOf(session);
    case "get_tree":
      return { nodes: treeNodes(await session.session.getOutline()) };
    case "set_model":
      return await setModel(command, runtime);
    case "set_thinking_level":
      return { level: await session.setThinkingLevel(command.level) };
    case "compact":
      return await compact(command, session);
    case "new_session":
      return told(await runtime.newSession(given(command, "cwd")), runtime);
    case "switch_session":
      return told(await runtime.switchSession(command.session, given(command, "cwd")), runtime);
    case "fork":
      return told(await runtime.fork(command.entryId, given(command, "position")), runtime);
    case "clone":
      return told(await runtime.clone(), runtime);
    case "navigate_tree":
      return await navigate(command, session);
    case "set_label":
      return await session.setLabel(command.entryId, command.label ?? "");
    case "set_session_name":
      return await session.setSessionName(command.name);
    case "bash":
      return await session.executeBash(command.command, {
        exclude: command.excludeFromContext === true,
      });
    case "export":
      return await exportSession(session.session, command);
  }
}

/** One field of a command as options, absent where it was not given. */
function given<C extends object, K extends keyof C>(command: C, key: K): Pick<C, K> | object {
  return command[key] === undefined ? {} : { [key]: command[key] };
}

function imagesOf({ images = [] }: { images?: ImageContent[] }): ImageContent[] {
  return images;
}

function assertRunning({ isRunning }: AgentSession, what: string): void {
  if (isRunning) return;
  throw new CommandError("idle", `Cannot ${what}: nothing is going on; send a prompt`);
}

/** What was queued is handed back: nothing of it is to start by itself later. */
async function abort(session: AgentSession) {
  const aborted = session.isRunning;
  const queue = await session.clearQueue();
  await session.abort();
  return { aborted, ...queue };
}

async function setModel(
  { modelId, provider }: CommandOf<"set_model">,
  { session, services: { models } }: RpcRuntime,
) {
  const { facts, thinkingLevel } = await models.choose({
    model: modelId,
    ...(provider === undefined ? {} : { provider }),
  });
  await models.check(facts);
  await session.setModel(models.create(facts));
  if (thinkingLevel !== undefined) await session.setThinkingLevel(thinkingLevel);
  return { model: facts, thinkingLevel: session.thinkingLevel };
}

async function compact({ customInstructions }: CommandOf<"compact">, session: AgentSession) {
  const entry = await session.compact(customInstructions);
  return entry ? { cancelled: false, entry } : { cancelled: true };
}

async function navigate(command: CommandOf<"navigate_tree">, session: AgentSession) {
  const { entryId, summarize = false, customInstructions, label } = command;
  return await session.navigateTree(entryId, {
    summarize,
    ...(customInstructions === undefined ? {} : { instructions: customInstructions }),
    ...(label === undefined ? {} : { label }),
  });
}

function told(outcome: SwitchOutcome, { session }: RpcRuntime) {
  return { ...outcome, ...placeOf(session) };
}
