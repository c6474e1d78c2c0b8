/** Finding sessions that may be too damaged to be found as others are. */
import * as path from "node:path";
import {
  looksLikePath,
  nodeFileSystem,
  SessionError,
  sessionsToVerify,
} from "../../../session/mod.ts";
import type { SessionVerb } from "./verb.ts";

/**
 * The file of a session by path, id, unique prefix or name. A path need not lead to a sound session,
 * and an id is also looked for in the files' names: the header that has it may be lost.
 */
export async function findDamaged(
  text: string,
  { repo, cwd, startDirectory }: SessionVerb,
): Promise<string> {
  const file = path.resolve(startDirectory, text);
  if (looksLikePath(text) && nodeFileSystem.stat(file)) return file;
  try {
    return await repo.find(text, { cwd, pathsFrom: startDirectory });
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== "not_found") throw error;
    const [named, ...others] = sessionsToVerify({ sessionsDir: repo.sessionsDir })
      .filter((candidate) => path.basename(candidate, ".jsonl").endsWith(`_${text}`));
    if (named === undefined || others.length > 0) throw error;
    return named;
  }
}
