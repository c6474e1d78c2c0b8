/** A turn in print mode against a server on the loopback: a new session, and long ones continued. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Launch } from "./launcher.ts";
import { type Measured, measurePrograms } from "./measure.ts";
import { buildPrograms } from "./programs.ts";
import { startServer } from "./server.ts";
import { copyOf, sessionFile } from "./sessions.ts";
import type { Benchmark, Row } from "./table.ts";

const MODEL = "anthropic/claude-haiku-4-5";
const MB = 1e6;

/** Starts a program in a directory with settings and a key, and the server as its provider. */
function launcher(directory: string, url: string): (...command: [string, ...string[]]) => Launch {
  const home = path.join(directory, "home");
  const cwd = path.join(directory, "work");
  fs.mkdirSync(home, { recursive: true });
  fs.mkdirSync(cwd, { recursive: true });
  fs.writeFileSync(path.join(home, "settings.json"), JSON.stringify({ defaultModel: MODEL }));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    BOUGH_HOME: home,
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: url,
  };
  return (...command) => ({ command, cwd, env });
}

export const turn: Benchmark = {
  name: "turn",
  async run({ directory, samples }) {
    const programs = await buildPrograms(directory);
    using server = startServer();
    const launch = launcher(directory, server.url);
    const measured = await measurePrograms({
      bare: launch(programs.bare),
      turn: launch(programs.bough, "--print", "Hello"),
    }, samples);
    return [
      { what: "a bare program: one request", value: measured.bare.ms, unit: "ms" },
      {
        what: "a print-mode turn",
        value: measured.turn.ms,
        unit: "ms",
        base: { what: "the bare program", value: measured.bare.ms },
        aim: { most: 2, of: "ratio" },
      },
      { what: "a bare program: peak memory", value: measured.bare.peakMB, unit: "MB" },
      {
        what: "a print-mode turn: peak memory",
        value: measured.turn.peakMB,
        unit: "MB",
        base: { what: "the bare program", value: measured.bare.peakMB },
        aim: { most: 60, of: "value" },
      },
    ];
  },
};

/** What a turn took that continues a session, next to one that continues 1 MB. */
function continued(what: string, measured: Measured, base: Measured, aim: boolean): Row[] {
  const ms = { what, value: measured.ms, unit: "ms" as const };
  return [
    {
      ...ms,
      base: { what: "1 MB", value: base.ms },
      ...(aim ? { aim: { most: 1.2, of: "ratio" as const } } : {}),
    },
    {
      what: `${what}: peak memory`,
      value: measured.peakMB,
      unit: "MB",
      base: { what: "1 MB", value: base.peakMB },
      aim: { most: 80, of: "value" },
    },
  ];
}

export const continuing: Benchmark = {
  name: "continue",
  async run({ directory, samples }) {
    const programs = await buildPrograms(directory);
    using server = startServer();
    using short = copyOf(sessionFile(directory, 1 * MB));
    using long = copyOf(sessionFile(directory, 100 * MB));
    using foreign = copyOf(sessionFile(directory, 100 * MB, "pi"));
    const launch = launcher(directory, server.url);
    const proceed = (file: string, output: string) => {
      const choice = ["--session", file, "--cwd", directory] as const;
      return launch(programs.bough, "--output", output, ...choice, "Hello");
    };
    const measured = await measurePrograms({
      short: proceed(short.file, "text"),
      long: proceed(long.file, "text"),
      foreign: proceed(foreign.file, "text"),
      shortJson: proceed(short.file, "json"),
      longJson: proceed(long.file, "json"),
      foreignJson: proceed(foreign.file, "json"),
    }, samples);
    const { short: base, shortJson: baseJson } = measured;
    return [
      { what: "a turn that continues 1 MB", value: base.ms, unit: "ms" },
      ...continued("a turn that continues 100 MB", measured.long, base, true),
      ...continued("a turn that continues 100 MB of Pi's", measured.foreign, base, true),
      { what: "the same as JSON, with totals: 1 MB", value: baseJson.ms, unit: "ms" },
      ...continued("as JSON: 100 MB", measured.longJson, baseJson, true),
      // Nothing in the file knows its totals, so all of it has to be read.
      ...continued("as JSON: 100 MB of Pi's", measured.foreignJson, baseJson, false),
    ];
  },
};
