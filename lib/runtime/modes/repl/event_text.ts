/** What some events say to a person. */
import { type AssistantMessage, type CompactionEntry, textOf } from "../../../session/mod.ts";
import type { AgentSessionEvent } from "../../event.ts";
import { shortCount } from "./numbers.ts";

/** It ended well, and there is nothing in it to be shown. */
export function isSilent({ stopReason, content }: AssistantMessage): boolean {
  return stopReason === "stop" && textOf(content).trim() === "";
}

/** Where nothing moves, the wait is told once. */
export function retryText(
  { delayMs, attempt, maxAttempts, fallbackModel }: Extract<
    AgentSessionEvent,
    { type: "auto_retry_start" }
  >,
): string {
  const whom = fallbackModel === undefined ? "" : ` ${fallbackModel}`;
  const seconds = Math.max(1, Math.ceil(delayMs / 1000));
  return `Asking${whom} again in ${seconds} s (${attempt} of ${maxAttempts}); Ctrl-C stops`;
}

/** How much became short, and what it was about. */
export function compactedText({ summary, tokensBefore }: CompactionEntry): string {
  const about = firstLine(summary).replace(/^#+ /, "");
  return `Compacted ${shortCount(tokensBefore)} tokens: ${about}`;
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "")?.trim() ?? "";
}
