import { describe, expect, test } from "bun:test";
import { TempDirectory } from "../../support/temp.ts";
import { verbRun } from "../../support/verb_run.ts";

const ENTRY =
  '{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-03-02T09:00:00Z"' +
  ',"message":{"role":"user","content":"hello","timestamp":1}}';

/** A session with a line that is no JSON. */
function damagedSession(temp: TempDirectory): string {
  const header = {
    type: "session",
    version: 3,
    id: "k1",
    timestamp: "2026-03-02T09:00:00Z",
    cwd: temp.cwd,
  };
  return temp.write(
    "k1.jsonl",
    `${JSON.stringify(header)}\n${ENTRY}\nbroken\n${
      ENTRY.replace('1"', '2"').replace("null", '"a0000001"')
    }\n`,
  );
}

describe("session verbs", () => {
  for (const words of [["show"], ["tree"], ["export"], ["clone"], ["name"]]) {
    test(`session ${words[0]} says which line of which file is damaged`, async () => {
      using temp = new TempDirectory();
      const file = damagedSession(temp);
      const { code, stderr } = await verbRun(temp, ["session", ...words, file]);
      expect(code).toBe(0);
      expect(stderr).toContain(`Line 3 of ${file} cannot be read and is skipped`);
    });
  }
});
