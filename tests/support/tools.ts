/** Tools in a directory of a test's own. */
import * as path from "node:path";
import {
  codingTools,
  type ToolCallContext,
  type ToolName,
  type ToolOptions,
  type ToolResult,
} from "../../lib/agent/mod.ts";
import { textOf } from "../../lib/session/mod.ts";
import { checkArguments } from "../../lib/agent/mod.ts";
import { TempDirectory } from "./temp.ts";

/** What a call came to. */
export interface CalledTool {
  text: string;
  isError: boolean;
  result: ToolResult;
  /** The texts of the updates. */
  updates: string[];
}

/** The tools in a temporary directory, called as the loop calls them. */
export class ToolBench implements Disposable {
  readonly temp = new TempDirectory();
  readonly #options: ToolOptions;

  constructor(options: Partial<ToolOptions> = {}) {
    this.#options = {
      cwd: this.temp.cwd,
      env: () => this.temp.env(),
      temporaryDirectory: this.temp.make("tmp"),
      ...options,
    };
  }

  get cwd(): string {
    return this.#options.cwd;
  }

  /** Writes a file below the tools' directory. */
  write(name: string, content: string | Uint8Array): string {
    return this.temp.write(path.join("work", name), content);
  }

  /** Checks the arguments and runs the tool; what it throws becomes an error result. */
  async call(
    name: ToolName,
    args: Record<string, unknown>,
    more: { signal?: AbortSignal; onUpdate?: ToolCallContext["onUpdate"] } = {},
  ): Promise<CalledTool> {
    const tool = codingTools(this.#options).find((each) => each.name === name);
    if (!tool) throw new Error(`There is no tool ${name}`);
    const checked = tool.check ? await tool.check(args) : checkArguments(tool.parameters, args);
    if (!checked.ok) return called(failure(checked.problem), []);
    const updates: string[] = [];
    const context: ToolCallContext = {
      toolCallId: "call_1",
      signal: more.signal ?? new AbortController().signal,
      onUpdate: (partial) => {
        updates.push(textOf(partial.content));
        more.onUpdate?.(partial);
      },
    };
    try {
      return called(await tool.execute(checked.args, context), updates);
    } catch (error) {
      return called(failure(error instanceof Error ? error.message : String(error)), updates);
    }
  }

  [Symbol.dispose](): void {
    this.temp[Symbol.dispose]();
  }
}

function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function called(result: ToolResult, updates: string[]): CalledTool {
  return { text: textOf(result.content), isError: result.isError === true, result, updates };
}
