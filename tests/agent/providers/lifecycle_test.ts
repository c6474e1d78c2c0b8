/** A request always ends, and leaves nothing behind. */
import { expect, test } from "bun:test";
import * as net from "node:net";
import { systemTimer, type Timer } from "../../../lib/agent/mod.ts";
import { hear, requestFor, testModel, user, WIRE_FORMATS } from "../../support/models.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";

const HALF = {
  "anthropic-messages": 'data: {"type":"content_block_delta","index":0,' +
    '"delta":{"type":"text_delta","text":"half"}}\n\n',
  "openai-completions": 'data: {"choices":[{"delta":{"content":"half"}}]}\n\n',
  "openai-responses":
    'data: {"type":"response.output_text.delta","output_index":0,"delta":"half"}\n\n',
};

/** Waits until the server sees no connection: the client has let go. */
async function disconnected(server: ScriptedServer): Promise<void> {
  while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve));
}

function noSignal(): AbortSignal {
  return new AbortController().signal;
}

for (const api of WIRE_FORMATS) {
  test(`stream() of ${api} ends as aborted with what came`, async () => {
    await using server = await ScriptedServer.start([{ text: HALF[api], end: "hold" }]);
    const model = testModel(api, server.url);
    const abort = new AbortController();
    const events = [];
    for await (const event of model.stream(requestFor(model, [user("x")]), abort.signal)) {
      events.push(event);
      if (event.type === "text_delta") abort.abort();
    }
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: "failed",
      message: { stopReason: "aborted", content: [{ type: "text", text: "half" }] },
    });
    expect(last).not.toHaveProperty("error");
    await disconnected(server);
  });

  test(`stream() of ${api} leaves no timer when it is let go of at its start`, async () => {
    await using server = await ScriptedServer.start([{ text: HALF[api] }]);
    const sleeping = new Set<AbortSignal | undefined>();
    const timer: Timer = {
      ...systemTimer,
      async sleep(ms, signal) {
        sleeping.add(signal);
        await systemTimer.sleep(ms, signal);
        sleeping.delete(signal);
      },
    };
    const model = testModel(api, server.url, { timer });
    for await (const _start of model.stream(requestFor(model, [user("x")]), noSignal())) break;
    await Promise.resolve();
    expect(sleeping.size).toBe(0);
    expect(server.requests).toEqual([]);
  });

  test(`stream() of ${api} ends as aborted before the server has answered`, async () => {
    await using server = await ScriptedServer.start([{ stall: true }]);
    const model = testModel(api, server.url);
    const abort = new AbortController();
    const heard = hear(model, requestFor(model, [user("x")]), abort.signal);
    await server.received(1);
    abort.abort();
    expect((await heard).message.stopReason).toBe("aborted");
    await disconnected(server);
  });

  test(`stream() of ${api} sends nothing when it was aborted beforehand`, async () => {
    await using server = await ScriptedServer.start([{ text: HALF[api] }]);
    const model = testModel(api, server.url);
    const heard = await hear(model, requestFor(model, [user("x")]), AbortSignal.abort());
    expect(heard.message.stopReason).toBe("aborted");
    expect(server.requests).toEqual([]);
  });

  test(`stream() of ${api} fails as timed out when nothing comes, from the start or later`, async () => {
    for (const answer of [{ stall: true }, { text: HALF[api], end: "hold" }] as const) {
      await using server = await ScriptedServer.start([answer]);
      const model = testModel(api, server.url, { idleTimeoutMs: 60 });
      const heard = await hear(model, requestFor(model, [user("x")]));
      expect(heard.error?.code).toBe("timed_out");
      expect(heard.error?.message).toContain("nothing came for 0.06 s");
      await disconnected(server);
    }
  });

  test(`stream() of ${api} says where nobody answers`, async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const model = testModel(api, url);
    const heard = await hear(model, requestFor(model, [user("x")]));
    expect(heard.error?.code).toBe("unreachable");
    expect(heard.error?.message).toStartWith(`Cannot reach ${model.facts.provider} at ${url}`);
  });

  test(`stream() of ${api} lets go of a request that nobody listens to any more`, async () => {
    await using server = await ScriptedServer.start([{ text: HALF[api], end: "hold" }]);
    const model = testModel(api, server.url);
    const signal = new AbortController().signal;
    for await (const event of model.stream(requestFor(model, [user("x")]), signal)) {
      if (event.type === "text_delta") break;
    }
    await disconnected(server);
  });

  test(`stream() of ${api} shows what came instead of a stream`, async () => {
    await using server = await ScriptedServer.start([
      { text: "<html>log in</html>", headers: { "content-type": "text/html" } },
      { json: { error: { message: "no such deployment", type: "invalid_request_error" } } },
    ]);
    const model = testModel(api, server.url);
    const page = await hear(model, requestFor(model, [user("x")]));
    expect(page.error?.code).toBe("bad_request");
    expect(page.error?.message).toContain("<html>log in</html>");
    const json = await hear(model, requestFor(model, [user("x")]));
    expect(json.error?.code).toBe("bad_request");
    expect(json.error?.message).toContain("no such deployment");
  });

  test(`stream() of ${api} uses a connection again that ended by itself`, async () => {
    const text = WHOLE[api];
    await using server = await ScriptedServer.start([{ text }]);
    const model = testModel(api, server.url);
    for (let n = 0; n < 3; n++) {
      const heard = await hear(model, requestFor(model, [user("x")]));
      expect(heard.message.stopReason).toBe("stop");
    }
    expect(server.connectionCount).toBe(1);
  });
}

const WHOLE = {
  "anthropic-messages": HALF["anthropic-messages"] + 'data: {"type":"message_stop"}\n\n',
  "openai-completions": HALF["openai-completions"] + "data: [DONE]\n\n",
  "openai-responses": HALF["openai-responses"] +
    'data: {"type":"response.completed","response":{"status":"completed"}}\n\n',
};

test("stream() asks again without images when the provider refuses one", async () => {
  const image = {
    type: "image",
    mimeType: "image/png",
    data:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  } as const;
  for (const api of WIRE_FORMATS) {
    await using server = await ScriptedServer.start([
      { status: 400, json: { error: { message: "messages.0: Could not process image" } } },
      { text: WHOLE[api] },
    ]);
    const model = testModel(api, server.url);
    const content = [image, { type: "text", text: "x" } as const];
    const heard = await hear(model, requestFor(model, [{ role: "user", content, timestamp: 1 }]));
    expect(heard.message.stopReason).toBe("stop");
    const [first, second] = server.bodies().map((body) => JSON.stringify(body));
    expect(first).toContain(image.data);
    expect(second).not.toContain(image.data);
    expect(second).toContain("[An image was left out: the provider refused an image.]");
  }
});

/** A port on which nobody listens. */
function freePort(): Promise<number> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
