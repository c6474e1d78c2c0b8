/** One tiny request to a model, to see whether it answers. */
import { answerEvents, type Model, ModelError, type Timer } from "../../agent/mod.ts";

/** What came of asking. */
export type Asked =
  | { readonly kind: "answered"; readonly durationMs: number }
  | { readonly kind: "failed"; readonly error: ModelError };

const WAIT_MS = 30_000;
/** The least that every provider accepts. */
const ANSWER_TOKENS_MAX = 16;

/** Asks for one word, and waits half a minute at most; a model that was not heard of has failed. */
export async function askOnce(
  model: Model,
  { timer, signal }: { timer: Timer; signal: AbortSignal },
): Promise<Asked> {
  const ended = new AbortController();
  const patience = new AbortController();
  const startedAt = timer.now();
  const wait = timer.sleep(WAIT_MS, AbortSignal.any([ended.signal, signal]))
    .then(() => patience.abort());
  try {
    const events = answerEvents(model, {
      systemPrompt: "",
      messages: [{ role: "user", content: "Say OK.", timestamp: startedAt }],
      tools: [],
      thinkingLevel: "off",
      maxTokens: ANSWER_TOKENS_MAX,
      cache: false,
    }, { signal: AbortSignal.any([patience.signal, signal]), timer });
    for await (const event of events) {
      if (event.type === "done") {
        return { kind: "answered", durationMs: timer.now() - startedAt };
      }
      if (event.type === "failed" && event.error) return { kind: "failed", error: event.error };
    }
    const { provider, id } = model.facts;
    const message = `Cannot reach ${provider}/${id}: no answer came within ${WAIT_MS / 1000} s; ` +
      "check the network and the base URL";
    return { kind: "failed", error: new ModelError("timed_out", message) };
  } finally {
    ended.abort();
    await wait;
  }
}
