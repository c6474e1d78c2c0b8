/** What the messages that no provider knows say to a model. */
import type {
  AssistantMessage,
  BashExecutionMessage,
  ImageContent,
  Message,
  SystemMessage,
  TextContent,
  ToolResultMessage,
} from "../session/mod.ts";

/** What a message says as a user message, or undefined if it says nothing to the model. */
export function contextText(
  message: Exclude<Message, AssistantMessage | ToolResultMessage>,
): string | (TextContent | ImageContent)[] | undefined {
  switch (message.role) {
    case "user":
    case "custom":
      return message.content;
    case "bashExecution":
      return message.excludeFromContext ? undefined : bashText(message);
    case "branchSummary":
      return `What follows is a summary of another branch of this conversation, which was left:\n\n` +
        `<summary>\n${message.summary}\n</summary>`;
    case "compactionSummary":
      return `The conversation up to here was replaced by this summary:\n\n` +
        `<summary>\n${message.summary}\n</summary>`;
    case "system":
      return undefined;
  }
}

function bashText(message: BashExecutionMessage): string {
  const end = message.cancelled
    ? "The command was cancelled."
    : `Exit code: ${message.exitCode ?? "unknown"}.`;
  const cut = message.truncated
    ? ` The output was cut${
      message.fullOutputPath ? `; all of it is in ${message.fullOutputPath}` : ""
    }.`
    : "";
  const output = message.output.trimEnd() === "" ? "(no output)" : message.output.trimEnd();
  return `The user ran a command:\n\n$ ${message.command}\n\n${output}\n\n${end}${cut}`;
}

/**
 * The system prompt with the system text that stands later in a conversation. Newer Pi releases
 * store such messages; many servers refuse a second system message, so all of it goes into the first.
 * One before all other messages is the stored prompt of the program that wrote it: ours is in its
 * place.
 */
export function withSystemMessages(systemPrompt: string, messages: readonly Message[]): string {
  const texts = [systemPrompt];
  let isLater = false;
  for (const message of messages) {
    if (message.role !== "system") isLater = true;
    else if (isLater) texts.push(systemText(message));
  }
  return texts.filter((text) => text.trim() !== "").join("\n\n");
}

/** Text and named sections alike. */
function systemText(message: SystemMessage & { sections?: unknown }): string {
  const { content, sections } = message;
  const parts: unknown[] = typeof content === "string"
    ? [content]
    : (content ?? []).map((block) => block.text);
  if (typeof sections === "object" && sections !== null) parts.push(...Object.values(sections));
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n\n");
}
