/** `--model replay:FILE`: a recorded session answers. */
import * as path from "node:path";
import { type Model, type ModelFacts, replayModel } from "../../agent/mod.ts";
import { JsonlSessionRepo, reasonOf } from "../../session/mod.ts";
import { ConfigError } from "./errors.ts";

/**
 * Makes the model that gives the assistant messages of a session's active branch, in their order.
 * `file` is relative to `directory`. Throws `ConfigError` `bad_replay` if it holds no session.
 */
export async function connectReplay(
  facts: ModelFacts,
  { file, directory }: { file: string; directory: string },
): Promise<Model> {
  const absolute = path.resolve(directory, file);
  const repo = new JsonlSessionRepo({ sessionsDir: path.dirname(absolute) });
  try {
    const session = await repo.open(absolute, { access: "read" });
    try {
      const branch = await session.getBranch();
      const messages = branch.flatMap((entry) => entry.type === "message" ? [entry.message] : []);
      return replayModel({ facts, messages });
    } finally {
      await session.close();
    }
  } catch (cause) {
    const reason = reasonOf(cause);
    const message = `${reason} (asked for as the model replay:${file})`;
    throw new ConfigError("bad_replay", message, { file: absolute, cause });
  }
}
