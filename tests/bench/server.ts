/** A provider on the loopback that gives the same short answer to everything, at once. */
import { anthropicAnswer } from "../support/anthropic_answer.ts";

const BODY = anthropicAnswer({ text: "A short answer of a few words. ".repeat(3) }).text;

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
