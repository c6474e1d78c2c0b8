/** Messages as they are shown when a session is opened, and prompts. */
import { type SessionEntry, textOf } from "../../../session/mod.ts";
import { MarkdownText } from "./markdown.ts";
import { cutRow, type Row, row, rowsOf, span, wrapRow } from "./styled.ts";
import { shortened } from "./tool_rows.ts";

const PROMPT_ROWS_MAX = 20;
const ANSWER_ROWS_MAX = 30;

/** What a person said. */
export function promptRows(text: string, columns: number): Row[] {
  const rows = rowsOf(text.trimEnd(), { bold: true }).flatMap((line, index) => {
    const mark = span(index === 0 ? "> " : "  ", { bold: true, colour: "cyan" });
    return wrapRow([mark, ...line], columns, [span("  ")]);
  });
  return shortened(rows, PROMPT_ROWS_MAX);
}

/** Texts that wait to be said, a row each. */
export function waitingRows(how: string, texts: readonly string[], columns: number): Row[] {
  return texts.map((text) =>
    cutRow([span(`${how}: `, { dim: true, colour: "yellow" }), span(text, { dim: true })], columns)
  );
}

/** The last thing that a person said on a branch, and the answer to it. */
export function lastExchangeRows(
  branch: readonly SessionEntry[],
  options: { columns: number; raw: boolean },
): Row[] {
  const at = branch.findLastIndex((entry) =>
    entry.type === "message" && entry.message.role === "user"
  );
  const asked = branch[at];
  if (asked?.type !== "message" || asked.message.role !== "user") return [];
  const answers = branch.slice(at + 1).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant"
      ? [textOf(entry.message.content)]
      : []
  ).filter((text) => text.trim() !== "");
  const answer = answers.at(-1);
  const rows = promptRows(textOf(asked.message.content), options.columns);
  if (answer === undefined) return rows;
  return [...rows, [], ...answerRows(answer, options)];
}

function answerRows(text: string, { columns, raw }: { columns: number; raw: boolean }): Row[] {
  const markdown = new MarkdownText({ raw });
  const rows = [...markdown.add(text, columns), ...markdown.end(columns)];
  const hidden = rows.length - ANSWER_ROWS_MAX;
  if (hidden <= 0) return rows;
  // The end of an answer is where the conversation goes on.
  return [row(`… ${hidden} lines before`, { dim: true }), ...rows.slice(-ANSWER_ROWS_MAX)];
}
