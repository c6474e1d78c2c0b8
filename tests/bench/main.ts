/**
 * Measures what is promised of speed and memory, and prints a table of medians.
 *
 *     npm run bench                     all of it
 *     npm run bench -- startup fork     some of it
 *     npm run bench -- --gigabyte       with a session of 1 GB and 10,000 sessions of 1.8 GB, too
 *     npm run bench -- --samples 51     more exactly (21 otherwise)
 *
 * It makes its own data, the same at every run, in `dist/bench` (300 MB; 3.1 GB with `--gigabyte`).
 * Programs that are compared run in turn, so that a busy machine disturbs both: trust the ratios
 * more than the times. It is no test: it exits with 0 whether or not the aims are met.
 */
import * as path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../support/binary.ts";
import { drawing, listing, searching } from "./catalog.ts";
import { appending, forking, opening } from "./library.ts";
import { locking } from "./lock_bench.ts";
import { startup } from "./startup.ts";
import { type Benchmark, type Row, table } from "./table.ts";
import { continuing, turn } from "./turn.ts";

const BENCHMARKS: readonly Benchmark[] = [
  startup,
  turn,
  continuing,
  opening,
  appending,
  locking,
  forking,
  listing,
  searching,
  drawing,
];

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      gigabyte: { type: "boolean", default: false },
      samples: { type: "string", default: "21" },
    },
  });
  const samples = Number(values.samples);
  const names = BENCHMARKS.map(({ name }) => name);
  const unknown = positionals.filter((word) => !names.includes(word));
  if (unknown.length > 0 || !(samples >= 1)) {
    console.error(
      `Cannot measure ${unknown.join(", ") || `${values.samples} times`}: there are ${
        names.join(", ")
      }`,
    );
    return 2;
  }
  const directory = path.join(ROOT, "dist/bench");
  const rows: Row[] = [];
  for (const { name, run } of BENCHMARKS) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.error(`measuring ${name}`);
    rows.push(...await run({ samples, gigabyte: values.gigabyte, directory }));
  }
  console.log(table(rows));
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
