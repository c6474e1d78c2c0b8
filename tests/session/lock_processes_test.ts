import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { nodeFileSystem } from "../../lib/session/file_system.ts";
import { FileLock } from "../../lib/session/lock.ts";
import { ROOT } from "../support/binary.ts";
import { RunningProcess } from "../support/process.ts";
import { TempDirectory } from "../support/temp.ts";

const HOLDER = path.join(ROOT, "tests/support/lock_holder.ts");
const DENO = path.join(ROOT, "node_modules/.bin/deno");

type Runtime = "bun" | "deno";

function startHolder(
  temp: TempDirectory,
  file: string,
  options: { runtime?: Runtime; kind?: "flock" | "link"; spin?: boolean } = {},
): RunningProcess {
  const { runtime = "bun", kind = "flock", spin = false } = options;
  const args = [HOLDER, file, kind, ...spin ? ["spin"] : []];
  return runtime === "bun"
    ? new RunningProcess(process.execPath, args, { temp, stdin: "open" })
    : new RunningProcess(DENO, ["run", "-A", "--no-lock", ...args], {
      temp,
      stdin: "open",
      env: { DENO_DIR: temp.make("deno") },
    });
}

async function answer(holder: RunningProcess): Promise<string> {
  return (await holder.waitFor("\n")).trim();
}

/** Takes and releases the lock in this process. */
function takeHere(file: string): void {
  const fd = nodeFileSystem.open(file, "a");
  try {
    new FileLock().acquire(file, fd).release();
  } finally {
    fs.closeSync(fd);
  }
}

for (const kind of ["flock", "link"] as const) {
  test(`FileLock (${kind}) lets one of two processes in that open at the same instant`, async () => {
    using temp = new TempDirectory();
    const file = temp.write("s.jsonl", "");
    using one = startHolder(temp, file, { kind });
    using two = startHolder(temp, file, { kind });
    const answers = await Promise.all([answer(one), answer(two)]);
    const holder = answers[0] === "held" ? one : two;
    expect(answers.sort()).toEqual([`busy ${holder.pid}`, "held"]);
    one.end();
    two.end();
    expect((await one.finished).code).toBe(0);
    expect((await two.finished).code).toBe(0);
    takeHere(file);
  });

  test(`FileLock (${kind}) is free at once after kill -9 of its holder`, async () => {
    using temp = new TempDirectory();
    const file = temp.write("s.jsonl", "");
    using holder = startHolder(temp, file, { kind });
    expect(await answer(holder)).toBe("held");
    expect(() => takeHere(file)).toThrow(`process ${holder.pid} (`);
    holder.kill("SIGKILL");
    await holder.finished;
    expect(new FileLock().inspect(file)).toMatchObject({
      state: "stale",
      holder: { pid: holder.pid },
    });
    takeHere(file);
    expect(new FileLock().inspect(file)).toEqual({ state: "free" });
  });

  test(
    `FileLock (${kind}) loses no update of six processes that are killed at random`,
    async () => {
      using temp = new TempDirectory();
      const file = temp.write("s.jsonl", "");
      const count = temp.write("s.jsonl.count", "0");
      const printed: number[] = [];
      let kills = 0;
      const deadline = performance.now() + 2500;
      const worker = async (number: number) => {
        for (let round = 1; performance.now() < deadline; round++) {
          using spinning = startHolder(temp, file, { kind, spin: true });
          // A different number of additions each time puts the kill at a different step.
          const lines = new RegExp(`(\\d+\\n){${1 + (number * 7 + round * 3) % 20}}`);
          await spinning.waitFor(lines);
          spinning.kill("SIGKILL");
          kills++;
          const { stdout } = await spinning.finished;
          printed.push(...stdout.split("\n").slice(0, -1).map(Number));
        }
      };
      await Promise.all([1, 2, 3, 4, 5, 6].map(worker));
      expect(printed.length - new Set(printed).size).toBe(0);
      // Each kill may come between the addition and its being printed.
      const unprinted = Number(fs.readFileSync(count, "utf8")) - printed.length;
      expect(unprinted).toBeGreaterThanOrEqual(0);
      expect(unprinted).toBeLessThanOrEqual(kills);
      takeHere(file);
    },
    30_000,
  );
}

test("FileLock keeps Bun and Deno apart", async () => {
  using temp = new TempDirectory();
  const file = temp.write("s.jsonl", "");
  for (const [first, second] of [["bun", "deno"], ["deno", "bun"]] as const) {
    using holder = startHolder(temp, file, { runtime: first });
    expect(await answer(holder)).toBe("held");
    using other = startHolder(temp, file, { runtime: second });
    expect(await answer(other)).toBe(`busy ${holder.pid}`);
    holder.kill("SIGKILL");
    await holder.finished;
    using third = startHolder(temp, file, { runtime: second });
    expect(await answer(third)).toBe("held");
    third.end();
    expect((await third.finished).code).toBe(0);
  }
}, 60_000);

test("FileLock keeps writers with and without flock apart", async () => {
  using temp = new TempDirectory();
  const file = temp.write("s.jsonl", "");
  for (const [first, second] of [["flock", "link"], ["link", "flock"]] as const) {
    using holder = startHolder(temp, file, { kind: first });
    expect(await answer(holder)).toBe("held");
    using other = startHolder(temp, file, { kind: second });
    expect(await answer(other)).toBe(`busy ${holder.pid}`);
    holder.end();
    await holder.finished;
  }
});

const FLOCK_PROGRAM = "/usr/bin/flock";
test.skipIf(!fs.existsSync(FLOCK_PROGRAM))(
  "FileLock heeds the flock program and is heeded",
  async () => {
    using temp = new TempDirectory();
    const file = temp.write("s.jsonl", "");
    using program = new RunningProcess(
      FLOCK_PROGRAM,
      [file, "sh", "-c", "echo locked; read line"],
      { temp, stdin: "open" },
    );
    await program.waitFor("locked");
    expect(() => takeHere(file)).toThrow(/^Cannot write .*: process \d+ \((flock|sh)\) on host /);
    program.write("\n");
    await program.finished;
    using holder = startHolder(temp, file);
    expect(await answer(holder)).toBe("held");
    using refused = new RunningProcess(FLOCK_PROGRAM, ["-n", file, "true"], { temp });
    expect((await refused.finished).code).toBe(1);
  },
);
