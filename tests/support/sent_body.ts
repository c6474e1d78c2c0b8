/** What an adapter sends: one exchange with a scripted server. */
import { expect } from "bun:test";
import type { ModelRequest } from "../../lib/agent/mod.ts";
import type { Message } from "../../lib/session/mod.ts";
import { hear, requestFor, testModel, type TestModelOptions, type WireFormat } from "./models.ts";
import { ScriptedServer } from "./scripted_server.ts";

/**
 * Makes a function that gives the body of the request that a context leads to. `path` is where the
 * request has to go, `reply` the stream that answers it.
 */
export function bodySender(api: WireFormat, { path, reply }: { path: string; reply: string }) {
  return async (
    messages: Message[],
    more: Partial<ModelRequest> = {},
    options: TestModelOptions = {},
  ): Promise<Record<string, unknown>> => {
    await using server = await ScriptedServer.start([{ text: reply }]);
    const model = testModel(api, server.url, options);
    await hear(model, requestFor(model, messages, more));
    expect(server.requests[0]?.path).toBe(path);
    return server.bodies()[0] ?? {};
  };
}
