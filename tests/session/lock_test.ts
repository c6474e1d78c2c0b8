import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { SessionError } from "../../lib/session/errors.ts";
import { nodeFileSystem } from "../../lib/session/file_system.ts";
import { FileLock, type FileLockOptions } from "../../lib/session/lock.ts";
import { MachineProcesses } from "../../lib/session/processes.ts";
import { TempDirectory } from "../support/temp.ts";

class OpenFile implements Disposable {
  readonly fd: number;
  readonly file: string;
  constructor(file: string) {
    this.file = file;
    this.fd = nodeFileSystem.open(file, "a");
  }
  [Symbol.dispose](): void {
    fs.closeSync(this.fd);
  }
}

function busyError(action: () => unknown): SessionError {
  try {
    action();
  } catch (error) {
    if (error instanceof SessionError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

/** A process that is known to be gone: its pid is higher than any that Linux or macOS gives. */
const GONE_PID = 2 ** 22 + 1;

function record(file: string, more: Record<string, unknown>): string {
  const { dev, ino } = fs.statSync(file);
  return JSON.stringify({
    ...new MachineProcesses().self(),
    how: "link",
    dev,
    ino,
    nonce: "n",
    ...more,
  });
}

const KINDS: [string, FileLockOptions][] = [["flock", {}], ["a link", { flock: null }]];

for (const [kind, options] of KINDS) {
  describe(`FileLock with ${kind}`, () => {
    test("acquire() refuses a second writer and names the first", () => {
      using temp = new TempDirectory();
      using first = new OpenFile(temp.write("s.jsonl", ""));
      using second = new OpenFile(first.file);
      const held = new FileLock(options).acquire(first.file, first.fd);
      const error = busyError(() => new FileLock(options).acquire(second.file, second.fd));
      const { pid, host, command, startedAt } = new MachineProcesses().self();
      expect(error.code).toBe("busy");
      expect(error.holder).toMatchObject({ pid, host, command });
      expect(Math.abs(Date.parse(error.holder?.startedAt ?? "") - Date.parse(startedAt ?? "")))
        .toBeLessThan(2000);
      expect(error.message).toStartWith(`Cannot write ${first.file}: process ${pid} (`);
      held.release();
      new FileLock(options).acquire(second.file, second.fd).release();
    });

    test("release() leaves nothing beside the file", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("d/s.jsonl", ""));
      const held = new FileLock(options).acquire(open.file, open.fd);
      expect(fs.readdirSync(temp.join("d"))).toEqual(["s.jsonl", "s.jsonl.lock"]);
      expect(fs.statSync(`${open.file}.lock`).mode & 0o777).toBe(0o600);
      held.release();
      expect(fs.readdirSync(temp.join("d"))).toEqual(["s.jsonl"]);
    });

    test("acquire() is not lost when another descriptor of the file is closed", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("s.jsonl", ""));
      const held = new FileLock(options).acquire(open.file, open.fd);
      fs.closeSync(fs.openSync(open.file, "r+"));
      using second = new OpenFile(open.file);
      expect(busyError(() => new FileLock(options).acquire(second.file, second.fd)).code)
        .toBe("busy");
      held.release();
    });

    test("acquire() knows the file through a link and another spelling", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("d/s.jsonl", ""));
      fs.symlinkSync(open.file, temp.join("link.jsonl"));
      fs.symlinkSync(temp.join("d"), temp.join("e"));
      const held = new FileLock(options).acquire(open.file, open.fd);
      for (const spelling of ["link.jsonl", "e/s.jsonl", "d/../e/./s.jsonl"]) {
        using other = new OpenFile(`${temp.path}/${spelling}`);
        const error = busyError(() => new FileLock(options).acquire(other.file, other.fd));
        expect([spelling, error.code, error.holder?.pid]).toEqual([spelling, "busy", process.pid]);
      }
      held.release();
    });

    test("a copied directory is free, the lock file in it notwithstanding", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("d/s.jsonl", ""));
      const held = new FileLock(options).acquire(open.file, open.fd);
      fs.cpSync(temp.join("d"), temp.join("copy"), { recursive: true });
      const copy = temp.join("copy", "s.jsonl");
      expect(fs.existsSync(`${copy}.lock`)).toBe(true);
      expect(new FileLock(options).inspect(copy).state).toBe("stale");
      using other = new OpenFile(copy);
      new FileLock(options).acquire(copy, other.fd).release();
      held.release();
    });

    test("acquire() refuses a descriptor whose path is another file by now", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("s.jsonl", "old"));
      fs.renameSync(temp.write("new.jsonl", "new"), open.file);
      const error = busyError(() => new FileLock(options).acquire(open.file, open.fd));
      expect([error.code, error.holder]).toEqual(["busy", undefined]);
      using again = new OpenFile(open.file);
      const held = new FileLock(options).acquire(again.file, again.fd);
      const standing = temp.read("s.jsonl.lock");
      expect(busyError(() => new FileLock(options).acquire(open.file, open.fd)).code).toBe("busy");
      expect(temp.read("s.jsonl.lock")).toBe(standing);
      held.release();
      expect(fs.readdirSync(temp.path).filter((name) => name.includes("lock"))).toEqual([]);
    });

    test("acquire() refuses a deleted file and does not bring it back", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("d/s.jsonl", "old"));
      fs.rmSync(open.file);
      const error = busyError(() => new FileLock(options).acquire(open.file, open.fd));
      expect([error.code, error.message]).toEqual([
        "write_failed",
        `Cannot write ${open.file}: it was deleted`,
      ]);
      expect(fs.readdirSync(temp.join("d"))).toEqual([]);
    });

    test("acquire() heeds a live lock file of a writer without flock", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("s.jsonl", ""));
      const standing = record(open.file, {});
      temp.write("s.jsonl.lock", standing);
      const error = busyError(() => new FileLock(options).acquire(open.file, open.fd));
      expect([error.code, error.holder?.pid]).toEqual(["busy", process.pid]);
      expect(temp.read("s.jsonl.lock")).toBe(standing);
    });

    const stale: [string, Record<string, unknown>][] = [
      ["a process that is gone", { pid: GONE_PID }],
      ["a later process with the same pid", { startTicks: 1 }],
      ["this host before it was started anew", { boot: "another boot" }],
      ["another file", { ino: 1 }],
    ];
    for (const [whose, more] of stale) {
      test(`acquire() takes over the lock file of ${whose}`, () => {
        using temp = new TempDirectory();
        using open = new OpenFile(temp.write("d/s.jsonl", ""));
        temp.write("d/s.jsonl.lock", record(open.file, more));
        expect(new FileLock(options).inspect(open.file).state).toBe("stale");
        new FileLock(options).acquire(open.file, open.fd).release();
        expect(fs.readdirSync(temp.join("d"))).toEqual(["s.jsonl"]);
      });
    }

    test("acquire() refuses a lock file of another host, and says what to do", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("s.jsonl", ""));
      temp.write("s.jsonl.lock", record(open.file, { host: "other", boot: "other" }));
      const error = busyError(() => new FileLock(options).acquire(open.file, open.fd));
      expect([error.code, error.holder?.host]).toEqual(["busy", "other"]);
      expect(error.message).toEndWith(
        `Whether that process still runs cannot be seen from here. If it does not, delete ${open.file}.lock.`,
      );
      expect(new FileLock(options).inspect(open.file).state).toBe("elsewhere");
    });

    test("acquire() refuses a network file system by its name", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("s.jsonl", ""));
      const lock = new FileLock({ ...options, networkFileSystem: () => "nfs" });
      const error = busyError(() => lock.acquire(open.file, open.fd));
      expect(error.code).toBe("write_failed");
      expect(error.message).toStartWith(
        `Cannot write ${open.file}: it lies on a network file system (nfs)`,
      );
    });

    test("inspect() sees a lock being taken and released", () => {
      using temp = new TempDirectory();
      using open = new OpenFile(temp.write("s.jsonl", ""));
      const lock = new FileLock(options);
      expect(lock.inspect(open.file)).toEqual({ state: "free" });
      const held = lock.acquire(open.file, open.fd);
      expect(new FileLock(options).inspect(open.file)).toMatchObject({
        state: "held",
        holder: { pid: process.pid },
      });
      held.release();
      expect(lock.inspect(open.file)).toEqual({ state: "free" });
    });
  });
}

test("FileLock holds a flock also where it cannot write who holds it", () => {
  using temp = new TempDirectory();
  using open = new OpenFile(temp.write("s.jsonl", ""));
  const full = {
    ...nodeFileSystem,
    write() {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    },
  };
  const held = new FileLock({ fs: full }).acquire(open.file, open.fd);
  using second = new OpenFile(open.file);
  expect(busyError(() => new FileLock().acquire(second.file, second.fd)).code).toBe("busy");
  expect(fs.readdirSync(temp.path).filter((name) => name.includes("lock"))).toEqual([]);
  held.release();
  new FileLock().acquire(second.file, second.fd).release();
});

test("FileLock without flock refuses where it cannot write the lock file", () => {
  using temp = new TempDirectory();
  using open = new OpenFile(temp.write("s.jsonl", ""));
  const cause = Object.assign(new Error("EPERM: no hard links here"), { code: "EPERM" });
  const noLinks = {
    ...nodeFileSystem,
    link() {
      throw cause;
    },
  };
  const error = busyError(() =>
    new FileLock({ fs: noLinks, flock: null }).acquire(open.file, open.fd)
  );
  expect([error.code, error.message, error.cause]).toEqual([
    "write_failed",
    `Cannot lock ${open.file}: EPERM: no hard links here`,
    cause,
  ]);
  expect(fs.readdirSync(temp.path).filter((name) => name.includes("lock"))).toEqual([]);
});

test("FileLock leaves a file of the lock's name alone that is no lock", () => {
  using temp = new TempDirectory();
  using open = new OpenFile(temp.write("s.jsonl", ""));
  temp.write("s.jsonl.lock", "my notes");
  const error = busyError(() => new FileLock({ flock: null }).acquire(open.file, open.fd));
  expect([error.code, error.message]).toEqual([
    "busy",
    `Cannot write ${open.file}: ${open.file}.lock stands where its lock belongs, and cannot be ` +
    "read as one. If no other process is writing the session, delete it.",
  ]);
  new FileLock().acquire(open.file, open.fd).release();
  expect(temp.read("s.jsonl.lock")).toBe("my notes");
  expect(new FileLock().inspect(open.file)).toEqual({
    state: "unreadable",
    path: `${open.file}.lock`,
  });
});

test("FileLock falls back to a link where the file system refuses flock", () => {
  using temp = new TempDirectory();
  using open = new OpenFile(temp.write("s.jsonl", ""));
  const held = new FileLock({ flock: () => "unsupported" }).acquire(open.file, open.fd);
  expect(JSON.parse(temp.read("s.jsonl.lock"))).toMatchObject({ how: "link", pid: process.pid });
  expect(busyError(() => new FileLock().acquire(open.file, open.fd)).holder?.pid).toBe(process.pid);
  held.release();
});

test("FileLock finds the guard of a killed thief stale, too", () => {
  using temp = new TempDirectory();
  using open = new OpenFile(temp.write("d/s.jsonl", ""));
  for (const name of ["lock", "lock.steal", "lock.steal.steal"]) {
    temp.write(`d/s.jsonl.${name}`, record(open.file, { pid: GONE_PID, nonce: name }));
  }
  new FileLock({ flock: null }).acquire(open.file, open.fd).release();
  expect(fs.readdirSync(temp.join("d"))).toEqual(["s.jsonl"]);
});

test("FileLock finds a hard link's holder in the kernel's list", () => {
  if (process.platform !== "linux") return;
  using temp = new TempDirectory();
  using open = new OpenFile(temp.write("s.jsonl", ""));
  const held = new FileLock().acquire(open.file, open.fd);
  fs.linkSync(open.file, temp.join("twin.jsonl"));
  using twin = new OpenFile(temp.join("twin.jsonl"));
  const error = busyError(() => new FileLock().acquire(twin.file, twin.fd));
  expect(error.holder).toMatchObject({ pid: process.pid });
  expect(new FileLock().inspect(twin.file)).toMatchObject({ state: "held" });
  held.release();
});

test("release() removes only its own lock file", () => {
  using temp = new TempDirectory();
  using open = new OpenFile(temp.write("s.jsonl", ""));
  const held = new FileLock({ flock: null }).acquire(open.file, open.fd);
  const other = record(open.file, { nonce: "of another" });
  temp.write("s.jsonl.lock", other);
  held.release();
  expect(temp.read("s.jsonl.lock")).toBe(other);
});
