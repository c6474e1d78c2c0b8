/**
 * Keeps the files as they are at each message of the user, and brings them back when `/tree` goes
 * there. Neither HEAD nor the index nor a branch of git is touched: a checkpoint is a tree under
 * `refs/bough/<session>/<entry>`. Ignored files stay as they are.
 */
import * as path from "node:path";
import type { ExtensionApi, ExtensionContext } from "bough/api";

/** Runs git with an index of its own, which has everything that is not ignored. */
async function git(bough: ExtensionApi, index: string, ...args: string[]): Promise<string> {
  const run = await bough.exec("git", args, { env: { GIT_INDEX_FILE: index } });
  if (run.exitCode !== 0) throw new Error(`git ${args[0]}: ${run.stderr.trim()}`);
  return run.stdout.trim();
}

/** The file of that index; undefined where there is no repository. */
async function findIndex(bough: ExtensionApi): Promise<string | undefined> {
  try {
    const run = await bough.exec("git", ["rev-parse", "--absolute-git-dir"]);
    return run.exitCode === 0 ? path.join(run.stdout.trim(), "bough-index") : undefined;
  } catch {
    // Without git there are no checkpoints either.
    return undefined;
  }
}

function refOf(context: ExtensionContext, entryId: string): string {
  return `refs/bough/${context.session.id}/${entryId}`;
}

export default function (bough: ExtensionApi): void {
  let index: string | undefined;

  async function keep(
    entryId: string | null | undefined,
    context: ExtensionContext,
  ): Promise<void> {
    if (index === undefined || !entryId) return;
    await git(bough, index, "add", "--all", ":/");
    const tree = await git(bough, index, "write-tree");
    await git(bough, index, "update-ref", refOf(context, entryId), tree);
  }

  bough.on("session_start", async (_event, context) => {
    index = await findIndex(bough);
    if (index === undefined) context.notify("no git repository here: no checkpoints", "warning");
  });

  bough.on("message_end", async ({ entryId, message }, context) => {
    if (message.role === "user") await keep(entryId, context);
  });

  // Whoever leaves a branch may want to come back to its end.
  bough.on("session_before_tree", async ({ fromId }, context) => {
    await keep(fromId, context);
    return undefined;
  });

  bough.on("session_tree", async ({ targetId }, context) => {
    if (index === undefined || targetId === null) return;
    const ref = refOf(context, targetId);
    const known = await git(bough, index, "for-each-ref", "--format=%(refname)", ref);
    if (known === "") {
      context.notify("no checkpoint of that place: the files stay as they are", "warning");
      return;
    }
    await git(bough, index, "read-tree", "--reset", "-u", ref);
    context.notify("the files are as they were then");
  });
}
