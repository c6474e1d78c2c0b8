/**
 * The context on its way to a provider: well-formed for any of them, whatever stands in the session.
 * Nothing here changes the session; it is done anew for each request.
 */
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../session/mod.ts";
import { checkImage, imageNote } from "./providers/images.ts";
import { contextText } from "./context_text.ts";

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

/**
 * The context as a provider takes it: user, assistant and toolResult messages alone. Each tool call
 * has exactly one result, directly after its message and in the order of the calls; there is no
 * blank text, no half of a surrogate pair, no image that would be refused, and no thinking of
 * another model. Answers that failed are left out, aborted ones keep their text. The ids of calls
 * are unique within a message only: their form is the adapter's business.
 */
export function toProviderMessages(
  messages: readonly Message[],
  target: ConversionTarget,
): ProviderMessage[] {
  const turns = withResults(messages, target);
  return turns.flatMap((turn): ProviderMessage[] =>
    "message" in turn ? [turn.message, ...turn.slots.map(resultOf)] : [turn.user]
  );
}

/** A tool call that waits for its result. */
interface Slot {
  call: ToolCall;
  timestamp: number;
  result?: ToolResultMessage;
}

type ConvertedTurn = { message: AssistantMessage; slots: Slot[] } | { user: UserMessage };

function withResults(messages: readonly Message[], target: ConversionTarget): ConvertedTurn[] {
  const turns: ConvertedTurn[] = [];
  const open = new Map<string, Slot[]>();
  for (const message of messages) {
    if (message.role === "assistant") {
      const turn = assistantTurn(message, target, open);
      if (turn) turns.push(turn);
    } else if (message.role === "toolResult") {
      // A result whose call is not in the context, or was answered already, has no slot.
      const slot = open.get(message.toolCallId)?.find((slot) => !slot.result);
      if (slot) slot.result = toolResult(message, slot, target);
    } else {
      const user = userMessage(message, target);
      if (user) turns.push({ user });
    }
  }
  return turns;
}

function assistantTurn(
  message: AssistantMessage,
  target: ConversionTarget,
  open: Map<string, Slot[]>,
): { message: AssistantMessage; slots: Slot[] } | undefined {
  if (message.stopReason === "error") return undefined;
  const aborted = message.stopReason === "aborted";
  const own = message.provider === target.provider && message.model === target.model &&
    message.api === target.api;
  const slots: Slot[] = [];
  const opened = new Map<string, Slot[]>();
  const content: AssistantMessage["content"] = [];
  for (const block of blocksOf(message.content)) {
    switch (block.type) {
      case "text":
        if (block.text.trim() === "") break;
        content.push(
          own && !aborted
            ? { ...block, text: block.text.toWellFormed() }
            : { type: "text", text: block.text.toWellFormed() },
        );
        break;
      case "thinking":
        // Never cleaned: a provider refuses a turn whose signed thinking was changed.
        if (own && !aborted) content.push(block);
        break;
      case "toolCall": {
        if (aborted) break;
        const call = wellFormedCall(block, slots);
        const slot = { call, timestamp: message.timestamp };
        content.push(call);
        slots.push(slot);
        opened.set(block.id, [...opened.get(block.id) ?? [], slot]);
        break;
      }
    }
  }
  for (const [id, waiting] of opened) open.set(id, waiting);
  const speaks = content.some((block) => block.type !== "thinking");
  return speaks ? { message: { ...message, content }, slots } : undefined;
}

/** The call with an id that no other call of its message has, and strings fit to be sent. */
function wellFormedCall(call: ToolCall, earlier: readonly Slot[]): ToolCall {
  const base = call.id === "" ? "call" : call.id.toWellFormed();
  let id = call.id === "" ? `call_${earlier.length + 1}` : base;
  for (let n = 2; earlier.some((slot) => slot.call.id === id); n++) id = `${base}_${n}`;
  return {
    type: "toolCall",
    id,
    name: call.name.toWellFormed(),
    arguments: wellFormedRecord(call.arguments),
  };
}

function resultOf(slot: Slot): ToolResultMessage {
  return slot.result ?? {
    role: "toolResult",
    toolCallId: slot.call.id,
    toolName: slot.call.name,
    content: [{
      type: "text",
      text: "No result was recorded for this call: it was interrupted, or never ran.",
    }],
    isError: true,
    timestamp: slot.timestamp,
  };
}

function toolResult(
  message: ToolResultMessage,
  slot: Slot,
  target: ConversionTarget,
): ToolResultMessage {
  const content = sendable(blocksOf(message.content), target);
  return {
    role: "toolResult",
    toolCallId: slot.call.id,
    toolName: slot.call.name,
    content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
    isError: message.isError,
    timestamp: message.timestamp,
  };
}

function userMessage(
  message: Exclude<Message, AssistantMessage | ToolResultMessage>,
  target: ConversionTarget,
): UserMessage | undefined {
  const said = contextText(message);
  if (said === undefined) return undefined;
  const content = sendable(blocksOf(said), target);
  return content.length === 0 ? undefined : { role: "user", content, timestamp: message.timestamp };
}

/** The blocks without blank text, and with a note for each image that cannot be sent. */
function sendable(
  blocks: readonly (TextContent | ImageContent)[],
  target: ConversionTarget,
): (TextContent | ImageContent)[] {
  const sent: (TextContent | ImageContent)[] = [];
  for (const block of blocks) {
    if (block.type === "text") {
      if (block.text.trim() !== "") sent.push({ type: "text", text: block.text.toWellFormed() });
    } else if (block.type === "image") {
      if (!target.input.includes("image")) {
        sent.push(imageNote("this model takes no images"));
        continue;
      }
      const check = checkImage(block);
      sent.push(check.ok ? check.image : imageNote(check.problem));
    }
  }
  return sent;
}

/** A stored content may be text, missing, or hold kinds of blocks that this code does not know. */
function blocksOf<T extends { type: string }>(
  content: string | readonly T[] | null | undefined,
): readonly (T | TextContent)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content ?? [];
}

/** Deeper than this nobody means it, and neither we nor a provider could walk it for ever. */
const DEPTH_MAX = 200;

function wellFormedRecord(record: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record ?? {}).map((
      [key, value],
    ) => [key.toWellFormed(), wellFormed(value, depth + 1)]),
  );
}

function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_MAX) return "(nested too deeply)";
  if (Array.isArray(value)) return value.map((each) => wellFormed(each, depth + 1));
  return wellFormedRecord({ ...value }, depth);
}
