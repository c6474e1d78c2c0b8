/** The sessions that there are, by the index where there are files. */
import * as path from "node:path";
import {
  JsonlSessionRepo,
  SessionCatalog,
  type SessionRepo,
  type SessionSummary,
} from "../../../session/mod.ts";

/** The sessions of a directory, or all, newest activity first. */
export async function listSessions(
  repo: SessionRepo,
  { home, cwd }: { home: string; cwd?: string },
): Promise<SessionSummary[]> {
  const filter = cwd === undefined ? {} : { cwd };
  if (!(repo instanceof JsonlSessionRepo)) return await repo.list(filter);
  const catalog = await SessionCatalog.open({ repo, indexFile: path.join(home, "index.sqlite") });
  try {
    return await catalog.list(filter);
  } finally {
    catalog.close();
  }
}
