import { expect, test } from "bun:test";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelFacts } from "../../../lib/agent/mod.ts";
import { type ClientOptions, connectModel } from "../../../lib/runtime/config/clients.ts";

interface Asked {
  url: string | undefined;
  authorization: string | undefined;
  apiKey: unknown;
  team: unknown;
}

/** A provider that refuses every request and tells what it was asked. */
async function refusingServer() {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const { authorization, "x-api-key": apiKey, "x-team": team } = request.headers;
    asked.push({ url: request.url, authorization, apiKey, team });
    request.resume();
    response.writeHead(429, { "content-type": "application/json", "retry-after": "0" });
    response.end('{"error":{"type":"rate_limit_error","message":"slow down"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function factsOf(api: string): ModelFacts {
  return {
    provider: "p",
    id: "m",
    name: "m",
    api,
    contextWindow: 1000,
    maxTokens: 100,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

const REQUEST = {
  systemPrompt: "s",
  messages: [{ role: "user" as const, content: "hello", timestamp: 0 }],
  tools: [],
  thinkingLevel: "off" as const,
};

const CASES: [api: string, path: string, url: string, apiKeyHeader: string | undefined][] = [
  ["anthropic-messages", "", "/v1/messages", "k"],
  ["anthropic-messages", "/v1/", "/v1/messages", "k"],
  ["anthropic-messages", "/proxy", "/proxy/v1/messages", "k"],
  ["openai-responses", "/v1", "/v1/responses", undefined],
  ["openai-completions", "/v1/", "/v1/chat/completions", undefined],
  ["anthropic-messages", "/v1?at=1", "/v1/messages?at=1", "k"],
  ["openai-completions", "/v1/?at=1&b=%20", "/v1/chat/completions?at=1&b=%20", undefined],
];

for (const [api, path, url, apiKeyHeader] of CASES) {
  test(`connectModel() for ${api} at ${JSON.stringify(path)} asks once, with key and headers`, async () => {
    await using server = await refusingServer();
    const options: ClientOptions = { baseUrl: server.url + path, headers: { "x-team": "blue" } };
    const rest = { facts: factsOf(api), idleTimeoutMs: 5_000, compat: {} };
    const codes: unknown[] = [];
    for (
      const model of [
        await connectModel({ ...options, ...rest, apiKey: "k" }),
        await connectModel({ ...options, ...rest }),
      ]
    ) {
      const events = await Array.fromAsync(model.stream(REQUEST, new AbortController().signal));
      const last = events.at(-1);
      codes.push(last?.type === "failed" ? last.error?.code : last);
    }
    expect(codes).toEqual(["rate_limited", "rate_limited"]);
    expect(server.asked).toEqual([
      { url, authorization: "Bearer k", apiKey: apiKeyHeader, team: "blue" },
      { url, authorization: undefined, apiKey: undefined, team: "blue" },
    ]);
  });
}

test("connectModel() refuses a wire format that it does not know", async () => {
  const options = { baseUrl: "http://x", headers: {}, idleTimeoutMs: 1, compat: {} };
  await expect(connectModel({ ...options, facts: factsOf("morse") })).rejects.toThrow(
    'Cannot ask p/m: "morse" is no wire format that is spoken here',
  );
});
