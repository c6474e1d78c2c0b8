import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { JsonlSessionRepo, type Message, type Session } from "../../lib/session/mod.ts";
import { ROOT } from "../support/binary.ts";

const FIXTURES = path.join(ROOT, "tests/fixtures");

/** A message in the words of the `expect.json` files, which Pi's own reading was written to. */
function digest(message: Message): { role: string; text: string } {
  const { role } = message;
  switch (message.role) {
    case "bashExecution":
      return { role, text: message.command };
    case "branchSummary":
    case "compactionSummary":
      return { role, text: message.summary };
    case "user":
    case "custom":
    case "system":
    case "assistant":
    case "toolResult":
      return { role, text: digestContent(message.content) };
  }
}

function digestContent(
  content: string | readonly { type: string; text?: string; id?: string; name?: string }[],
) {
  if (typeof content === "string") return content;
  return content.map((block) => {
    if (block.type === "text") return block.text;
    return block.type === "toolCall" ? `call:${block.id}:${block.name}` : block.type;
  }).join("|");
}

/** What this session says to each question that an `expect.json` answers. */
async function answers(session: Session) {
  const { messages, model, thinkingLevel } = await session.buildContext();
  const branch = await session.getBranch();
  return {
    id: session.id,
    cwd: session.cwd,
    leafId: session.leafId,
    entries: (await session.getEntries()).length,
    name: session.name ?? null,
    labels: Object.fromEntries(session.labels),
    model,
    thinkingLevel,
    branch: branch.map(({ id }) => id),
    messages: messages.map(digest),
  };
}

describe.each(["pi-0.74.2", "pi-1.6.0", "pi-harness-0.74.2"])(
  "open() reads %s",
  (release: string) => {
    const directory = path.join(FIXTURES, release);
    const files = fs.readdirSync(directory).filter((name) => name.endsWith(".jsonl"));

    test.each(files)("%s as Pi does", async (name: string) => {
      const file = path.join(directory, name);
      const expected = JSON.parse(
        fs.readFileSync(file.replace(/\.jsonl$/, ".expect.json"), "utf8"),
      );
      const before = fs.readFileSync(file);
      const repo = new JsonlSessionRepo({ sessionsDir: directory });
      const session = await repo.open(file, { access: "read" });
      const given = Object.entries(await answers(session)).filter(([key]) => key in expected);
      expect(Object.fromEntries(given)).toEqual(expected);
      expect(session.damage).toEqual([]);
      await session.close();
      expect(fs.readFileSync(file)).toEqual(before);
    });
  },
);
