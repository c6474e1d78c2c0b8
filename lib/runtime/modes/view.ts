/** The three outputs of print mode. */
import type { SessionHeader } from "../../session/mod.ts";
import type { AgentSessionEvent } from "../event.ts";
import type { Sink } from "./output.ts";
import type { RunResult } from "./result.ts";

/** What stdout shows of a run. */
export interface View {
  /** The session is open. */
  start(header: SessionHeader): void;
  event(event: AgentSessionEvent): void;
  /** The run is over; `answer` is what stands on stdout in text, if there is one. */
  end(result: RunResult, answer: string | undefined): void;
}

/** Text ending in exactly one LF. */
function line(text: string): string {
  return `${text.replace(/\n+$/, "")}\n`;
}

/** The answer alone, once it is whole. */
export function textView(stdout: Sink): View {
  return {
    start() {},
    event() {},
    end(_result, answer) {
      if (answer !== undefined && answer !== "") stdout.show(line(answer));
    },
  };
}

/** Text as it is written; each answer of the model begins a line. */
export function streamView(stdout: Sink): View {
  let isOpenLine = false;
  const endLine = () => {
    if (isOpenLine) stdout.write("\n");
    isOpenLine = false;
  };
  return {
    start() {},
    event(event) {
      if (event.type === "message_end") endLine();
      if (event.type !== "message_update") return;
      const part = event.assistantMessageEvent;
      if (part?.type !== "text_delta" || part.delta === "") return;
      stdout.show(part.delta);
      isOpenLine = !part.delta.endsWith("\n");
    },
    end: endLine,
  };
}

/** One object. */
export function jsonView(stdout: Sink): View {
  return {
    start() {},
    event() {},
    end(result) {
      stdout.record(result);
    },
  };
}

/** A record a line: the session's header, what happens, the result. */
export function eventsView(stdout: Sink): View {
  const record = (value: SessionHeader | AgentSessionEvent | RunResult) => stdout.record(value);
  return { start: record, event: record, end: (result) => record(result) };
}
