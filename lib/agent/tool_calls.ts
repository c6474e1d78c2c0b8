/** Runs the calls of one answer: prepare, execute, finalize, each call for itself. */
import { reasonOf, type ToolCall, type ToolResultMessage } from "../session/mod.ts";
import type { AgentEvent } from "./event.ts";
import { AbortGrace, OVERDUE } from "./grace.ts";
import { invalidArgumentsOf } from "./invalid_arguments.ts";
import { checkArguments } from "./schema/mod.ts";
import type { Timer } from "./timer.ts";
import type { ArgumentsCheck, Tool, ToolResult } from "./tool.ts";
import { errorResult, fitResult } from "./tool_result.ts";

/** How much of arguments that could not be read is shown to the model. */
const RAW_ARGUMENTS_MAX = 2_000;

/** What may look at a call before and after it runs. */
export interface ToolCallHooks {
  /** Refuses a call (with the reason for the model) or changes its arguments. */
  beforeToolCall?(
    call: { toolCallId: string; toolName: string; args: Record<string, unknown> },
    signal: AbortSignal,
  ): Promise<{ block: string } | { args: Record<string, unknown> } | undefined>;
  /** Changes a result before it is kept. */
  afterToolCall?(
    call: { toolCallId: string; toolName: string; args: Record<string, unknown> },
    result: ToolResult,
    signal: AbortSignal,
  ): Promise<ToolResult | undefined>;
}

export interface ToolCallPorts {
  tools: readonly Tool[];
  emit(event: AgentEvent): Promise<void>;
  /** Takes each result, in the order of the calls. */
  keep(message: ToolResultMessage): Promise<void>;
  hooks: ToolCallHooks;
  timer: Timer;
}

/**
 * Runs calls side by side, but for tools that must run alone; results are kept in the order of the
 * calls, each as soon as it and all before it are there. Every call gets a result, also when the
 * run is aborted. If one cannot be kept the others are stopped: nothing that they do would be known.
 */
export async function runToolCalls(
  calls: readonly ToolCall[],
  ports: ToolCallPorts,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  for (const group of groupCalls(calls, ports.tools)) {
    const running = group.map((call) => runCall(call, ports, stop));
    try {
      for (const [index, result] of running.entries()) {
        const call = group[index];
        if (call) await ports.keep(toolResultMessage(call, await result, ports.timer.now()));
      }
    } catch (error) {
      failed.abort();
      await Promise.allSettled(running);
      throw error;
    }
  }
}

/** Neighbours that may run side by side; a call of a tool that must run alone is its own group. */
function groupCalls(calls: readonly ToolCall[], tools: readonly Tool[]): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let open: ToolCall[] | undefined;
  for (const call of calls) {
    const alone = tools.find((tool) => tool.name === call.name)?.alone === true;
    if (!open || alone) groups.push(open = []);
    open.push(call);
    if (alone) open = undefined;
  }
  return groups;
}

async function runCall(
  call: ToolCall,
  ports: ToolCallPorts,
  signal: AbortSignal,
): Promise<ToolResult> {
  const startedAt = ports.timer.now();
  const named = { toolCallId: call.id, toolName: call.name };
  await ports.emit({ type: "tool_execution_start", ...named, args: call.arguments });
  const prepared = await prepare(call, ports, signal);
  let result = "refusal" in prepared
    ? prepared.refusal
    : await execute(prepared.tool, prepared.args, call, ports, signal);
  if (!("refusal" in prepared) && ports.hooks.afterToolCall) {
    const changed = await ports.hooks.afterToolCall(
      { ...named, args: prepared.args },
      result,
      signal,
    )
      .catch((error) => errorResult(`A hook failed on this result: ${reasonOf(error)}`));
    if (changed) result = fitResult(changed, call.name);
  }
  await ports.emit({
    type: "tool_execution_end",
    ...named,
    result,
    isError: result.isError === true,
    durationMs: ports.timer.now() - startedAt,
    ...("refusal" in prepared && prepared.denied ? { denied: true } : {}),
  });
  return result;
}

type Prepared = { tool: Tool; args: Record<string, unknown> } | {
  refusal: ToolResult;
  denied?: true;
};

/** Finds the tool, checks the arguments and asks the hooks: all that may refuse a call. */
async function prepare(
  call: ToolCall,
  ports: ToolCallPorts,
  signal: AbortSignal,
): Promise<Prepared> {
  if (signal.aborted) return { refusal: abortedResult() };
  const tool = ports.tools.find((each) => each.name === call.name);
  if (!tool) {
    const names = ports.tools.map((each) => each.name).join(", ") || "none";
    return {
      refusal: errorResult(`There is no tool named ${call.name}. The tools are: ${names}.`),
    };
  }
  const raw = invalidArgumentsOf(call);
  if (raw !== undefined) {
    return {
      refusal: errorResult(
        `The call of ${call.name} was not run: its arguments are not valid JSON. They were:\n` +
          `${raw.slice(0, RAW_ARGUMENTS_MAX).toWellFormed()}\nSend the call again with valid JSON.`,
      ),
    };
  }
  try {
    const checked = await check(tool, call.arguments);
    if (!checked.ok) return { refusal: misfit(call, checked.problem) };
    const decision = await ports.hooks.beforeToolCall?.({
      toolCallId: call.id,
      toolName: call.name,
      args: checked.args,
    }, signal);
    // A hook may have asked a person, who chose to stop the run instead.
    if (signal.aborted) return { refusal: abortedResult() };
    if (decision && "block" in decision) {
      return { refusal: errorResult(decision.block), denied: true };
    }
    if (!decision) return { tool, args: checked.args };
    const changed = await check(tool, decision.args);
    return changed.ok
      ? { tool, args: changed.args }
      : { refusal: misfit(call, `an extension changed its arguments: ${changed.problem}`) };
  } catch (error) {
    return {
      refusal: errorResult(`The call of ${call.name} was not run: ${reasonOf(error)}`),
    };
  }
}

async function check(tool: Tool, args: Record<string, unknown>): Promise<ArgumentsCheck> {
  return tool.check ? await tool.check(args) : checkArguments(tool.parameters, args);
}

function misfit(call: ToolCall, problem: string): ToolResult {
  return errorResult(`The call of ${call.name} was not run: ${problem}`);
}

async function execute(
  tool: Tool,
  args: Record<string, unknown>,
  call: ToolCall,
  ports: ToolCallPorts,
  signal: AbortSignal,
): Promise<ToolResult> {
  let updates = Promise.resolve();
  let ended = false;
  const onUpdate = (partialResult: ToolResult) => {
    if (ended) return;
    updates = updates.then(() =>
      ports.emit({
        type: "tool_execution_update",
        toolCallId: call.id,
        toolName: call.name,
        partialResult,
      })
    );
  };
  const grace = new AbortGrace(signal, ports.timer);
  try {
    const returned = await grace.race(
      tool.execute(args, { toolCallId: call.id, signal, onUpdate }),
    );
    if (returned === OVERDUE) return abortedResult();
    const result = fitResult(returned, tool.name);
    return signal.aborted ? { ...result, isError: true } : result;
  } catch (error) {
    return errorResult(signal.aborted ? ABORTED : reasonOf(error));
  } finally {
    grace.end();
    ended = true;
    await updates;
  }
}

const ABORTED = "The call was aborted.";

function abortedResult(): ToolResult {
  return errorResult(ABORTED);
}

/** A result as the message that is kept. */
export function toolResultMessage(
  call: ToolCall,
  result: ToolResult,
  timestamp: number,
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: result.content,
    ...(result.details === undefined ? {} : { details: result.details }),
    isError: result.isError === true,
    timestamp,
  };
}
