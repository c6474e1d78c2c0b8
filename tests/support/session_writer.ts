/**
 * A child process that writes a session: `bun session_writer.ts endless FILE` appends as fast as it
 * can and prints each entry's id once its append has returned. `bun session_writer.ts turns FILE
 * fail|wait|fork NAME COUNT` makes so many turns (a question and an answer, under one lock each),
 * and prints `done`, or the error's code, or the path of the fork that it went on in.
 */
import * as fs from "node:fs";
import {
  JsonlSessionRepo,
  type Session,
  SessionError,
  waitForLock,
} from "../../lib/session/mod.ts";
import { answer, user } from "./session_disk.ts";

const [what = "", file = "", busy = "", name = "", count = "0"] = process.argv.slice(2);
const repo = new JsonlSessionRepo({
  sessionsDir: process.env["SESSIONS"] ?? "",
  durability: what === "endless" ? "none" : "turn",
});

async function writeEndlessly(): Promise<never> {
  const session = await repo.open(file, { access: "write" });
  for (let at = 1;; at++) {
    const id = await session.appendMessage(user("x".repeat((at * 7919) % 5_000)));
    fs.writeSync(1, `${id}\n`);
  }
}

async function openForTurn(): Promise<Session> {
  const open = () => repo.open(file, { access: "write" });
  switch (busy) {
    case "wait":
      return await waitForLock(open, { timeoutMs: 60_000 });
    case "fork":
      try {
        return await open();
      } catch (error) {
        if (!(error instanceof SessionError) || error.code !== "busy") throw error;
        return await repo.fork(file);
      }
    default:
      return await open();
  }
}

async function makeTurns(): Promise<void> {
  let where = file;
  for (let turn = 1; turn <= Number(count); turn++) {
    const session = await openForTurn();
    await session.appendMessage(user(`${name} asks ${turn}`));
    // The turn lasts until the test says so, where it wants to hold the lock.
    if (busy !== "wait") await untilToldSo();
    await session.appendMessage(answer(`${name} hears ${turn}`));
    where = session.file ?? "";
    await session.close();
  }
  console.log(where === file ? "done" : where);
}

function untilToldSo(): Promise<void> {
  console.log("asked");
  return new Promise((resolve) => process.stdin.once("data", () => resolve()));
}

if (what === "endless") await writeEndlessly();
try {
  await makeTurns();
} catch (error) {
  if (!(error instanceof SessionError)) throw error;
  console.log(error.code, error.holder?.pid ?? "unknown");
}
process.stdin.unref?.();
process.exitCode = 0;
