import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { FileLock, nodeFileSystem, type Session, type SessionLock } from "../../lib/session/mod.ts";
import { noUsage } from "../../lib/session/message.ts";
import { ROOT } from "../support/binary.ts";
import { FaultyFileSystem } from "../support/faulty_file_system.ts";
import { repoOn, user } from "../support/session_disk.ts";
import { TempDirectory } from "../support/temp.ts";

const GOLDEN = path.join(ROOT, "tests/golden/turn_operations.txt");

function answer(content: object[]) {
  const stopReason = content.some((block) => "id" in block) ? "toolUse" as const : "stop" as const;
  return {
    role: "assistant" as const,
    content: content.map((block) => ({ type: "text" as const, text: "", ...block })),
    api: "a",
    provider: "p",
    model: "m",
    usage: noUsage(),
    stopReason,
    timestamp: 1,
  };
}

const RESULT = {
  role: "toolResult" as const,
  toolCallId: "c",
  toolName: "bash",
  content: [{ type: "text" as const, text: "out" }],
  isError: false,
  timestamp: 1,
};

async function makeTurn(session: Session): Promise<void> {
  await session.appendMessage(user("ask"));
  await session.appendMessage(answer([{ type: "toolCall", id: "c", name: "bash", arguments: {} }]));
  await session.appendMessage(RESULT);
  await session.appendMessage(answer([{ text: "said" }]));
}

/** The machine's lock, whose taking and letting go are told, too. */
function toldLock(disk: FaultyFileSystem): SessionLock {
  const lock = new FileLock({ fs: disk });
  return {
    acquire(file, fd) {
      const held = lock.acquire(file, fd);
      disk.trace.push(`locked ${path.basename(file)}`);
      return {
        release() {
          held.release();
          disk.trace.push(`unlocked ${path.basename(file)}`);
        },
      };
    },
  };
}

/** What a new session's turn, and one of a session that is there, do to the disk. */
async function traceOfTurns(durability: "turn" | "entry" | "none"): Promise<string> {
  using temp = new TempDirectory();
  const disk = new FaultyFileSystem(undefined, nodeFileSystem);
  const repo = repoOn(disk, {
    sessionsDir: temp.join("home/sessions"),
    durability,
    lock: toldLock(disk),
  });
  const session = await repo.create({ cwd: "/project", id: "s" });
  await session.appendModelChange("p", "m");
  await makeTurn(session);
  await session.close();
  const first = disk.trace.splice(0);
  const again = await repo.open(session.file ?? "");
  await makeTurn(again);
  await again.moveTo((await again.getBranch())[1]?.id ?? null);
  await again.close();
  const parts = [
    `# ${durability}: a new session`,
    ...first,
    "",
    `# ${durability}: goes on`,
    ...disk.trace,
  ];
  return `${parts.join("\n").replaceAll("2026-04-01T10-00-01-000Z_", "")}\n`;
}

test.skipIf(process.platform !== "linux" && process.platform !== "darwin")(
  "the operations of a turn are those of the golden text",
  async () => {
    const traces = [];
    for (const durability of ["turn", "entry", "none"] as const) {
      traces.push(await traceOfTurns(durability));
    }
    const text = traces.join("\n");
    if (process.env["UPDATE_GOLDEN"] === "1") fs.writeFileSync(GOLDEN, text);
    expect(text).toBe(fs.readFileSync(GOLDEN, "utf8"));
  },
);
