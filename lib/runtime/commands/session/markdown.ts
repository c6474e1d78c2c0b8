/** A branch as Markdown. */
import { type Message, type Session, type SessionEntry, textOf } from "../../../session/mod.ts";
import { localTime } from "../ages.ts";
import { isConversation, lineOf } from "../entry_line.ts";
import { oneLine } from "../../modes/terminal_text.ts";

const TITLE_LENGTH_MAX = 80;
const OUTPUT_LINES_MAX = 40;

/** The document, piece by piece. Tool output is cut, unless it is to be full. */
export function* markdownOf(
  session: Session,
  branch: readonly SessionEntry[],
  { isFull }: { isFull: boolean },
): Generator<string> {
  const { id, header, name } = session;
  yield `# ${name ?? titleOf(branch)}\n\n`;
  yield `- Session: \`${id}\`\n- Directory: \`${header.cwd}\`\n- Begun: ${
    timeOf(header.timestamp)
  }\n`;
  for (const entry of branch) {
    if (isConversation(entry)) yield section(entry, session.labels.get(entry.id), isFull);
  }
}

function titleOf(branch: readonly SessionEntry[]): string {
  const first = branch.find((entry) => entry.type === "message" && entry.message.role === "user");
  return (first && lineOf(first, TITLE_LENGTH_MAX).text) || "A session";
}

function timeOf(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? timestamp : localTime(time);
}

function section(entry: SessionEntry, label: string | undefined, isFull: boolean): string {
  const { heading, body } = contentOf(entry, isFull);
  const mark = label === undefined ? "" : ` [${label}]`;
  return `\n## ${oneLine(heading)}${mark}\n\n${body.replace(/\n+$/, "")}\n`;
}

function contentOf(entry: SessionEntry, isFull: boolean): { heading: string; body: string } {
  switch (entry.type) {
    case "message":
      return ofMessage(entry.message, isFull);
    case "compaction":
      return { heading: "Compaction", body: entry.summary };
    case "branch_summary":
      return { heading: "Summary of another branch", body: entry.summary };
    case "custom_message":
      return { heading: entry.customType, body: blocks(entry.content) };
    default:
      return { heading: entry.type, body: "" };
  }
}

function ofMessage(message: Message, isFull: boolean): { heading: string; body: string } {
  switch (message.role) {
    case "user":
      return { heading: "You", body: blocks(message.content) };
    case "assistant":
      return { heading: `Model (${message.provider}/${message.model})`, body: ofAnswer(message) };
    case "toolResult":
      return {
        heading: `${message.isError ? "Failure" : "Result"} of ${message.toolName}`,
        body: fenced(isFull ? blocks(message.content) : cut(blocks(message.content))),
      };
    case "bashExecution":
      return {
        heading: "Command",
        body: fenced(`$ ${message.command}\n${isFull ? message.output : cut(message.output)}`),
      };
    case "custom":
      return { heading: message.customType, body: blocks(message.content) };
    case "branchSummary":
    case "compactionSummary":
      return { heading: "Summary", body: message.summary };
    case "system":
      return { heading: "System", body: blocks(message.content) };
  }
  return { heading: "Message", body: "" };
}

function ofAnswer({ content, stopReason, errorMessage }: Extract<Message, { role: "assistant" }>) {
  const parts = content.flatMap((block): string[] => {
    if (block.type === "text") return [block.text];
    if (block.type !== "toolCall") return [];
    return [
      `Calls **${block.name}**:\n\n${fenced(JSON.stringify(block.arguments, null, 2), "json")}`,
    ];
  });
  if (stopReason === "error") parts.push(`*Failed: ${errorMessage ?? "no reason was given"}*`);
  if (stopReason === "aborted") parts.push("*Stopped.*");
  if (stopReason === "length") parts.push("*Cut at the output limit.*");
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

function blocks(
  content: string | readonly { type: string; text?: string; mimeType?: string }[],
): string {
  if (typeof content === "string") return content;
  return content.map((block) =>
    block.type === "image" ? `*[image: ${block.mimeType ?? "?"}]*` : textOf([block])
  ).filter((part) => part !== "").join("\n\n");
}

/** A code block whose fence is longer than any run of backticks in it. */
function fenced(text: string, language = ""): string {
  // Not spread into `Math.max`: an output may have more runs than a call may have arguments.
  const longest = (text.match(/`+/g) ?? []).reduce((max, run) => Math.max(max, run.length), 0);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`;
}

function cut(output: string): string {
  const lines = output.replace(/\n+$/, "").split("\n");
  const left = lines.length - OUTPUT_LINES_MAX;
  return left > 0
    ? [...lines.slice(0, OUTPUT_LINES_MAX), `… ${left} more lines`].join("\n")
    : lines.join("\n");
}
