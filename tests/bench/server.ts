/** A provider on the loopback that gives the same short answer to everything, at once. */

const EVENTS: readonly { type: string; [field: string]: unknown }[] = [
  {
    type: "message_start",
    message: {
      id: "msg_bench",
      type: "message",
      role: "assistant",
      model: "claude-haiku-4-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...Array.from({ length: 20 }, (_, word) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: `word ${word} ` },
  })),
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 40 },
  },
  { type: "message_stop" },
];

const BODY = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(
  "",
);

/** Starts it; speaks Anthropic Messages. */
export function startServer(): { url: string } & Disposable {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      await request.text();
      return new Response(BODY, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}
