import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { caseDirectory } from "../../support/cases.ts";
import { ToolBench } from "../../support/tools.ts";

interface Row {
  command: string;
  timeout?: number;
  maxSeconds?: number;
  output?: string;
  outputContains?: string[];
  exit?: number;
  isError?: boolean;
  resultMaxBytes?: number;
  peakMemoryMB?: number;
}

const CASES = ["C106", "C108", "C110", "C112", "C114"];

function rows(name: string): Row[] {
  const file = path.join(caseDirectory(name), "commands.json");
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

for (const name of CASES) {
  for (const row of rows(name)) {
    const { command, timeout } = row;
    test(`bash does as case ${name} says: ${command}`, async () => {
      using bench = new ToolBench();
      const before = process.memoryUsage.rss();
      let peak = before;
      const started = performance.now();
      const { text, isError, result } = await bench.call(
        "bash",
        { command, ...(timeout === undefined ? {} : { timeout }) },
        { onUpdate: () => peak = Math.max(peak, process.memoryUsage.rss()) },
      );
      const seconds = (performance.now() - started) / 1000;
      const exitCode = row.exit ?? (timeout === undefined ? 0 : 143);
      expect({
        isError,
        exitCode: result.details,
        isInTime: seconds <= (row.maxSeconds ?? 60),
        isSmall: (peak - before) / 1024 ** 2 <= (row.peakMemoryMB ?? 400) &&
          Buffer.byteLength(text) <= (row.resultMaxBytes ?? 60_000),
        isWellFormed: text.isWellFormed() && !text.includes("\ufffd"),
        missing: (row.outputContains ?? []).filter((part) => !text.includes(part)),
      }).toEqual({
        isError: row.isError ?? exitCode !== 0,
        exitCode: expect.objectContaining({ exitCode }),
        isInTime: true,
        isSmall: true,
        isWellFormed: true,
        missing: [],
      });
      if (row.output !== undefined) expect(text).toBe(row.output);
      if (exitCode !== 0 && timeout === undefined) expect(text).toEndWith(`Exit code: ${exitCode}`);
      expect((await bench.call("bash", { command: "echo next" })).text).toBe("next");
    }, 70_000);
  }
}

test("bash tells which lines are shown and keeps the whole in a private file (case C108)", async () => {
  using bench = new ToolBench();
  const { text, result } = await bench.call("bash", { command: "seq 1 5000" });
  const file = /is in (\S+)\.\]$/.exec(text)?.[1] ?? "";
  expect(result.details).toEqual({ exitCode: 0, truncated: true, fullOutputPath: file });
  const numbers = (from: number) =>
    Array.from({ length: 5001 - from }, (_, index) => from + index).join("\n");
  expect(text).toBe(
    `${
      numbers(3001)
    }\n\n[Lines 3001-5000 of 5000 are shown (23.3 KB in all). The whole output is in ${file}.]`,
  );
  expect(fs.readFileSync(file, "utf8")).toBe(`${numbers(1)}\n`);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  const short = await bench.call("bash", { command: "seq 1 1999" });
  expect(short.text.split("\n").length).toBe(1999);
});

test("bash says that a line is cut, and counts lines as they are (case C110)", async () => {
  using bench = new ToolBench();
  const [first, second] = rows("C110");
  const long = await bench.call("bash", { command: first?.command });
  expect(long.text.slice(0, 3)).toBe("yyy");
  expect(long.text.slice(-400)).toContain(
    "TAIL\n\n[Line 2 of 2 is cut: the last 50.0 KB of its 293.0 KB are shown. The whole output is in ",
  );
  const open = await bench.call("bash", { command: second?.command });
  expect(open.text).toContain(
    "\n\n[Line 1 of 1 is cut: the last 50.0 KB of its 293.0 KB are shown.",
  );
});

test.if(process.platform === "linux")("bash leaves no descriptor open (case C108)", async () => {
  using bench = new ToolBench();
  const count = () => fs.readdirSync("/proc/self/fd").length;
  await bench.call("bash", { command: "seq 1 5000" });
  const before = count();
  for (let i = 0; i < 50; i++) await bench.call("bash", { command: "seq 1 5000" });
  expect(count()).toBeLessThanOrEqual(before + 2);
}, 60_000);
