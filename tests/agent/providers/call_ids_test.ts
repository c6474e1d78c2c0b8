import { expect, test } from "bun:test";
import { hear, requestFor, testModel, user, WIRE_FORMATS } from "../../support/models.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";

function stream(...events: object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

/** Two calls with one id, and one without. */
const CALLS = {
  "anthropic-messages": stream(
    ...["same", "same", ""].flatMap((id, index) => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "t" } },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
    { type: "message_stop" },
  ),
  "openai-completions": stream(
    ...["same", "same", ""].map((id, index) => ({
      choices: [{ delta: { tool_calls: [{ index, id, function: { name: "t", arguments: "" } }] } }],
    })),
    { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
  ) + "data: [DONE]\n\n",
  "openai-responses": stream(
    ...["same", "same", ""].map((call_id, output_index) => ({
      type: "response.output_item.done",
      output_index,
      item: { type: "function_call", call_id, name: "t", arguments: "{}" },
    })),
    { type: "response.completed", response: {} },
  ),
};

for (const api of WIRE_FORMATS) {
  test(`stream() of ${api} gives each call of an answer an id of its own`, async () => {
    await using server = await ScriptedServer.start([{ text: CALLS[api] }]);
    const model = testModel(api, server.url);
    const { message } = await hear(model, requestFor(model, [user("x")]));
    const ids = message.content.map((block) => block.type === "toolCall" ? block.id : block.type);
    expect(ids).toEqual([
      "same",
      expect.stringMatching(/^call_[0-9a-f]{24}$/),
      expect.stringMatching(/^call_[0-9a-f]{24}$/),
    ]);
    expect(ids[1]).not.toBe(ids[2]);
    expect(message.stopReason).toBe("toolUse");
  });
}
