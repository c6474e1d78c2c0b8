/** A session as the bytes of a session file of its own. */
import { Buffer } from "node:buffer";
import { encodeEntry, encodeHeader } from "./codec.ts";
import { SESSION_VERSION } from "./entry.ts";
import { planFork } from "./fork.ts";
import { randomIds, systemClock } from "./ports.ts";
import type { Session } from "./session.ts";

/**
 * The active branch of a session (with labels on it), or all of it, in pieces of bounded size. It is
 * the same session, by its id, so that it can be taken in elsewhere.
 */
export function* exportLines(
  session: Session,
  { isWhole }: { isWhole: boolean },
): Generator<Buffer> {
  const { header, storage } = session;
  yield Buffer.from(
    encodeHeader({ ...header, version: Math.max(header.version, SESSION_VERSION) }),
  );
  if (isWhole) {
    for (const entry of storage.entries()) yield Buffer.from(encodeEntry(entry));
  } else {
    yield* planFork(storage, {}, { ids: randomIds, clock: systemClock }).chunks();
  }
}
