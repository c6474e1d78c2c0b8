/** Answers as Anthropic Messages sends them, for a `ScriptedServer`. */

export interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface ScriptedAnswer {
  text?: string;
  calls?: readonly ScriptedCall[];
  /** `tool_use` if there are calls, else `end_turn`. */
  stopReason?: string;
  /** Makes the ids of the message and of its calls its own. */
  id?: string;
}

interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

function textEvents(index: number, text: string): StreamEvent[] {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  return [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    ...words.map((word) => ({
      type: "content_block_delta",
      index,
      delta: { type: "text_delta", text: word },
    })),
    { type: "content_block_stop", index },
  ];
}

function callEvents(index: number, id: string, call: ScriptedCall): StreamEvent[] {
  const block = { type: "tool_use", id, name: call.name, input: {} };
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(call.arguments) };
  return [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}

/** The event stream of one answer. It reports 100 tokens in and 20 out. */
export function anthropicAnswer(
  { text, calls = [], stopReason, id = "1" }: ScriptedAnswer,
): { text: string } {
  const first = text === undefined ? 0 : 1;
  const message = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 1 },
  };
  const events: StreamEvent[] = [
    { type: "message_start", message },
    ...(text === undefined ? [] : textEvents(0, text)),
    ...calls.flatMap((call, at) => callEvents(first + at, `toolu_${id}_${at}`, call)),
    {
      type: "message_delta",
      delta: {
        stop_reason: stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn"),
        stop_sequence: null,
      },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ];
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return { text: lines.join("") };
}
