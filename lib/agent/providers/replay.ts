import { type AssistantMessage, type Message, noUsage } from "../../session/mod.ts";
import type { Model, ModelEvent, ModelFacts } from "../model.ts";
import { systemTimer, type Timer } from "../timer.ts";
import { Answer } from "./answer.ts";

/** Characters in one delta. */
const PIECE_LENGTH = 24;

const REPLAY_FACTS: ModelFacts = {
  provider: "replay",
  id: "replay",
  name: "replay",
  api: "replay",
  contextWindow: 1_000_000,
  maxTokens: 1_000_000,
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** A message of a recording. An answer needs only its content. */
export type RecordedMessage =
  | Message
  | Pick<AssistantMessage, "role" | "content"> & Partial<AssistantMessage>;

type RecordedAnswer = Extract<RecordedMessage, { role: "assistant" }>;

/**
 * A model that answers from a recording: the n-th call of this model gets the n-th assistant message
 * of `messages`, in pieces as a provider would send it. Recorded answers that failed or were aborted
 * are passed over. It counts its calls, not the answers in the context: so a run that goes on in a
 * session starts the recording anew, and a compaction's call takes an answer, too. Usage is told as
 * recorded, its cost by `facts` (nothing, if left out). After the last answer a call fails.
 *
 * @example
 * ```ts
 * import { Agent, replayModel } from "bough";
 *
 * const hello = { type: "text", text: "Hello." } as const;
 * const model = replayModel({ messages: [{ role: "assistant", content: [hello] }] });
 * await new Agent({ model }).prompt("Say hello.");
 * ```
 */
export function replayModel(
  options: { messages: readonly RecordedMessage[]; facts?: Partial<ModelFacts>; timer?: Timer },
): Model {
  const facts = { ...REPLAY_FACTS, ...options.facts };
  const timer = options.timer ?? systemTimer;
  const recorded = options.messages.filter((message): message is RecordedAnswer =>
    message.role === "assistant" && message.stopReason !== "error" &&
    message.stopReason !== "aborted"
  );
  let calls = 0;
  return {
    facts,
    stream: (_request, signal) => {
      const message = recorded[calls++];
      const answer = new Answer(facts, timer.now());
      return message
        ? replay(message, answer, signal)
        : fail(answer, `the recording ends after ${recorded.length} answers`);
    },
  };
}

async function* replay(
  message: RecordedAnswer,
  answer: Answer,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, void> {
  yield { type: "start" };
  for (const block of message.content) {
    const { place, whole } = startBlock(block, answer);
    for (const piece of pieces(whole)) {
      if (signal.aborted) return yield* abort(answer);
      answer.append(place, piece);
      yield* answer.take();
    }
    signBlock(block, place, answer);
    answer.end(place);
  }
  if (signal.aborted) return yield* abort(answer);
  const { input, output, cacheRead, cacheWrite } = message.usage ?? noUsage();
  answer.count({ input, output, cacheRead, cacheWrite });
  answer.finish(finishOf(message));
  yield* answer.take();
}

/** How an answer ended: as recorded, else as its content says. */
function finishOf({ content, stopReason }: RecordedAnswer): "stop" | "length" | "toolUse" {
  const hasCalls = content.some(({ type }) => type === "toolCall");
  switch (stopReason ?? (hasCalls ? "toolUse" : "stop")) {
    case "length":
      return "length";
    case "toolUse":
      return "toolUse";
    case "stop":
    case "error":
    case "aborted":
      return "stop";
  }
}

async function* fail(answer: Answer, reason: string): AsyncGenerator<ModelEvent, void, void> {
  yield { type: "start" };
  answer.fail(answer.failure("bad_request", reason));
  yield* answer.take();
}

function* abort(answer: Answer): Generator<ModelEvent, void, void> {
  answer.abort();
  yield* answer.take();
}

type Block = AssistantMessage["content"][number];

function startBlock(block: Block, answer: Answer): { place: number; whole: string } {
  switch (block.type) {
    case "text":
      return { place: answer.startText(), whole: block.text };
    case "thinking":
      return { place: answer.startThinking(), whole: block.thinking };
    case "toolCall":
      return {
        place: answer.startCall(block.id, block.name),
        whole: JSON.stringify(block.arguments),
      };
  }
}

function signBlock(block: Block, place: number, answer: Answer): void {
  switch (block.type) {
    case "text":
      if (block.textSignature) answer.sign(place, block.textSignature);
      break;
    case "thinking":
      if (block.redacted) answer.redact(place, block.thinkingSignature ?? "");
      else if (block.thinkingSignature) answer.sign(place, block.thinkingSignature);
      break;
    case "toolCall":
      break;
  }
}

/** Cut between whole characters. */
function* pieces(whole: string): Generator<string> {
  let start = 0;
  while (start < whole.length) {
    let end = start + PIECE_LENGTH;
    const code = whole.charCodeAt(end - 1);
    if (code >= 0xd800 && code <= 0xdbff) end++;
    yield whole.slice(start, end);
    start = end;
  }
}
