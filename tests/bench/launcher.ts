/**
 * Runs one program and prints what it took, as JSON: a process of its own, because a child's peak
 * memory counts from its parent's, so the parent has to be small.
 *
 *     bun launcher.ts '{"command":["/bin/true"],"cwd":"/","env":{}}'
 */
export interface Launch {
  command: [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
}

export interface Launched {
  ms: number;
  peakBytes: number;
  code: number | null;
  stderr: string;
}

if (import.meta.main) {
  const launch: Launch = JSON.parse(process.argv[2] ?? "");
  const started = performance.now();
  const child = Bun.spawnSync({
    cmd: launch.command,
    cwd: launch.cwd,
    env: launch.env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const launched: Launched = {
    ms: performance.now() - started,
    peakBytes: child.resourceUsage.maxRSS,
    code: child.exitCode,
    stderr: child.stderr.toString(),
  };
  console.log(JSON.stringify(launched));
}
