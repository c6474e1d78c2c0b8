/**
 * A compaction without a model: what the user asked for, word for word, which files were changed and
 * what was said last. Free, at once, and the same each time.
 */
import type { ExtensionApi, Message, SessionEntry } from "bough/api";
import { textOf } from "bough/api";

const REQUEST_LENGTH_MAX = 1_000;
const HEADING = "# Earlier in this conversation";

function cut(text: string): string {
  return text.length <= REQUEST_LENGTH_MAX ? text : `${text.slice(0, REQUEST_LENGTH_MAX)} […]`;
}

/** The sections of the summary that is brought up to date. */
function previousSummary(branch: readonly SessionEntry[]): string {
  const last = branch.findLast((entry) => entry.type === "compaction");
  return last?.type === "compaction" ? last.summary.replace(`${HEADING}\n\n`, "") : "";
}

function requests(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === "user" ? [`- ${cut(textOf(message.content)).replaceAll("\n", "\n  ")}`] : []
  );
}

function changedFiles(messages: readonly Message[]): string[] {
  const files = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "toolCall" || !["write", "edit"].includes(block.name)) continue;
      files.add(String(block.arguments["path"]));
    }
  }
  return [...files].map((file) => `- ${file}`);
}

function lastAnswer(messages: readonly Message[]): string[] {
  const answer = messages.findLast((message) =>
    message.role === "assistant" && textOf(message.content) !== ""
  );
  return answer?.role === "assistant" ? [cut(textOf(answer.content))] : [];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}\n\n${lines.join("\n")}`];
}

export default function (bough: ExtensionApi): void {
  bough.on("session_before_compact", ({ branch, instructions, plan }) => {
    // With instructions, or with nothing to summarize, it is a matter for the model.
    if (!plan || instructions !== undefined) return undefined;
    const { firstKeptEntryId, messages } = plan;
    const previous = previousSummary(branch);
    const summary = [
      HEADING,
      ...(previous === "" ? [] : [previous]),
      ...section("What the user asked for", requests(messages)),
      ...section("Files that were changed", changedFiles(messages)),
      ...section("The last answer", lastAnswer(messages)),
    ].join("\n\n");
    return { summary, firstKeptEntryId };
  });

  bough.on("session_compact", ({ entry }, context) => {
    if (entry.fromHook) {
      context.notify(`compacted without a model, ${entry.tokensBefore} tokens before`);
    }
  });
}
