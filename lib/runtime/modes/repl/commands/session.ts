/** Commands about the session as a whole. */
import { type AssistantMessage, textOf } from "../../../../session/mod.ts";
import { copyByProgram } from "../clipboard.ts";
import type { Command, ReplContext } from "../context.ts";
import { contextText, modelName, money, shortCount, usageText } from "../numbers.ts";
import { type Row, span } from "../styled.ts";

export const name: Command = {
  name: "name",
  parameters: "[text]",
  does: "Names the session",
  help:
    "Without a text it asks; an empty name takes the name away. A session can be opened by its " +
    "name.",
  anytime: true,
  async run({ dialog, session }, argument) {
    const initial = session.session.name ?? "";
    const text = argument === ""
      ? await dialog.ask("The session's name; empty for none", { initial })
      : argument;
    if (text === undefined) return;
    await session.setSessionName(text.trim());
    dialog.note(
      text.trim() === "" ? "The session has no name now" : `The session is "${text.trim()}"`,
    );
  },
};

export const session: Command = {
  name: "session",
  does: "Shows file, id, branch, tokens and cost",
  anytime: true,
  async run({ dialog, session: live, runtime }) {
    const { session } = live;
    const stats = await live.stats();
    const { entries } = await session.getOutline();
    const { messages, branch, session: all } = stats;
    dialog.rows([
      fact("id", session.id),
      ...(session.name === undefined ? [] : [fact("name", session.name)]),
      fact("file", session.file ?? "none: it is kept in memory"),
      fact("directory", session.cwd),
      ...(session.header.parentSession === undefined
        ? []
        : [fact("forked from", session.header.parentSession)]),
      fact("branch", `${branchText(session.leafId, entries.length)}`),
      fact(
        "messages",
        `${messages.user} yours, ${messages.assistant} answers, ${messages.toolCalls} tool calls`,
      ),
      fact("model", `${modelName(live.model.facts)}, thinking ${live.thinkingLevel}`),
      fact("context", `${contextText(stats.context)}, ${shortCount(stats.context.tokens)} tokens`),
      fact("this branch", `${usageText(branch)}, ${money(branch.cost.total)}`),
      fact("all branches", `${usageText(all)}, ${money(all.cost.total)}`),
      ...damageRow(session.damage.length),
      ...trustRow(runtime.services.trusted),
    ]);
  },
};

function fact(what: string, value: string): Row {
  return [span(`${what.padEnd(12)} `, { dim: true }), span(value)];
}

function branchText(leafId: string | null, entries: number): string {
  return leafId === null
    ? "before the first entry"
    : `ends at ${leafId.slice(0, 8)}, of ${entries} entries`;
}

function damageRow(lines: number): Row[] {
  return lines === 0 ? [] : [fact("damage", `${lines} lines; bough session verify tells more`)];
}

function trustRow(trusted: boolean | undefined): Row[] {
  return trusted === undefined ? [] : [fact("project", trusted ? "trusted" : "not trusted")];
}

export const compact: Command = {
  name: "compact",
  parameters: "[text]",
  does: "Summarizes what the model has read, to make room",
  help: "The text says what the summary should look at. Nothing is lost: moving above it in the " +
    "tree undoes it. Ctrl-C stops it.",
  async run({ session }, argument) {
    // What comes of it is told by its events.
    await session.compact(argument === "" ? undefined : argument);
  },
};

export const copy: Command = {
  name: "copy",
  does: "Puts the last answer into the clipboard",
  anytime: true,
  async run(context) {
    const text = await lastAnswer(context);
    if (text === undefined) {
      return context.dialog.error("Cannot copy the last answer: there is none yet");
    }
    const byProgram = await copyByProgram(text, context.env);
    if (!context.copy(text) && !byProgram) {
      return context.dialog.error(
        "Cannot copy: neither the terminal nor pbcopy, wl-copy, xclip or xsel takes it",
      );
    }
    const lines = text.split("\n").length;
    context.dialog.note(`Copied ${lines} ${lines === 1 ? "line" : "lines"}`);
  },
};

async function lastAnswer({ session }: ReplContext): Promise<string | undefined> {
  const branch = await session.session.getBranch();
  const answers = branch.flatMap((entry): AssistantMessage[] =>
    entry.type === "message" && entry.message.role === "assistant" ? [entry.message] : []
  );
  return answers.map(({ content }) => textOf(content)).findLast((text) => text.trim() !== "");
}

export const later: Command = {
  name: "later",
  parameters: "<text>",
  does: "Says it once the model is done",
  help: "While the model works, a line that you type is said after its current tool calls; with " +
    "/later it waits until there is nothing left to do.",
  anytime: true,
  run(context, argument) {
    if (argument === "") throw new Error("Cannot say nothing: /later needs a text");
    context.later(argument);
  },
};
