/**
 * Puts what `--help` prints into the README, between its marks: `npm run readme`. With `--check` it
 * changes nothing, and exits with 1 if the README is not up to date.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "./root.ts";

const README = path.join(ROOT, "README.md");
const START = "<!-- help: written by `npm run readme` -->";
const END = "<!-- /help -->";

/** What `--help` prints, whatever the terminal. */
function helpText(): string {
  const args = ["--no-env-file", path.join(ROOT, "cli.ts"), "--help"];
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
  const run = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`Cannot run --help: ${run.stderr}`);
  return run.stdout.trimEnd();
}

/** The README with the help in its place. */
function withHelp(readme: string, help: string): string {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start === -1 || end < start) throw new Error(`README.md has no marks ${START} and ${END}`);
  const block = `${START}\n\n\`\`\`\n${help}\n\`\`\`\n\n`;
  return readme.slice(0, start) + block + readme.slice(end);
}

function main(args: readonly string[]): number {
  const readme = fs.readFileSync(README, "utf8");
  const wanted = withHelp(readme, helpText());
  if (readme === wanted) return 0;
  if (args.includes("--check")) {
    console.error("README.md does not say what --help prints: run `npm run readme`");
    return 1;
  }
  fs.writeFileSync(README, wanted);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
