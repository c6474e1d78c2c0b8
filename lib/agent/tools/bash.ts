/** The tool `bash`. */
import type { Tool, ToolCallContext, ToolResult } from "../tool.ts";
import { runShell, type ShellResult } from "./shell.ts";
import { environmentOf, type ToolOptions } from "./tool_options.ts";
import { byteLength, BYTES_MAX, cutStart, LINES_MAX, sizeText } from "./truncate.ts";

const UPDATE_EVERY_MS = 100;
/** New output that one update carries at most; the whole is in the result, or in its file. */
const UPDATE_BYTES_MAX = 16 * 1024;
/** setTimeout takes no longer ones. */
const TIMEOUT_SECONDS_MAX = 2_000_000;

/** What the result of `bash` tells programs. */
export interface BashDetails {
  exitCode?: number;
  truncated: boolean;
  fullOutputPath?: string;
}

/** Runs a command in a shell; output is streamed, cut to its end, and kept whole in a file. */
export function bashTool(options: ToolOptions): Tool {
  return {
    name: "bash",
    description:
      `Runs a command in a shell, in the session's directory, without stdin. Gives back stdout and stderr together, the last ${LINES_MAX} lines or ${
        BYTES_MAX / 1024
      } KB; the whole of a longer output is kept in a file that is named. Ends when the shell does: what runs on in the background is left running.`,
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command" },
        timeout: {
          type: "number",
          exclusiveMinimum: 0,
          maximum: TIMEOUT_SECONDS_MAX,
          description: "Seconds after which it is ended; no limit if absent",
        },
      },
      required: ["command"],
    },
    execute: (args, context) => runBash(args, context, options),
  };
}

async function runBash(
  args: Record<string, unknown>,
  context: ToolCallContext,
  options: ToolOptions,
): Promise<ToolResult> {
  const timeout = typeof args["timeout"] === "number" ? args["timeout"] : undefined;
  const updates = new UpdateThrottle(context);
  try {
    const result = await runShell({
      command: String(args["command"]),
      cwd: options.cwd,
      env: environmentOf(options),
      signal: context.signal,
      onOutput: (text) => updates.push(text),
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      ...(options.shell === undefined ? {} : { shell: options.shell }),
      ...(options.processes === undefined ? {} : { processes: options.processes }),
      ...(options.temporaryDirectory === undefined
        ? {}
        : { temporaryDirectory: options.temporaryDirectory }),
    });
    const isError = result.exitCode !== 0 || result.timedOut;
    return {
      content: [{ type: "text", text: resultText(result, timeout) }],
      details: detailsOf(result),
      ...(isError ? { isError } : {}),
    };
  } finally {
    updates.end();
  }
}

function detailsOf(result: ShellResult): BashDetails {
  return {
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    truncated: result.truncated,
    ...(result.fullOutputPath === undefined ? {} : { fullOutputPath: result.fullOutputPath }),
  };
}

function resultText(result: ShellResult, timeout: number | undefined): string {
  const parts = [result.output === "" ? "(no output)" : result.output];
  if (result.truncated) parts.push(cutNote(result));
  if (result.cancelled) parts.push("The command was aborted; it and what it started were ended.");
  else if (result.timedOut) {
    parts.push(`The command did not end within ${timeout} s; it and what it started were ended.`);
  } else if (result.exitCode !== 0) parts.push(`Exit code: ${result.exitCode}`);
  return parts.join("\n\n");
}

/** Says which part of the output is shown, and where the whole is. */
function cutNote({ shown, fullOutputPath, fullOutputProblem }: ShellResult): string {
  const part = shown.cutLineBytes === undefined
    ? `Lines ${shown.firstLine}-${shown.lastLine} of ${shown.totalLines} are shown (${
      sizeText(shown.totalBytes)
    } in all).`
    : `Line ${shown.lastLine} of ${shown.totalLines} is cut: the last ${
      sizeText(byteLength(shown.text))
    } of its ${sizeText(shown.cutLineBytes)} are shown.`;
  const whole = fullOutputPath === undefined ? "" : ` The whole output is in ${fullOutputPath}.`;
  const problem = fullOutputProblem === undefined
    ? ""
    : ` The file for the whole output is not complete: ${fullOutputProblem}.`;
  return `[${part}${whole}${problem}]`;
}

/** Hands on new output, a few times a second at most; of a flood, the end. */
class UpdateThrottle {
  readonly #context: ToolCallContext;
  #waiting = "";
  #leftOut = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: ToolCallContext) {
    this.#context = context;
  }

  push(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length > 4 * UPDATE_BYTES_MAX) {
      this.#waiting = this.#waiting.slice(-UPDATE_BYTES_MAX);
      this.#leftOut = true;
    }
    this.#timer ??= setTimeout(() => this.#flush(), UPDATE_EVERY_MS);
  }

  /** Hands on what waits, at once. */
  end(): void {
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === "") return;
    const isLong = this.#leftOut || byteLength(this.#waiting) > UPDATE_BYTES_MAX;
    const text = isLong
      ? `[…]\n${cutStart(this.#waiting, UPDATE_BYTES_MAX).toWellFormed()}`
      : this.#waiting;
    this.#waiting = "";
    this.#leftOut = false;
    this.#context.onUpdate({ content: [{ type: "text", text }] });
  }
}
