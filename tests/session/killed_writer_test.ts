import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { JsonlSessionRepo } from "../../lib/session/mod.ts";
import { verifySession } from "../../lib/session/verify.ts";
import { ROOT } from "../support/binary.ts";
import { RunningProcess } from "../support/process.ts";
import { Random } from "../support/random.ts";
import { sampleText } from "../support/sample_session.ts";
import { TempDirectory } from "../support/temp.ts";

const WRITER = path.join(ROOT, "tests/support/session_writer.ts");
const LANES = 4;
const KILLS = 200;

/** Starts a writer, kills it after some of its output, and returns the ids that it printed whole. */
async function writeAndKill(temp: TempDirectory, file: string, random: Random): Promise<string[]> {
  using writer = new RunningProcess(process.execPath, [WRITER, "endless", file], {
    temp,
    env: { SESSIONS: temp.home },
  });
  const wanted = random.int(1, 40);
  await writer.waitFor(new RegExp(`(\\w+\\n){${wanted}}`));
  writer.kill("SIGKILL");
  const { stdout, signal } = await writer.finished;
  expect(signal).toBe("SIGKILL");
  return stdout.split("\n").slice(0, -1);
}

async function checkFile(file: string, printed: readonly string[]): Promise<void> {
  const session = await new JsonlSessionRepo({ sessionsDir: "." }).open(file, { access: "write" });
  const entries = await session.getEntries();
  await session.close();
  const ids = new Set(entries.map(({ id }) => id));
  expect(printed.filter((id) => !ids.has(id))).toEqual([]);
  const chain = entries.slice(21);
  expect(chain.map(({ parentId }) => parentId))
    .toEqual(["a0000011", ...chain.slice(0, -1).map(({ id }) => id)]);
  expect(
    verifySession(file).findings.filter(({ kind }) => kind !== "torn" && kind !== "unreadable"),
  )
    .toEqual([]);
}

test(`no entry whose append returned is lost by ${KILLS} times kill -9`, async () => {
  using temp = new TempDirectory();
  const lane = async (number: number) => {
    const random = new Random(number);
    let count = 0;
    for (let kill = 0; kill < KILLS / LANES; kill++) {
      // A file that has been killed a few times, and has not grown so that reading it takes long.
      const file = temp.join(`s${number}-${Math.floor(kill / 5)}.jsonl`);
      if (kill % 5 === 0) fs.writeFileSync(file, sampleText(), { mode: 0o600 });
      const printed = await writeAndKill(temp, file, random);
      await checkFile(file, printed);
      count += printed.length;
    }
    return count;
  };
  const written = await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  expect(Math.min(...written)).toBeGreaterThan(KILLS / LANES);
}, 120_000);
