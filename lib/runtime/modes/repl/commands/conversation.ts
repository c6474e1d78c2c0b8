/** Commands that replace the session by another. */
import type { SwitchOutcome } from "../../../runtime.ts";
import type { Command, ReplContext } from "../context.ts";
import { findEntry, itemOf, userMessages } from "../entry_choice.ts";
import { expandTilde } from "../../../config/mod.ts";
import { goOnElsewhere, pickSession } from "../session_list.ts";
import * as path from "node:path";

export const newSession: Command = {
  name: "new",
  does: "Begins an empty session in this directory",
  async run(context) {
    told(context, await context.runtime.newSession());
  },
};

export const resume: Command = {
  name: "resume",
  parameters: "[session]",
  does: "Goes on with another session",
  help:
    "The session is a path, an id, the start of one, or a name. Without it, you choose from a " +
    "list: type to search, Ctrl-R renames, Ctrl-X deletes, Ctrl-A shows those of all directories.",
  completes: "session",
  async run(context, argument) {
    const chosen = argument === ""
      ? await pickSession({
        repo: context.repo,
        dialog: context.dialog,
        timer: context.timer,
        cwd: context.session.session.cwd,
        home: context.runtime.services.home,
        current: context.session,
      })
      : argument;
    if (chosen === undefined) return;
    await goOnElsewhere(context, chosen);
  },
};

export const fork: Command = {
  name: "fork",
  parameters: "[entry]",
  does: "Goes on in a new session with the way to an entry",
  help: "Something that you said comes back on the input line, for editing, and the new session " +
    "ends before it; with any other entry it ends there. Without an entry, you choose from what " +
    "you said. This session stays as it is.",
  completes: "entry",
  async run(context, argument) {
    const entryId = argument === ""
      ? await pickPrompt(context)
      : await findEntry(context, argument);
    if (entryId === undefined) return;
    const entry = await context.session.session.getEntry(entryId);
    const isPrompt = entry?.type === "message" && entry.message.role === "user";
    told(context, await context.runtime.fork(entryId, { position: isPrompt ? "before" : "at" }));
  },
};

async function pickPrompt(context: ReplContext): Promise<string | undefined> {
  const prompts = (await userMessages(context)).reverse();
  if (prompts.length === 0) {
    context.dialog.note("Nothing has been said yet");
    return undefined;
  }
  const picked = await context.dialog.pick({
    title: "Fork before what you said",
    items: prompts.map(itemOf),
  });
  return picked && prompts[picked.index]?.excerpt.id;
}

export const clone: Command = {
  name: "clone",
  does: "Goes on in a copy of this branch",
  async run(context) {
    told(context, await context.runtime.clone());
  },
};

export const importFile: Command = {
  name: "import",
  parameters: "<file>",
  does: "Goes on with a copy of a session file",
  help: "A file of Bough's or of Pi's. The file itself is not changed.",
  completes: "path",
  async run(context, argument) {
    if (argument === "") {
      throw new Error("Cannot import: say which file, as in /import old-session.jsonl");
    }
    const { runtime, session, env } = context;
    const file = path.resolve(session.session.cwd, expandTilde(argument, env));
    told(context, await runtime.importFromJsonl(file));
  },
};

export const reload: Command = {
  name: "reload",
  does: "Reads settings, skills, templates and extensions anew",
  async run({ runtime, dialog }) {
    await runtime.reload();
    dialog.note("Settings, skills, templates and extensions are read anew");
  },
};

export const quit: Command = {
  name: "quit",
  does: "Leaves; Ctrl-D on an empty line does the same",
  anytime: true,
  run: (context) => context.leave(),
};

function told(context: ReplContext, { cancelled, editorText }: SwitchOutcome): void {
  if (cancelled) return context.dialog.note("An extension stopped it; you are where you were");
  if (editorText !== undefined) context.put(editorText);
}
