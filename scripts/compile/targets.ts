/** The machines that a binary can be built for. */

/** The targets that `all` builds. */
export const TARGETS = [
  "linux-x64",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "windows-x64",
] as const;

export type Target = (typeof TARGETS)[number];

/** Whether a word on the command line names a target. */
export function isTarget(word: string): word is Target {
  return TARGETS.some((target) => target === word);
}

/** The target that is this machine; undefined if no binary is made for it. */
export function hostTarget(): Target | undefined {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const libc = isMusl() ? "-musl" : "";
  const name = `${platform}-${process.arch}${libc}`;
  return isTarget(name) ? name : undefined;
}

/** Whether this Linux has musl for its C library: only the report of glibc names a version. */
function isMusl(): boolean {
  if (process.platform !== "linux") return false;
  return !JSON.stringify(process.report.getReport()).includes('"glibcVersionRuntime"');
}

/** The file that a build makes, below `dist`: without a target, this machine's `bough`. */
export function outputName(target: Target | undefined): string {
  const isWindows = target ? target.startsWith("windows") : process.platform === "win32";
  return `bough${target ? `-${target}` : ""}${isWindows ? ".exe" : ""}`;
}
