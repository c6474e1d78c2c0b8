/**
 * The least that a program of this kind does: reads its settings, makes one streamed request, prints
 * the answer, appends a line. What a print-mode turn is measured against.
 */
import * as fs from "node:fs";
import * as path from "node:path";

const home = process.env["BOUGH_HOME"] ?? ".";
const settings: { defaultModel: string } = JSON.parse(
  fs.readFileSync(path.join(home, "settings.json"), "utf8"),
);
const response = await fetch(`${process.env["ANTHROPIC_BASE_URL"]}/v1/messages`, {
  method: "POST",
  headers: {
    "content-type": "application/json",
    "x-api-key": process.env["ANTHROPIC_API_KEY"] ?? "",
  },
  body: JSON.stringify({
    model: settings.defaultModel,
    max_tokens: 1000,
    stream: true,
    messages: [{ role: "user", content: "Hello" }],
  }),
});
let text = "";
let rest = "";
const decoder = new TextDecoder();
for await (const chunk of response.body ?? []) {
  rest += decoder.decode(chunk, { stream: true });
  const lines = rest.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (!line.startsWith("data: ")) continue;
    const event: { type: string; delta?: { text?: string } } = JSON.parse(line.slice(6));
    if (event.type === "content_block_delta") text += event.delta?.text ?? "";
  }
}
console.log(text);
fs.appendFileSync(
  path.join(home, "bare.jsonl"),
  JSON.stringify({ role: "assistant", text }) + "\n",
);
