import { errorResult, OVERDUE, type Timer } from "../agent/mod.ts";
import type { SessionHooks } from "./hooks.ts";
import { withinGrace } from "./within_grace.ts";

/**
 * Hooks that hold up no aborted run for long: what has not come in time counts as nothing said, and
 * what was to be decided as cancelled. It may be the run's end that a hook waits for, with
 * `await abort()`. The hooks of what is typed stand before a run, and need none of it.
 */
export function patientHooks(
  hooks: SessionHooks,
  { signal, timer }: { signal: () => AbortSignal | undefined; timer: Timer },
): SessionHooks {
  const within = async <T>(value: Promise<T>, otherwise: T): Promise<T> => {
    const running = signal();
    if (!running) return await value;
    const found = await withinGrace(value, running, timer);
    return found === OVERDUE ? otherwise : found;
  };
  // Bound, since they may be the methods of an object with a state of its own.
  const afterToolCall = hooks.afterToolCall?.bind(hooks);
  const afterTree = hooks.afterTree?.bind(hooks);
  const beforeAgentStart = hooks.beforeAgentStart?.bind(hooks);
  const beforeCompact = hooks.beforeCompact?.bind(hooks);
  const beforeSettle = hooks.beforeSettle?.bind(hooks);
  const beforeToolCall = hooks.beforeToolCall?.bind(hooks);
  const beforeTree = hooks.beforeTree?.bind(hooks);
  const command = hooks.command?.bind(hooks);
  const context = hooks.context?.bind(hooks);
  const expand = hooks.expand?.bind(hooks);
  const input = hooks.input?.bind(hooks);
  const observe = hooks.observe?.bind(hooks);
  const turnEnd = hooks.turnEnd?.bind(hooks);
  const userBash = hooks.userBash?.bind(hooks);
  // A hook may have been about to take something out of the result.
  const withheld = errorResult("The call was aborted.");
  return {
    ...(command && { command }),
    ...(expand && { expand }),
    ...(input && { input }),
    ...(userBash && { userBash }),
    ...(afterToolCall && { afterToolCall: (...all) => within(afterToolCall(...all), withheld) }),
    ...(afterTree && { afterTree: (move) => within(afterTree(move), undefined) }),
    ...(beforeAgentStart && { beforeAgentStart: (start) => within(beforeAgentStart(start), {}) }),
    ...(beforeCompact && { beforeCompact: (...all) => within(beforeCompact(...all), "cancel") }),
    ...(beforeSettle && { beforeSettle: () => within(beforeSettle(), false) }),
    ...(beforeToolCall &&
      { beforeToolCall: (...all) => within(beforeToolCall(...all), undefined) }),
    ...(beforeTree && { beforeTree: (...all) => within(beforeTree(...all), "cancel") }),
    ...(context &&
      { context: (messages, aborted) => within(context(messages, aborted), messages) }),
    ...(observe && { observe: (event) => within(observe(event), undefined) }),
    ...(turnEnd && { turnEnd: (turn) => within(turnEnd(turn), undefined) }),
  };
}
