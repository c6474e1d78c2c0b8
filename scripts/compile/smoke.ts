/** Whether a fresh binary works: what it prints, and one run without a model. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../root.ts";

interface Check {
  name: string;
  args: readonly string[];
  /** What is wrong with the output; undefined if nothing is. */
  problem(stdout: string): string | undefined;
}

const RECORDING = path.join(ROOT, "examples/demo/session.jsonl");
const PROJECT = path.join(ROOT, "examples/demo/project");
const TIMEOUT_MS = 60_000;

function lacks(stdout: string, text: string): string | undefined {
  return stdout.includes(text) ? undefined : `its output lacks ${JSON.stringify(text)}`;
}

const CHECKS: readonly Check[] = [
  {
    name: "--version",
    args: ["--version"],
    problem: (stdout) => lacks(stdout, manifest.version),
  },
  { name: "--help", args: ["--help"], problem: (stdout) => lacks(stdout, "--session") },
  {
    name: "a canned run",
    args: [
      "--print",
      "--model",
      `replay:${RECORDING}`,
      "--output",
      "json",
      "Fix the failing check.",
    ],
    problem: (stdout) => lacks(stdout, '"ok":true'),
  },
];

/** Runs a binary; returns what does not work, a line each. */
export function smokeTest(binary: string): string[] {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bough-smoke-"));
  try {
    const cwd = path.join(scratch, "project");
    fs.cpSync(PROJECT, cwd, { recursive: true });
    const env = {
      PATH: process.env["PATH"],
      HOME: scratch,
      BOUGH_HOME: path.join(scratch, "home"),
    };
    return CHECKS.flatMap(({ name, args, problem }) => {
      const run = spawnSync(binary, args, {
        cwd,
        env,
        encoding: "utf8",
        timeout: TIMEOUT_MS,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const what = run.error?.message ??
        (run.status === 0
          ? problem(run.stdout)
          : `exit ${run.status ?? run.signal}: ${run.stderr}`);
      return what === undefined ? [] : [`${name}: ${what.trim()}`];
    });
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
