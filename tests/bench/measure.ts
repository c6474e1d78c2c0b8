/** Samples and medians. */
import * as path from "node:path";
import { ROOT } from "../support/binary.ts";
import type { Launch, Launched } from "./launcher.ts";

const LAUNCHER = path.join(ROOT, "tests/bench/launcher.ts");

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** What a program took, at the median. */
export interface Measured {
  ms: number;
  peakMB: number;
}

async function launch(what: Launch): Promise<Launched> {
  const child = Bun.spawn([process.execPath, LAUNCHER, JSON.stringify(what)], {
    stderr: "inherit",
  });
  const launched: Launched = JSON.parse(await new Response(child.stdout).text());
  if (launched.code !== 0) {
    throw new Error(
      `Cannot measure ${what.command.join(" ")}: exit ${launched.code}\n${launched.stderr}`,
    );
  }
  return launched;
}

/**
 * Runs programs in turn, so that what disturbs the machine disturbs them alike. A first round warms
 * the caches and is not counted, unless `warm` is false: then there is none.
 */
export async function measurePrograms<K extends string>(
  programs: Readonly<Record<K, Launch>>,
  samples: number,
  { warm = true }: { warm?: boolean } = {},
): Promise<Record<K, Measured>> {
  const names = Object.keys(programs) as K[];
  const runs = new Map<K, Launched[]>(names.map((name) => [name, []]));
  for (let round = warm ? 0 : 1; round <= samples; round += 1) {
    for (const name of names) {
      const launched = await launch(programs[name]);
      if (round > 0) runs.get(name)?.push(launched);
    }
  }
  const measured = names.map((name) => {
    const all = runs.get(name) ?? [];
    const peaks = all.map(({ peakBytes }) => peakBytes / 1e6);
    return [name, { ms: median(all.map(({ ms }) => ms)), peakMB: median(peaks) }];
  });
  return Object.fromEntries(measured);
}
