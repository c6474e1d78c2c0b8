/**
 * One run: turns until there is nothing left to do (`docs/events.md`). A turn is one answer and its
 * tool calls. The loop keeps no list of messages: each model call asks for the context again.
 */
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "../session/mod.ts";
import { type Answer, ask, type AskPorts, type RequestHooks } from "./ask.ts";
import { ModelError } from "./model.ts";
import type { MessageQueue } from "./queue.ts";
import { runToolCalls, type ToolCallHooks, toolResultMessage } from "./tool_calls.ts";

/** How many answers in a row may be cut off in the middle of their tool calls. */
const CUT_ANSWERS_MAX = 3;

/** What follows a turn: another one whatever else waits, the end, or what the queues say. */
export type AfterTurn = "another" | "stop" | undefined;

/** What a run can be told at its joints. Each may be absent. */
export interface RunHooks extends RequestHooks, ToolCallHooks {
  /** Keeps a finished message. A rejection ends the run: nothing is done that is not kept. */
  commit?(message: Message): Promise<void>;
  /** Between two model calls: the place to compact, to stop, or to ask for one more round. */
  afterTurn?(turn: Turn, signal: AbortSignal): Promise<AfterTurn>;
  /** Whether the run that ends is about to be tried again. */
  willRetry?(end: RunEnd): boolean;
}

/** One answer and the results of its calls. */
export interface Turn {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
}

/** How a run ended. */
export interface RunEnd {
  /** The messages that the run added, in order. */
  messages: Message[];
  turns: number;
  /** The last answer, also one that failed. */
  last?: AssistantMessage;
  /** Why it ended badly: the model's failure, or a message that could not be kept. */
  error?: ModelError | Error;
  aborted: boolean;
}

export interface RunPorts extends AskPorts {
  readonly steering: MessageQueue;
  readonly followUps: MessageQueue;
  readonly hooks: RunHooks;
}

/** Runs until nothing is left to do. Resolves always; what went wrong stands in the result. */
export async function run(
  ports: RunPorts,
  prompts: readonly Message[],
  signal: AbortSignal,
): Promise<RunEnd> {
  const end: RunEnd = { messages: [], turns: 0, aborted: false };
  await ports.emit({ type: "agent_start" });
  try {
    await takeTurns(ports, prompts, end, signal);
  } catch (error) {
    end.error = error instanceof Error ? error : new Error(String(error));
  }
  if (signal.aborted) end.aborted = true;
  await ports.emit({
    type: "agent_end",
    messages: end.messages,
    willRetry: ports.hooks.willRetry?.(end) ?? false,
    ...(end.error instanceof ModelError ? { error: end.error } : {}),
  });
  return end;
}

async function takeTurns(
  ports: RunPorts,
  prompts: readonly Message[],
  end: RunEnd,
  signal: AbortSignal,
): Promise<void> {
  let arriving = prompts;
  let cutAnswers = 0;
  for (;;) {
    await ports.emit({ type: "turn_start" });
    for (const message of [...arriving, ...ports.steering.take()]) await add(ports, end, message);
    const answer = await ask(ports, signal);
    end.turns++;
    end.last = answer.message;
    await add(ports, end, answer.message, { started: answer.started });
    if (answer.message.stopReason === "error" || answer.message.stopReason === "aborted") {
      if (answer.error) end.error = answer.error;
      end.aborted = answer.message.stopReason === "aborted";
      await ports.emit({ type: "turn_end", message: answer.message, toolResults: [] });
      return;
    }
    const turn = { message: answer.message, toolResults: await act(ports, end, answer, signal) };
    await ports.emit({ type: "turn_end", ...turn });
    if (signal.aborted) return;
    const after = await ports.hooks.afterTurn?.(turn, signal);
    if (after === "stop" || signal.aborted) return;
    cutAnswers = wasCutInCalls(turn) ? cutAnswers + 1 : 0;
    if (cutAnswers >= CUT_ANSWERS_MAX) return;
    const goesOn = after === "another" || turn.toolResults.length > 0 ||
      ports.steering.waiting.length > 0;
    arriving = goesOn ? [] : ports.followUps.take();
    if (!goesOn && arriving.length === 0) return;
  }
}

function wasCutInCalls(turn: Turn): boolean {
  return turn.message.stopReason === "length" && turn.toolResults.length > 0;
}

/** Emits a finished message: kept first, told afterwards. */
async function add(
  ports: RunPorts,
  end: RunEnd,
  message: Message,
  options: { started?: boolean } = {},
): Promise<void> {
  if (!options.started) await ports.emit({ type: "message_start", message });
  await ports.hooks.commit?.(message);
  end.messages.push(message);
  await ports.emit({ type: "message_end", message });
}

/** Runs the answer's calls, or says why they do not run; the results are added in their order. */
async function act(
  ports: RunPorts,
  end: RunEnd,
  answer: Answer,
  signal: AbortSignal,
): Promise<ToolResultMessage[]> {
  const calls = answer.message.content.filter((block): block is ToolCall =>
    block.type === "toolCall"
  );
  const added: ToolResultMessage[] = [];
  const keep = async (message: ToolResultMessage) => {
    await add(ports, end, message);
    added.push(message);
  };
  if (answer.message.stopReason === "length") {
    for (const call of calls) {
      await keep(toolResultMessage(call, cutCallResult(call), ports.timer.now()));
    }
    return added;
  }
  await runToolCalls(calls, {
    tools: ports.state().tools,
    emit: ports.emit,
    keep,
    hooks: ports.hooks,
    timer: ports.timer,
  }, signal);
  return added;
}

function cutCallResult(call: ToolCall) {
  return {
    content: [{
      type: "text" as const,
      text:
        `The call of ${call.name} was not run: the answer was cut off at the output limit, so its ` +
        `arguments may be incomplete. Call it again, with less at a time.`,
    }],
    isError: true,
  };
}
