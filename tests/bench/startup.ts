/** What `--version` and `--help` cost, against a program that does nothing. */
import { measurePrograms } from "./measure.ts";
import { buildPrograms } from "./programs.ts";
import type { Benchmark } from "./table.ts";

export const startup: Benchmark = {
  name: "startup",
  async run({ directory, samples }) {
    const programs = await buildPrograms(directory);
    const launch = (...command: [string, ...string[]]) => ({ command, cwd: directory, env: {} });
    const measured = await measurePrograms({
      empty: launch(programs.empty),
      version: launch(programs.bough, "--version"),
      help: launch(programs.bough, "--help"),
    }, samples);
    const base = { what: "an empty binary", value: measured.empty.ms };
    return [
      { what: "an empty binary", value: measured.empty.ms, unit: "ms" },
      {
        what: "--version",
        value: measured.version.ms,
        unit: "ms",
        base,
        aim: { most: 1.3, of: "ratio" },
      },
      {
        what: "--help",
        value: measured.help.ms,
        unit: "ms",
        base,
        aim: { most: 1.5, of: "ratio" },
      },
    ];
  },
};
