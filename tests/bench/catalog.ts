/** Many sessions listed and searched, and a big one drawn: whole processes. */
import * as fs from "node:fs";
import * as path from "node:path";
import { binaryPath } from "../support/binary.ts";
import type { Launch } from "./launcher.ts";
import { type Measured, measurePrograms } from "./measure.ts";
import { manySessions, RARE_WORD, sessionFile } from "./sessions.ts";
import type { Benchmark, Row } from "./table.ts";

const MB = 1e6;

/** Calls the verbs of the binary in a home of their own. */
function verbs(bough: string, directory: string, count: number) {
  const home = path.join(directory, `home-${count}`);
  fs.mkdirSync(home, { recursive: true });
  const sessionsDir = manySessions(directory, count);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, BOUGH_HOME: home };
  const place = path.join(home, "sessions");
  // Not `--session-dir`: the sessions are as they would be in a home.
  if (!fs.existsSync(place)) fs.symlinkSync(sessionsDir, place);
  const launch = (...words: string[]): Launch => ({
    command: [bough, "session", ...words],
    cwd: directory,
    env,
  });
  /** Without an index at first: the median of first times. */
  const cold = async (samples: number, ...words: string[]): Promise<Measured> => {
    const all: Measured[] = [];
    for (let round = 0; round < samples; round += 1) {
      for (const end of ["", "-wal", "-shm"]) {
        fs.rmSync(path.join(home, `index.sqlite${end}`), { force: true });
      }
      all.push(await measureOnce(launch(...words)));
    }
    return all.sort((a, b) => a.ms - b.ms)[all.length >> 1] ?? { ms: NaN, peakMB: NaN };
  };
  return { launch, cold };
}

async function measureOnce(launch: Launch): Promise<Measured> {
  return (await measurePrograms({ launch }, 1, { warm: false })).launch;
}

function ms(what: string, { ms }: Measured, most?: number): Row {
  return {
    what,
    value: ms,
    unit: "ms",
    ...most === undefined ? {} : { aim: { most, of: "value" } },
  };
}

export const listing: Benchmark = {
  name: "list",
  async run({ directory, samples, gigabyte }) {
    const bough = await binaryPath();
    const rows: Row[] = [];
    for (const count of gigabyte ? [1_000, 10_000] : [1_000]) {
      const { launch, cold } = verbs(bough, directory, count);
      const newest = ["list", "--all", "--limit", "50"];
      const first = await cold(Math.min(samples, 5), ...newest);
      rows.push(ms(`list the newest of ${count} sessions, the first time`, first, 800));
      const firstAll = await cold(1, "list", "--all", "--json");
      rows.push(ms(`list all ${count} with their counts, the first time`, firstAll));
      const warm = await measurePrograms({
        newest: launch(...newest),
        all: launch("list", "--all", "--json"),
        one: launch("list", "--cwd", "/bench/project-7"),
      }, samples);
      rows.push(ms(`list the newest of ${count}`, warm.newest, 200));
      rows.push(ms(`list all ${count} as JSON`, warm.all));
      rows.push(ms(`list one directory of ${count}`, warm.one));
    }
    return rows;
  },
};

export const searching: Benchmark = {
  name: "search",
  async run({ directory, samples, gigabyte }) {
    const bough = await binaryPath();
    const rows: Row[] = [];
    for (const count of gigabyte ? [1_000, 10_000] : [1_000]) {
      const { launch, cold } = verbs(bough, directory, count);
      const first = await cold(1, "search", "--all", RARE_WORD);
      rows.push(ms(`search ${count} sessions, the first time`, first));
      const warm = await measurePrograms({
        rare: launch("search", "--all", RARE_WORD),
        common: launch("search", "--all", "bake"),
        part: launch("search", "--all", "eronsbil"),
        one: launch("search", "--cwd", "/bench/project-7", "bake"),
      }, samples);
      rows.push(ms(`search ${count} for a rare word`, warm.rare, 60));
      rows.push(ms(`search ${count} for a common word`, warm.common, 60));
      rows.push(ms(`search ${count} for a part of a word`, warm.part, 60));
      rows.push(ms(`search one directory of ${count}`, warm.one, 60));
    }
    return rows;
  },
};

export const drawing: Benchmark = {
  name: "tree",
  async run({ directory, samples }) {
    const bough = await binaryPath();
    const file = sessionFile(directory, 100 * MB);
    const command: [string, ...string[]] = [bough, "session", "tree", file];
    const { tree } = await measurePrograms({ tree: { command, cwd: directory, env: {} } }, samples);
    return [ms("draw the tree of 100 MB", tree, 300)];
  },
};
