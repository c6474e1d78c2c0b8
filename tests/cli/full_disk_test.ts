import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { caseDirectory } from "../support/cases.ts";
import { completion, LocalRun } from "../support/local_run.ts";
import { whyNoSmallDisk } from "../support/small_disk.ts";
import { TempDirectory } from "../support/temp.ts";

function reasonToSkip(): string | undefined {
  using temp = new TempDirectory();
  return whyNoSmallDisk(temp);
}
const reason = reasonToSkip();
const suffix = reason === undefined ? "" : ` (skipped: ${reason})`;

test.skipIf(reason !== undefined)(
  `a disk that fills up between two runs is said, and leaves a whole tree (C007)${suffix}`,
  async () => {
    await using run = await LocalRun.start([completion("done")]);
    const script = fs.readFileSync(`${caseDirectory("C007")}/run.sh`, "utf8")
      .replaceAll("APP ", "bough ").replace("mktemp -d", "mktemp -d -p .");
    const { stdout, stderr, code } = await run.shell(script);
    expect(code).toBe(0);
    expect(stdout).toContain("first rc=0\n");
    expect(stdout).toMatch(/full rc=[1-9]/);
    expect(stdout).toContain("after rc=0\n");
    expect(stdout).toEndWith("tree ok, bad lines: 0\n");
    expect(stderr).toMatch(/Cannot write session .*: ENOSPC: no space left on device/);
  },
);
