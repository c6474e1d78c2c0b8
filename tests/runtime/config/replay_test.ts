import { expect, test } from "bun:test";
import * as fs from "node:fs";
import type { ModelEvent } from "../../../lib/agent/mod.ts";
import { loadServices } from "../../../lib/runtime/config/services.ts";
import { type AssistantMessage, JsonlSessionRepo, noUsage } from "../../../lib/session/mod.ts";
import { TempDirectory } from "../../support/temp.ts";

function answer(text: string): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "openai-completions",
    provider: "p",
    model: "m",
    usage: noUsage(),
    stopReason: "stop",
    timestamp: 1,
  };
}

async function ask(temp: TempDirectory, model: string, times: number): Promise<unknown[]> {
  const { models } = await loadServices({ cwd: temp.cwd, home: temp.home, env: {}, bare: true });
  const { facts } = await models.choose({ model });
  await models.check(facts);
  const replay = models.create(facts);
  const request = { systemPrompt: "", messages: [], tools: [], thinkingLevel: "off" as const };
  const said: unknown[] = [];
  for (let call = 0; call < times; call++) {
    const events = replay.stream(request, new AbortController().signal);
    const last = (await Array.fromAsync<ModelEvent>(events)).at(-1);
    if (last?.type === "done") said.push(last.message.content);
    else said.push(last?.type === "failed" ? last.error?.message : last?.type);
  }
  return said;
}

test("replay:FILE gives the answers of the active branch, from a path relative to the directory", async () => {
  using temp = new TempDirectory();
  const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
  const session = await repo.create({ cwd: temp.cwd });
  const first = await session.appendMessage({ role: "user", content: "hi", timestamp: 1 });
  await session.appendMessage(answer("left behind"));
  await session.moveTo(first);
  await session.appendMessage(answer("one"));
  await session.appendMessage(answer("two"));
  await session.close();
  fs.copyFileSync(session.file ?? "", temp.join("work/recorded.jsonl"));
  const said = await ask(temp, "replay:recorded.jsonl", 3);
  expect(said.slice(0, 2)).toEqual([[{ type: "text", text: "one" }], [{
    type: "text",
    text: "two",
  }]]);
  expect(said[2]).toContain("the recording ends after 2 answers");
});

test("replay:FILE is refused before anything is asked where there is no session", async () => {
  using temp = new TempDirectory();
  const text = temp.write("work/text.txt", "no session\n");
  for (const name of ["missing.jsonl", "text.txt"]) {
    const asked = ask(temp, `replay:${name}`, 1);
    await expect(asked).rejects.toThrow(temp.join("work", name));
    await expect(asked).rejects.toThrow(`(asked for as the model replay:${name})`);
    await expect(asked).rejects.toMatchObject({ name: "ConfigError", code: "bad_replay" });
  }
  expect(fs.readFileSync(text, "utf8")).toBe("no session\n");
});
