/** A provider on the loopback that says what a test wants. It speaks Anthropic Messages. */

/** One answer: text, tool calls, or a response of another kind. */
export type ScriptedAnswer =
  | { text?: string; calls?: readonly ScriptedCall[]; stopReason?: string }
  | { status: number; body: unknown; headers?: Record<string, string> };

export interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface ReceivedRequest {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

const USAGE = { input_tokens: 100, output_tokens: 20 };

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

/** The event stream of an answer; `serial` makes its ids its own. */
function streamOf(
  { text, calls = [], stopReason }: {
    text?: string;
    calls?: readonly ScriptedCall[];
    stopReason?: string;
  },
  serial: number,
): string {
  const first = text === undefined ? 0 : 1;
  const message = {
    id: `msg_${serial}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...USAGE, output_tokens: 1 },
  };
  const reason = stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn");
  const events: StreamEvent[] = [
    { type: "message_start", message },
    ...(text === undefined ? [] : textEvents(0, text)),
    ...calls.flatMap((call, at) => callEvents(first + at, `toolu_${serial}_${at}`, call)),
    {
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: USAGE.output_tokens },
    },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** The n-th request gets the n-th answer; the last one is given again after that. */
export class ScriptedServer implements Disposable {
  readonly #server: ReturnType<typeof Bun.serve>;
  /** What was asked, in order. */
  readonly requests: ReceivedRequest[] = [];

  constructor(answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]) {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const headers = Object.fromEntries(request.headers);
        const path = new URL(request.url).pathname;
        const serial = this.requests.push({
          path,
          headers,
          body: JSON.parse(await request.text()),
        });
        const answer = answers[Math.min(serial, answers.length) - 1] ?? answers[0];
        if ("status" in answer) {
          const { status, body } = answer;
          return Response.json(body, { status, headers: answer.headers ?? {} });
        }
        const type = { "content-type": "text/event-stream" };
        return new Response(streamOf(answer, serial), { headers: type });
      },
    });
  }

  /** For `--base-url` or `ANTHROPIC_BASE_URL`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** An environment that makes it the provider: see `TempDirectory.env`. */
  get env(): Record<string, string> {
    return { ANTHROPIC_API_KEY: "scripted", ANTHROPIC_BASE_URL: this.url };
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}
