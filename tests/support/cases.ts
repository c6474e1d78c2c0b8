/** The inputs of the public bug cases (tests/fixtures/cases). */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Message, StoredMessage } from "../../lib/session/mod.ts";
import { ROOT } from "./binary.ts";

/** The directory of a case. */
export function caseDirectory(name: string): string {
  return path.join(ROOT, "tests/fixtures/cases", name);
}

export function caseJson(name: string, file: string): unknown {
  return JSON.parse(fs.readFileSync(path.join(caseDirectory(name), file), "utf8"));
}

/** The messages of a case's session, in the order of its lines: for sessions of a single branch. */
export function caseMessages(name: string): Message[] {
  const text = fs.readFileSync(path.join(caseDirectory(name), "session.jsonl"), "utf8");
  return text.split("\n").filter((line) => line !== "").flatMap((line): StoredMessage[] => {
    const entry: { type: string; message: StoredMessage } = JSON.parse(line);
    return entry.type === "message" ? [entry.message] : [];
  });
}
