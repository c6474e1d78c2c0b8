/** Commands that move in the tree, and mark entries in it. */
import type { Command, ReplContext } from "../context.ts";
import { isYes } from "../dialog.ts";
import { lastSaid } from "../../../commands/entry_ref.ts";
import { findEntry, itemOf } from "../entry_choice.ts";
import { row, span } from "../styled.ts";
import { TREE_FILTERS, type TreeFilter, treeRows } from "../tree_rows.ts";

export const tree: Command = {
  name: "tree",
  parameters: "[entry | users | labels | all]",
  does: "Shows the tree and moves in it",
  help: "Without an entry, the tree is drawn, and asks for the number, id or label of an entry. " +
    "users shows what you said, labels what has a label, all also settings and tool results; * is " +
    "where you are, • the way to it.\n" +
    "Choosing something that you said puts it back on the input line, and you before it: sending " +
    "it begins a new branch. Any other entry is where the conversation goes on. Nothing is lost: " +
    "the branch that you leave stays in the tree, and can be summarized into the new one.",
  completes: "tree",
  async run(context, argument) {
    const filter = TREE_FILTERS.find((each) => each === argument);
    const chosen = argument !== "" && filter === undefined
      ? argument
      : await askForEntry(context, filter ?? "conversation");
    if (chosen !== undefined) await move(context, await findEntry(context, chosen));
  },
};

async function askForEntry(context: ReplContext, filter: TreeFilter): Promise<string | undefined> {
  const { dialog, session } = context;
  const drawing = treeRows(await session.session.getOutline(), filter, dialog.columns);
  if (drawing.ids.length === 0) {
    dialog.note(filter === "labels" ? "No entry has a label" : "Nothing has been said yet");
    return undefined;
  }
  context.numbered = drawing.ids;
  dialog.rows(drawing.rows);
  const answer = await dialog.ask(
    "Go to which entry? A number, an id or a label; Enter stays here",
  );
  return answer?.trim() || undefined;
}

async function move(context: ReplContext, targetId: string): Promise<void> {
  const { dialog, session } = context;
  const { leafId } = session.session;
  const target = await session.session.getEntry(targetId);
  const isPrompt = target?.type === "message" && target.message.role === "user";
  if (!isPrompt && (targetId === leafId || targetId === await lastSaid(session.session))) {
    return dialog.note("You are there already");
  }
  const placeId = isPrompt ? target.parentId : targetId;
  const summary = await leavesSomething(context, placeId) ? await askForSummary(context) : {};
  if (!summary) return dialog.note("You stay where you are");
  const outcome = await context.during(
    summary.summarize ? "Summarizing the branch" : "Moving",
    () => session.navigateTree(targetId, summary),
  );
  if (outcome.cancelled) return dialog.note("You stay where you are");
  if (outcome.editorText !== undefined) context.put(outcome.editorText);
  const summarized = outcome.summaryEntryId === undefined ? "" : ", with a summary of the branch";
  dialog.note(
    outcome.leafId === null
      ? "You are before the first entry"
      : `You are at ${outcome.leafId.slice(0, 8)}${summarized}`,
  );
}

/** Whether anything that was said stands below the place that is moved to. */
async function leavesSomething(context: ReplContext, placeId: string | null): Promise<boolean> {
  const { session } = context.session;
  const kept = new Set((await session.getBranch(placeId)).map(({ id }) => id));
  const left = (await session.getBranch()).filter(({ id }) => !kept.has(id));
  return left.some(({ type }) => type === "message");
}

/** Undefined if the person thinks better of it. */
async function askForSummary(
  { dialog }: ReplContext,
): Promise<{ summarize?: boolean; instructions?: string } | undefined> {
  const answer = await dialog.ask(
    "Summarize the branch that you leave? y, Enter for no, or what the summary should look at",
  );
  const text = answer?.trim();
  if (text === undefined) return undefined;
  if (text === "" || /^no?$/i.test(text)) return {};
  return isYes(text) ? { summarize: true } : { summarize: true, instructions: text };
}

/** What may name an entry; a shorter start of an id is rather a word. */
const NAMES_ENTRY = /^(?:\d{1,4}|leaf|[0-9a-f]{4,16})(?:~\d*)?$/;

export const label: Command = {
  name: "label",
  parameters: "[entry] [text]",
  does: "Labels an entry; without a text the label goes",
  help:
    "The entry is a number of the last /tree, an id or the start of one, a label, or leaf. If " +
    "the first word is no entry, all of it is the label of what was said last. Alone, it lists the " +
    "labels.",
  anytime: true,
  completes: "entry",
  async run(context, argument) {
    const { dialog, session } = context;
    if (argument === "") return listLabels(context);
    const [first = "", ...words] = argument.split(/\s+/);
    const isNamed = NAMES_ENTRY.test(first) || [...session.session.labels.values()].includes(first);
    const named = isNamed ? await findEntry(context, first).catch(() => undefined) : undefined;
    const entryId = named ?? await lastSaid(session.session);
    if (entryId === undefined) return dialog.error("Cannot label anything: nothing was said yet");
    const text = named === undefined ? argument : words.join(" ");
    await session.setLabel(entryId, text);
    dialog.note(
      text === ""
        ? `${entryId.slice(0, 8)} has no label now`
        : `${entryId.slice(0, 8)} is labelled "${text}"`,
    );
  },
};

function listLabels({ dialog, session }: ReplContext): void {
  const { labels } = session.session;
  if (labels.size === 0) return dialog.note("No entry has a label");
  dialog.rows([...labels].map(([id, text]) => [
    span(`${id.slice(0, 8)}  `, { dim: true }),
    span(text),
  ]));
}

export const drop: Command = {
  name: "drop",
  parameters: "[entry]",
  does: "Takes one entry out of what the model reads",
  help:
    "The entry stays in the session, and on other branches it still counts. Without an entry, " +
    "you choose from what the model reads now.",
  completes: "entry",
  async run(context, argument) {
    const { dialog, session } = context;
    const entryId = argument === ""
      ? await pickFromContext(context)
      : await findEntry(context, argument);
    if (entryId === undefined) return;
    const read = await session.session.contextItems();
    if (!read.some(({ entry }) => entry.id === entryId)) {
      throw new Error(
        `Cannot drop ${entryId}: the model does not read it now (dropped or summarized already, ` +
          "or on another branch)",
      );
    }
    await session.dropFromContext(entryId);
    dialog.rows([row(`${entryId.slice(0, 8)} is out of the context`, { dim: true })]);
  },
};

async function pickFromContext({ dialog, session }: ReplContext): Promise<string | undefined> {
  const items = await session.session.contextItems();
  if (items.length === 0) {
    dialog.note("The model has nothing to read yet");
    return undefined;
  }
  const newestFirst = items.reverse();
  const picked = await dialog.pick({
    title: "Take out of the context",
    items: newestFirst.map(({ entry }) => itemOf({ excerpt: entry, parent: undefined })),
  });
  return picked && newestFirst[picked.index]?.entry.id;
}
