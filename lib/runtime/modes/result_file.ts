/** `--result-file`: the result object in a file of its own, whole or not at all. */
import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "./exit_codes.ts";
import type { RunResult } from "./result.ts";
import { errorCode } from "../../session/mod.ts";

function cannot(file: string, cause: unknown): UsageError {
  const code = errorCode(cause);
  const reason = code === "ENOENT" ? "its directory does not exist" : code ?? String(cause);
  return new UsageError(`Cannot write --result-file ${file}: ${reason}`, { cause });
}

/**
 * Throws a `UsageError` if the file could not be written at the end: a run that costs money must not
 * find out afterwards.
 */
export function checkResultFile(file: string, cwd: string): void {
  const target = path.resolve(cwd, file);
  try {
    const stat = fs.statSync(target, { throwIfNoEntry: false });
    if (stat?.isDirectory()) throw new UsageError(`Cannot write --result-file ${file}: EISDIR`);
    fs.accessSync(writtenPlace(target, stat), fs.constants.W_OK);
  } catch (error) {
    throw error instanceof UsageError ? error : cannot(file, error);
  }
}

/** What has to be writable: a pipe or a device itself, of a file its directory. */
function writtenPlace(target: string, stat: fs.Stats | undefined): string {
  if (!stat) return path.dirname(target);
  return stat.isFile() ? path.dirname(fs.realpathSync(target)) : target;
}

/** Writes the result; a file that is there is replaced in one step. Throws if it cannot. */
export function writeResultFile(file: string, cwd: string, result: RunResult): void {
  const target = path.resolve(cwd, file);
  const text = `${JSON.stringify(result)}\n`;
  try {
    const stat = fs.statSync(target, { throwIfNoEntry: false });
    // A pipe or a device is written to; it must not be replaced by a file.
    if (stat && !stat.isFile()) return fs.writeFileSync(target, text);
    const real = stat ? fs.realpathSync(target) : target;
    const beside = `${real}.${process.pid}.tmp`;
    try {
      fs.writeFileSync(beside, text, { flush: true });
      // What was kept from others stays so.
      if (stat) fs.chmodSync(beside, stat.mode & 0o777);
      fs.renameSync(beside, real);
    } finally {
      fs.rmSync(beside, { force: true });
    }
  } catch (error) {
    throw cannot(file, error);
  }
}
