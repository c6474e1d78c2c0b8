import { describe, expect, test } from "bun:test";
import { resolveEntry } from "../../../lib/runtime/commands/entry_ref.ts";
import { JsonlSessionRepo, SessionError } from "../../../lib/session/mod.ts";
import { TempDirectory } from "../../support/temp.ts";
import { writtenSession } from "../../support/written_session.ts";

const LABELS = [["ab2", "mark"], ["ab3", "ab1"], ["ab1", "twice"], ["ab2", "twice~x"]] as const;

async function resolve(text: string): Promise<string> {
  using temp = new TempDirectory();
  const file = temp.write(
    "s.jsonl",
    writtenSession({
      prefix: "ab",
      said: [["you", "1"], ["model", "2"], ["you", "3"]],
      entries: LABELS.map(([targetId, label]) => ({ type: "label", targetId, label })),
    }),
  );
  const session = await new JsonlSessionRepo({ sessionsDir: temp.path }).open(file, {
    access: "read",
  });
  try {
    return await resolveEntry(session, text);
  } catch (error) {
    if (error instanceof SessionError) return error.code;
    throw error;
  } finally {
    await session.close();
  }
}

describe("resolveEntry()", () => {
  const rows: [text: string, entry: string, why: string][] = [
    ["ab1", "ab1", "an id before a label of the same text"],
    ["leaf", "ab7", "the leaf"],
    ["leaf~", "ab2", "one message up from the last message, labels behind it not counted"],
    ["~2", "ab1", "up from there without the word"],
    ["leaf~0", "ab3", "no message up"],
    ["~3", "unknown_entry", "above the first message, from the last one"],
    ["ab3~2", "ab1", "up from an id"],
    ["twice", "ab1", "a label"],
    ["twice~x", "ab2", "a label with a tilde in it"],
    ["ab", "ambiguous", "the start of several ids"],
    ["x", "unknown_entry", "nothing"],
    ["", "unknown_entry", "no text"],
    ["ab1~1", "unknown_entry", "above the first message"],
    ["x~1", "unknown_entry", "up from nothing"],
  ];
  for (const [text, entry, why] of rows) {
    test(`takes ${JSON.stringify(text)} for ${entry}: ${why}`, async () => {
      expect(await resolve(text)).toBe(entry);
    });
  }

  test("takes the start of an id that only one has", async () => {
    using temp = new TempDirectory();
    const file = temp.write("s.jsonl", writtenSession({ prefix: "abcdef", said: [["you", "1"]] }));
    const session = await new JsonlSessionRepo({ sessionsDir: temp.path }).open(file, {
      access: "read",
    });
    expect(await resolveEntry(session, "abc")).toBe("abcdef1");
    await session.close();
  });
});
