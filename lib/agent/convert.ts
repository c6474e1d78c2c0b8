import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from "../session/mod.ts";

/** The messages that a provider takes. */
export type ProviderMessage = UserMessage | AssistantMessage | ToolResultMessage;

/** The model that the messages are meant for. */
export interface ConversionTarget {
  provider: string;
  /** The model's id. */
  model: string;
  api: string;
  input: readonly ("text" | "image")[];
}

/** The context as a provider takes it: user, assistant and toolResult messages alone. */
export function toProviderMessages(
  messages: readonly Message[],
  target: ConversionTarget,
): ProviderMessage[] {
  return messages.filter((message): message is ProviderMessage =>
    message.role === "user" || message.role === "assistant" || message.role === "toolResult"
  ).filter(() => target.model !== "");
}
