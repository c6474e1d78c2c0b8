/**
 * A child process that takes a session file's lock and says how that went. `bun lock_holder.ts FILE
 * [flock|link] [spin]`. It prints `held` or the error's code and the holder's pid, and ends when its
 * stdin does.
 *
 * `spin` takes and releases the lock without end; while it holds it, it adds one to the number in
 * `FILE.count` in two steps, so that two holders at a time lose an addition. It prints each number
 * once it stands in the file.
 */
import * as fs from "node:fs";
import { SessionError } from "../../lib/session/errors.ts";
import { nodeFileSystem } from "../../lib/session/file_system.ts";
import { FileLock } from "../../lib/session/lock.ts";
import type { HeldLock } from "../../lib/session/ports.ts";

const [file = "", kind = "flock", spin] = process.argv.slice(2);
const lock = new FileLock(kind === "link" ? { flock: null } : {});

function take(): HeldLock & { fd: number } | SessionError {
  const fd = nodeFileSystem.open(file, "a");
  try {
    const held = lock.acquire(file, fd);
    return { fd, release: () => held.release() };
  } catch (error) {
    fs.closeSync(fd);
    if (error instanceof SessionError) return error;
    throw error;
  }
}

function addOne(): void {
  const count = `${file}.count`;
  const next = Number(fs.readFileSync(count, "utf8")) + 1;
  fs.writeFileSync(`${count}.${process.pid}`, String(next));
  fs.renameSync(`${count}.${process.pid}`, count);
  fs.writeSync(1, `${next}\n`);
}

function spinOn(): never {
  for (;;) {
    const held = take();
    if (held instanceof SessionError) {
      if (held.code === "busy") continue;
      throw held;
    }
    addOne();
    held.release();
    fs.closeSync(held.fd);
  }
}

if (spin === "spin") spinOn();
const held = take();
if (held instanceof SessionError) {
  console.log(held.code, held.holder?.pid ?? "unknown");
} else {
  console.log("held");
}
process.stdin.resume();
process.stdin.on("end", () => {
  if (!(held instanceof SessionError)) held.release();
});
