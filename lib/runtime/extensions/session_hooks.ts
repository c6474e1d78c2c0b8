/** The hooks of a conversation, answered by the handlers of extensions. */
import type { ToolResult } from "../../agent/mod.ts";
import type { CustomMessage, Message } from "../../session/mod.ts";
import type { AgentSessionEvent } from "../event.ts";
import type { SessionHooks } from "../hooks.ts";
import type { ExtensionMessage } from "./api.ts";
import type { HandlerCalls } from "./handler_calls.ts";
import { customMessage } from "./registered.ts";

/** Hooks without `command` and `expand`. `now` is in ms since the epoch. */
export function sessionHooks(
  calls: HandlerCalls,
  now: () => number,
): Omit<SessionHooks, "command" | "expand"> {
  return {
    ...promptHooks(calls, now),
    ...toolHooks(calls),
    ...roundHooks(calls),
    ...treeHooks(calls),
    observe: (event) => observe(calls, event),
  };
}

function promptHooks(calls: HandlerCalls, now: () => number): SessionHooks {
  return {
    async input(typed, signal) {
      let input = typed;
      const payload = () => ({ text: input.text, images: structuredClone([...input.images]) });
      for await (const { answer } of calls.answers("input", payload, { signal })) {
        if ("taken" in answer) return "taken";
        input = { ...input, ...answer };
      }
      return input;
    },
    async beforeAgentStart(start) {
      let { systemPrompt } = start;
      const messages: CustomMessage[] = [];
      const payload = () => ({ prompt: start.prompt, systemPrompt });
      for await (const { answer, extension } of calls.answers("before_agent_start", payload)) {
        systemPrompt = answer.systemPrompt ?? systemPrompt;
        const added: ExtensionMessage[] = answer.messages ?? [];
        messages.push(...added.map((each) => customMessage(each, extension.name, now())));
      }
      return { messages, systemPrompt };
    },
    async context(context, signal) {
      if (!calls.has("context")) return context;
      let messages: Message[] = context;
      const payload = () => ({ messages: structuredClone(messages) });
      for await (const { answer } of calls.answers("context", payload, { signal })) {
        messages = answer.messages;
      }
      return messages;
    },
  };
}

function toolHooks(calls: HandlerCalls): SessionHooks {
  const refuse = (problem: string) => ({ block: `This was refused: ${problem}.` });
  return {
    async beforeToolCall(call, signal) {
      let changed: Record<string, unknown> | undefined;
      const payload = () => ({ ...call, args: structuredClone(changed ?? call.args) });
      for await (const { answer } of calls.answers("tool_call", payload, { signal, refuse })) {
        if ("block" in answer) return answer;
        changed = answer.args;
      }
      return changed && { args: changed };
    },
    async afterToolCall(call, given, signal) {
      let changed: ToolResult | undefined;
      const payload = () => ({
        ...call,
        args: structuredClone(call.args),
        result: { ...(changed ?? given), content: structuredClone((changed ?? given).content) },
      });
      for await (const { answer } of calls.answers("tool_result", payload, { signal })) {
        changed = { ...(changed ?? given), ...answer };
      }
      return changed;
    },
    async userBash(command, signal) {
      const options = { refuse, signal };
      for await (const { answer } of calls.answers("user_bash", () => ({ command }), options)) {
        return answer;
      }
      return undefined;
    },
  };
}

function roundHooks(calls: HandlerCalls): SessionHooks {
  return {
    async turnEnd(turn) {
      let next: "another" | "stop" | undefined;
      const payload = () =>
        structuredClone({ message: turn.message, toolResults: turn.toolResults });
      for await (const { answer } of calls.answers("turn_end", payload)) {
        if (next !== "stop") next = answer.next ?? next;
      }
      return next;
    },
    async beforeSettle() {
      let goesOn = false;
      for await (const { answer } of calls.answers("agent_before_settle", () => ({}))) {
        goesOn ||= answer.next === "another";
      }
      return goesOn;
    },
  };
}

function treeHooks(calls: HandlerCalls): SessionHooks {
  return {
    async beforeCompact(compaction, signal) {
      const ids = new Set(compaction.branch.map(({ id }) => id));
      const payload = () => structuredClone(compaction);
      const answers = calls.answers("session_before_compact", payload, { signal });
      for await (const { answer, extension } of answers) {
        if ("cancel" in answer) return "cancel";
        const firstKeptEntryId = answer.firstKeptEntryId ?? compaction.plan?.firstKeptEntryId ?? "";
        if (firstKeptEntryId === "" || ids.has(firstKeptEntryId)) {
          return { ...answer, firstKeptEntryId };
        }
        calls.report(
          extension,
          "the handler of session_before_compact",
          `would keep entry ${firstKeptEntryId} first, which is not on the branch`,
        );
      }
      return undefined;
    },
    async beforeTree(move, signal) {
      const answers = calls.answers("session_before_tree", () => ({ ...move }), { signal });
      for await (const { answer } of answers) return "cancel" in answer ? "cancel" : answer;
      return undefined;
    },
    async afterTree(move) {
      await calls.tell("session_tree", () => ({ ...move }));
    },
  };
}

/** What handlers may hear of without an answer. Deltas and progress are for listeners. */
async function observe(calls: HandlerCalls, event: AgentSessionEvent): Promise<void> {
  switch (event.type) {
    case "agent_start":
    case "turn_start":
      return await calls.tell(event.type, () => ({}));
    case "agent_end": {
      const { messages, willRetry, error } = event;
      return await calls.tell("agent_end", () => ({
        messages: structuredClone(messages),
        willRetry,
        ...(error ? { errorMessage: error.message } : {}),
      }));
    }
    case "message_end": {
      const { message, entryId } = event;
      return await calls.tell("message_end", () => ({
        message: structuredClone(message),
        ...(entryId === undefined ? {} : { entryId }),
      }));
    }
    case "model_changed": {
      const { provider, modelId } = event;
      return await calls.tell("model_select", () => ({ provider, modelId }));
    }
    case "compaction_end": {
      const { aborted, errorMessage, reason, result } = event;
      if (result) {
        return await calls.tell("session_compact", () => ({
          reason,
          entry: structuredClone(result),
        }));
      }
      return await calls.tell("session_compact_failed", () => ({
        reason,
        aborted,
        ...(errorMessage === undefined ? {} : { errorMessage }),
      }));
    }
    case "message_start":
    case "message_update":
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
    case "turn_end":
    case "agent_settled":
    case "queue_update":
    case "compaction_start":
    case "entry_appended":
    case "session_info_changed":
    case "thinking_level_changed":
    case "auto_retry_start":
    case "auto_retry_end":
    case "summarization_retry_scheduled":
    case "summarization_retry_attempt_start":
    case "summarization_retry_finished":
    case "bash_execution_update":
      return;
  }
}
