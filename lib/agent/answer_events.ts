import { AbortGrace, OVERDUE } from "./grace.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import type { Timer } from "./timer.ts";

/**
 * What a model says to a request. The events end without `done` or `failed` if the model goes on
 * after an abort for longer than it may: no model can hold up who has stopped waiting for it.
 */
export async function* answerEvents(
  model: Model,
  request: ModelRequest,
  { signal, timer }: { signal: AbortSignal; timer: Timer },
): AsyncGenerator<ModelEvent, void, void> {
  const grace = new AbortGrace(signal, timer);
  const events = model.stream(request, signal)[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await grace.race(events.next());
      isOver = next === OVERDUE || next.done === true;
      if (next === OVERDUE || next.done) return;
      yield next.value;
    }
  } catch (error) {
    isOver = true;
    throw error;
  } finally {
    const returned = isOver ? undefined : events.return?.();
    if (returned) await grace.race(returned);
    grace.end();
  }
}
