/** Finding sessions that may be too damaged to be found as others are. */
import * as fs from "node:fs";
import * as path from "node:path";
import {
  JsonlSessionRepo,
  looksLikePath,
  SessionError,
  sessionsToVerify,
} from "../../session/mod.ts";
import type { VerbCall } from "../command_line/parse.ts";
import { boughHome } from "../config/mod.ts";
import { openRepo } from "../open.ts";
import type { VerbPorts } from "./ports.ts";

/** Where the sessions of a call are. */
export interface SessionPlace {
  readonly repo: JsonlSessionRepo;
  /** Whose sessions are meant, and where relative paths begin. */
  readonly cwd: string;
}

export async function sessionPlace(call: VerbCall, ports: VerbPorts): Promise<SessionPlace> {
  const startDirectory = ports.cwd();
  const home = boughHome(ports.env, startDirectory);
  const repo = await openRepo(call.run, { env: ports.env, home, startDirectory });
  if (!(repo instanceof JsonlSessionRepo)) throw new Error("a verb without session files");
  return { repo, cwd: path.resolve(startDirectory, call.run.cwd ?? "") };
}

/**
 * The file of a session by path, id, unique prefix or name. A path need not lead to a sound session,
 * and an id is also looked for in the files' names: the header that has it may be lost.
 */
export async function findDamaged(text: string, { repo, cwd }: SessionPlace): Promise<string> {
  const file = path.resolve(cwd, text);
  if (looksLikePath(text) && fs.existsSync(file)) return file;
  try {
    return await repo.find(text, { cwd });
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== "not_found") throw error;
    const [named, ...others] = sessionsToVerify({ sessionsDir: repo.sessionsDir })
      .filter((candidate) => path.basename(candidate, ".jsonl").endsWith(`_${text}`));
    if (named === undefined || others.length > 0) throw error;
    return named;
  }
}
