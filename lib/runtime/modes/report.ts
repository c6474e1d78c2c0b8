/** What a person is told on stderr while a run goes on: a line each, nothing twice. */
import type { AgentSessionEvent } from "../event.ts";
import { VERSION } from "../version.ts";
import type { Sink } from "./output.ts";
import { harmless, oneLine } from "./terminal_text.ts";
import { reasonOf } from "../../session/mod.ts";

const ARGUMENT_LENGTH_MAX = 100;

/** Lines on stderr. `--quiet` leaves the errors. */
export class Report {
  readonly #stderr: Sink;
  readonly #quiet: boolean;

  constructor(stderr: Sink, options: { quiet: boolean }) {
    this.#stderr = stderr;
    this.#quiet = options.quiet;
  }

  error(text: string): void {
    this.#stderr.write(`bough: ${oneLine(text)}\n`);
  }

  /** Something that must not happen: what, and where. */
  bug(error: unknown): void {
    const message = reasonOf(error);
    this.error(
      `Cannot go on: there is a bug in Bough ${VERSION}. Please report it with these lines: ` +
        message,
    );
    if (error instanceof Error && error.stack) this.#stderr.write(`${harmless(error.stack)}\n`);
  }

  /** Something to know that stops nothing, or what is being done. */
  note(text: string): void {
    if (!this.#quiet) this.error(text);
  }

  /** What an extension tells. */
  notify(text: string, level: "info" | "warning" | "error"): void {
    if (level === "error") this.error(text);
    else this.note(text);
  }

  /** What an event says to somebody who waits for the answer. */
  progress(event: AgentSessionEvent): void {
    const text = this.#quiet ? undefined : describeEvent(event);
    if (text !== undefined) this.note(text);
  }
}

function describeEvent(event: AgentSessionEvent): string | undefined {
  switch (event.type) {
    case "tool_execution_start":
      return [event.toolName, mainArgument(event.args)].join(" ").trimEnd();
    case "auto_retry_start": {
      const seconds = Number((event.delayMs / 1000).toFixed(1));
      const whom = event.fallbackModel === undefined ? "" : ` ${event.fallbackModel}`;
      return `${event.errorMessage.replace(/\.$/, "")}; asking${whom} again in ${seconds} s ` +
        `(${event.attempt} of ${event.maxAttempts})`;
    }
    case "compaction_start":
      return "Compacting the context";
    case "compaction_end":
      return event.errorMessage;
    default:
      return undefined;
  }
}

/** The one argument that tells a person what a call does; empty if there is none at all. */
export function mainArgument(args: Record<string, unknown>): string {
  const named = ["command", "path", "pattern"].map((name) => args[name]);
  const value = named.find((each) => typeof each === "string") ??
    (Object.keys(args).length === 0 ? "" : JSON.stringify(args));
  return oneLine(String(value), ARGUMENT_LENGTH_MAX);
}
