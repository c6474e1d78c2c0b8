/** One binary: source in, file out. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../root.ts";
import { outputName, type Target } from "./targets.ts";

const DIST = path.join(ROOT, "dist");

/** The commit that is checked out, or "unknown" (no git, no repository). */
function commit(): string {
  const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return git.status === 0 ? git.stdout.trim() : "unknown";
}

/**
 * Builds the binary for a target, or for this machine, and returns its path. Throws if a source does
 * not compile, or if the target's runtime cannot be fetched.
 *
 * Splitting makes lazy imports lazy, bytecode saves their parsing, and the map gives a stack trace
 * its lines. The binary runs in other people's directories, so it must read neither a `.env` nor a
 * `bunfig.toml` (which can name code to run) there; `package.json` is read only to resolve what an
 * extension imports.
 */
export async function build(target?: Target): Promise<string> {
  const name = outputName(target);
  const file = path.join(DIST, name);
  fs.mkdirSync(DIST, { recursive: true });
  // Built beside its place and renamed, so that a running or a half-made binary is never replaced
  // in parts. The bytes depend on the file's name, not on its directory.
  const scratch = fs.mkdtempSync(path.join(DIST, ".build-"));
  try {
    await Bun.build({
      entrypoints: [path.join(ROOT, "cli.ts")],
      format: "esm",
      splitting: true,
      bytecode: true,
      minify: true,
      sourcemap: "inline",
      define: {
        BOUGH_VERSION: JSON.stringify(manifest.version),
        BOUGH_COMMIT: JSON.stringify(commit()),
        "process.env.NODE_ENV": JSON.stringify("production"),
      },
      compile: {
        ...(target ? { target: `bun-${target}` as const } : {}),
        outfile: path.join(scratch, name),
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: true,
      },
    });
    fs.renameSync(path.join(scratch, name), file);
    return file;
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
