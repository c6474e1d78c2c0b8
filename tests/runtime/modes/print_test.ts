import { describe, expect, test } from "bun:test";
import type { Tool } from "../../../lib/agent/mod.ts";
import { AgentSession } from "../../../lib/runtime/agent_session.ts";
import { parseCommandLine } from "../../../lib/runtime/command_line/parse.ts";
import type { RunOptions } from "../../../lib/runtime/command_line/run_options.ts";
import { print, type PrintPorts } from "../../../lib/runtime/modes/print.ts";
import { Stopper } from "../../../lib/runtime/modes/stop.ts";
import { MemorySessionRepo } from "../../../lib/session/mod.ts";
import { HeldTimer } from "../../support/manual_timer.ts";
import { recordedSink } from "../../support/recorded_sink.ts";
import { type Answer, type ScriptedModel, scriptedModel } from "../../support/scripted_model.ts";
import { TempDirectory } from "../../support/temp.ts";

function optionsOf(args: readonly string[]): RunOptions {
  const line = parseCommandLine(args, { stdin: false, stdout: false });
  if (line.kind !== "run") throw new Error(JSON.stringify(line));
  return line.options;
}

const TOOL: Tool = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  execute: () => Promise.resolve({ content: [{ type: "text", text: "seen" }] }),
};

const CALL: Answer = { calls: [{ id: "c1", name: "look" }] };

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  model: ScriptedModel;
  /** What the conversation was opened with. */
  opened: RunOptions | undefined;
  /** How often it was let go of. */
  closed: number;
}

/** Runs print mode over a scripted model. */
async function run(
  args: readonly string[],
  answers: Parameters<typeof scriptedModel>[0],
  ports: Partial<PrintPorts> & { tool?: Tool } = {},
): Promise<Ran> {
  const stdout = recordedSink();
  const stderr = recordedSink();
  const model = scriptedModel(answers);
  let opened: RunOptions | undefined;
  let closed = 0;
  const code = await print(optionsOf(args), {
    stdout: stdout.sink,
    stderr: stderr.sink,
    stdin: () => ({ kind: "none", read: () => Promise.resolve(undefined) }),
    stopper: new Stopper(),
    cwd: "/",
    async open(options, { outputSchema }) {
      opened = options;
      const session = await new MemorySessionRepo().create({ cwd: "/" });
      const live = new AgentSession({
        session,
        model,
        tools: [ports.tool ?? TOOL],
        retry: { enabled: false },
        ...(outputSchema ? { outputSchema } : {}),
      });
      return {
        session: live,
        warnings: [{ message: "Something to know" }],
        start: () => Promise.resolve(),
        async close() {
          closed++;
          await live.dispose();
        },
      };
    },
    ...ports,
  });
  await stdout.sink.drain();
  await stderr.sink.drain();
  return { code, stdout: stdout.writer.text, stderr: stderr.writer.text, model, opened, closed };
}

function resultOf(ran: Ran): Record<string, unknown> {
  return JSON.parse(ran.stdout.trimEnd().split("\n").at(-1) ?? "");
}

describe("print()", () => {
  test("prints the last answer, tells the rest on stderr, and closes", async () => {
    const ran = await run(["one", "two"], [CALL, { text: "first" }, { text: "second" }]);
    expect({ ...ran, model: undefined, opened: undefined }).toEqual({
      code: 0,
      stdout: "second\n",
      stderr: "bough: Something to know\nbough: look\n",
      closed: 1,
      model: undefined,
      opened: undefined,
    });
  });

  test("streams each answer on lines of its own", async () => {
    const ran = await run(["--stream", "x"], [{ ...CALL, text: "I look" }, { text: "It is\n" }]);
    expect(ran.stdout).toBe("I look\nIt is\n");
  });

  test("stops at the first prompt that is not answered", async () => {
    const ran = await run(["one", "two"], [{ text: "half", fails: "refused" }]);
    expect(ran).toMatchObject({ code: 1, stdout: "", closed: 1 });
    expect(ran.stderr).toEndWith(
      "bough: The model failed: refused.\nbough: The next prompt was not asked\n",
    );
    expect(ran.model.requests).toHaveLength(1);
  });

  test("adds up what all prompts used", async () => {
    const ran = await run(["--output", "json", "one", "two"], [
      { text: "a", usage: { input: 1, totalTokens: 1 } },
      { text: "b", usage: { input: 2, totalTokens: 2 } },
    ]);
    expect(resultOf(ran)).toMatchObject({ turns: 2, usage: { input: 3, totalTokens: 3 } });
  });

  test("reports a bug with where it is, and exits with 70", async () => {
    const ran = await run(["x"], [], { open: () => Promise.reject(new TypeError("x is not y")) });
    expect(ran.code).toBe(70);
    expect(ran.stderr).toMatch(
      /^bough: Cannot go on: there is a bug in Bough \S+\. Please .*: x is not y\nTypeError: x is/,
    );
  });

  test("does not open a session when it was stopped before", async () => {
    const stopper = new Stopper();
    stopper.stop({ kind: "signal", signal: "SIGINT" });
    const ran = await run(["x"], [], { stopper });
    expect(ran).toMatchObject({ code: 130, stdout: "", opened: undefined });
  });
});

describe("print() keeps limits", () => {
  test("of turns: the results are in, and the next call is not made", async () => {
    const ran = await run(["--output=json", "--max-turns=1", "x"], [CALL, { text: "never" }]);
    expect(ran.code).toBe(6);
    expect(resultOf(ran)).toMatchObject({
      ok: false,
      exitCode: 6,
      turns: 1,
      error: { code: "limit_turns", retryable: true },
    });
    // This session is in memory alone: there is nothing to go on with.
    expect(ran.stderr).toEndWith(
      "bough: Cannot finish within the limit: --max-turns 1 is used up\n",
    );
    expect(ran.model.requests).toHaveLength(1);
  });

  test("of cost: the calls of a dear answer do not run", async () => {
    let ranTool = false;
    const tool: Tool = {
      ...TOOL,
      execute() {
        ranTool = true;
        return TOOL.execute({}, {
          toolCallId: "",
          signal: new AbortController().signal,
          onUpdate() {},
        });
      },
    };
    const cost = { input: 0, output: 2, cacheRead: 0, cacheWrite: 0, total: 2 };
    const answers = [{ ...CALL, usage: { cost } }, { text: "never" }];
    const ran = await run(["--max-cost", "1.5", "x"], answers, { tool });
    expect({ code: ran.code, ranTool }).toEqual({ code: 6, ranTool: false });
  });

  test("of cost: nothing starts once it is spent", async () => {
    const cost = { input: 0, output: 2, cacheRead: 0, cacheWrite: 0, total: 2 };
    const ran = await run(["--max-cost", "1.5", "one", "two"], [
      { text: "dear", usage: { cost } },
      { text: "never" },
    ]);
    expect(ran.code).toBe(6);
    expect(ran.model.requests).toHaveLength(1);
  });

  test("of time, in the middle of an answer", async () => {
    const timer = new HeldTimer();
    const running = run(["--timeout", "90s", "x"], [{ text: "half", hangs: true }], { timer });
    await timer.sleeping(1);
    await new Promise((resolve) => setImmediate(resolve));
    timer.wake();
    const ran = await running;
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 6, stdout: "" });
    expect(ran.stderr).toContain("--timeout 90 s is over");
  });
});

describe("print() holds the answer to a schema", () => {
  const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

  async function structured(args: readonly string[], answers: readonly Answer[]) {
    using temp = new TempDirectory();
    temp.write("work/s.json", JSON.stringify(schema));
    return await run(["--schema", "s.json", ...args, "x"], answers, { cwd: temp.cwd });
  }

  test("which the provider gets, and the model in words", async () => {
    const ran = await structured([], [{ text: '{ "ok": true }' }]);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 0, stdout: '{"ok":true}\n' });
    expect(ran.model.requests[0]?.outputSchema).toEqual({ name: "answer", schema });
    expect(ran.opened?.appendSystemPrompts.join()).toContain(JSON.stringify(schema));
  });

  test("and lets the model mend it once", async () => {
    const ran = await structured(["--output", "json"], [{ text: "{}" }, { text: '{"ok":false}' }]);
    expect(ran.code).toBe(0);
    expect(resultOf(ran)).toMatchObject({ structured: { ok: false }, turns: 2, exitCode: 0 });
    const messages = JSON.stringify(ran.model.requests[1]?.messages.at(-1));
    expect(messages).toContain("does not have required property");
  });

  test("and gives up then, with the reason", async () => {
    const ran = await structured([], [{ text: "{}" }, { text: "no" }, { text: '{"ok":true}' }]);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 8, stdout: "" });
    expect(ran.stderr).toContain(
      "bough: Cannot give an answer that fits the schema: it is no JSON",
    );
    expect(ran.model.requests).toHaveLength(2);
  });
});
