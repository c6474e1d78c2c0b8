import { describe, expect, test } from "bun:test";
import type { Tool } from "../../../lib/agent/mod.ts";
import type { Extension, ExtensionApi } from "../../../lib/runtime/extensions/api.ts";
import { HANDLER_LIMIT_MS, LIMITS_MS } from "../../../lib/runtime/extensions/handler_calls.ts";
import { LOAD_LIMIT_MS } from "../../../lib/runtime/extensions/load.ts";
import { COMMAND_LIMIT_MS } from "../../../lib/runtime/extensions/runner.ts";
import { Extended } from "../../support/extended.ts";
import { TempDirectory } from "../../support/temp.ts";
import { HeldTimer } from "../../support/manual_timer.ts";

const forever = () => new Promise<never>(() => {});

/** Ends each sleep of a timer as it begins, but for the first `free` ones. */
async function wakeAll(timer: HeldTimer, from: number, until: Promise<unknown>): Promise<void> {
  let ended = false;
  void until.finally(() => ended = true);
  for (let n = from; !ended; n++) {
    await Promise.race([timer.sleeping(n), until]);
    timer.wake();
  }
}

const run: Tool = {
  name: "run",
  description: "Runs.",
  parameters: { type: "object" },
  execute: () => Promise.resolve({ content: [{ type: "text", text: "ran" }] }),
};
const callsRun = (id: string) => ({ calls: [{ id, name: "run" }] });

describe("a handler that throws", () => {
  test("is told of once by name, and left out each time; the others go on", async () => {
    const heard: string[] = [];
    const broken: Extension = (bough) =>
      bough.on("input", () => {
        throw new Error("no such table");
      });
    const sound: Extension = (bough) => bough.on("input", ({ text }) => void heard.push(text));
    await using world = await Extended.open({ broken, sound }, {
      answers: [{ text: "1" }, { text: "2" }],
    });
    await world.live.prompt("one");
    const outcome = await world.live.prompt("two");
    expect([outcome.text, heard]).toEqual(["2", ["one", "two"]]);
    expect(world.notices).toEqual([
      ["Extension broken (broken): the handler of input failed: no such table", "warning"],
    ]);
  });

  test("refuses what it guards if it fails closed", async () => {
    const open: Extension = (bough) =>
      bough.on("tool_call", () => {
        throw new Error("oops");
      });
    const closed: Extension = (bough) =>
      bough.on("tool_call", () => Promise.reject(new Error("oops")), { failClosed: true });
    for (
      const [extension, expected] of [
        [open, "toolResult: ran"],
        [closed, "toolResult: This was refused: the extension gate failed: oops."],
      ] as const
    ) {
      await using world = await Extended.open({ gate: extension }, {
        answers: [callsRun("1"), { text: "done" }],
        tools: [run],
      });
      await world.live.prompt("go");
      expect((await world.branch())[3]).toBe(expected);
    }
  });
});

describe("a handler that hangs", () => {
  test("is given up after its time, told of by name, and not called again", async () => {
    const timer = new HeldTimer();
    let calls = 0;
    let aborted = false;
    const hangs: Extension = (bough) =>
      bough.on("turn_start", (_, { signal }) => {
        calls++;
        signal.addEventListener("abort", () => aborted = true);
        return forever();
      });
    await using world = await Extended.open({ hangs }, {
      answers: [{ text: "1" }, { text: "2" }],
      timer,
    });
    const first = world.live.prompt("one");
    await wakeAll(timer, 1, first);
    const second = await world.live.prompt("two");
    expect([(await first).text, second.text, calls, aborted]).toEqual(["1", "2", 1, true]);
    expect(world.notices).toEqual([[
      `Extension hangs (hangs): the handler of turn_start did not end within ${
        HANDLER_LIMIT_MS / 1000
      } s and is not called again`,
      "warning",
    ]]);
  });

  test("goes on refusing what it guards if it fails closed", async () => {
    const timer = new HeldTimer();
    const gate: Extension = (bough) => bough.on("tool_call", forever, { failClosed: true });
    await using world = await Extended.open({ gate }, {
      answers: [callsRun("1"), callsRun("2"), { text: "done" }],
      tools: [run],
      timer,
    });
    const outcome = world.live.prompt("go");
    await wakeAll(timer, 1, outcome);
    await outcome;
    expect((await world.branch()).filter((line) => line.startsWith("toolResult"))).toEqual([
      "toolResult: This was refused: the extension gate did not end within 30 s and is not called again.",
      "toolResult: This was refused: the extension gate did not end the last time.",
    ]);
  });

  test("does not hold up an abort", async () => {
    const timer = new HeldTimer();
    const reached = Promise.withResolvers<void>();
    const hangs: Extension = (bough) =>
      bough.on("agent_start", () => {
        reached.resolve();
        return forever();
      });
    await using world = await Extended.open({ hangs }, { timer });
    const outcome = world.live.prompt("one");
    await reached.promise;
    const aborting = world.live.abort();
    await wakeAll(timer, 2, aborting);
    expect((await outcome).aborted).toBe(true);
  });

  test("may wait for a person as long as it takes", async () => {
    const timer = new HeldTimer();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    const gate: Extension = (bough) =>
      bough.on("tool_call", async (_, context) => {
        return await context.confirm("Run it?") ? undefined : { block: "The person said no." };
      });
    await using world = await Extended.open({ gate }, {
      answers: [callsRun("1"), { text: "done" }],
      tools: [run],
      timer,
      questions: {
        confirm: () => {
          asked.resolve();
          return answer.promise;
        },
        select: () => Promise.resolve(undefined),
        input: () => Promise.resolve(undefined),
      },
    });
    const outcome = world.live.prompt("go");
    await asked.promise;
    timer.wake();
    answer.resolve(false);
    await outcome;
    expect((await world.branch())[3]).toBe("toolResult: The person said no.");
    expect(world.notices).toEqual([]);
  });
});

test("a session_shutdown that hangs has less time than a signal leaves", () => {
  expect(LIMITS_MS.session_shutdown).toBeLessThan(2_000);
});

describe("a handler that returns what cannot be used", () => {
  const cases: [string, (bough: ExtensionApi, value: never) => void, unknown, string][] = [
    ["input", (bough, value) => bough.on("input", () => value), "text", "{ taken: true }"],
    ["context", (bough, value) => bough.on("context", () => value), { messages: [{}] }, "messages"],
    ["tool_call", (bough, value) => bough.on("tool_call", () => value), true, "block"],
    ["tool_result", (bough, value) => bough.on("tool_result", () => value), {
      content: "text",
    }, "content"],
    ["turn_end", (bough, value) => bough.on("turn_end", () => value), { next: "round" }, "another"],
    [
      "agent_before_settle",
      (bough, value) => bough.on("agent_before_settle", () => value),
      { next: "stop" },
      "another",
    ],
    [
      "before_agent_start",
      (bough, value) => bough.on("before_agent_start", () => value),
      { messages: ["hi"] },
      "customType",
    ],
  ];
  for (const [event, register, value, expected] of cases) {
    test(`${event}: is told of by name, and nothing comes of it`, async () => {
      // Plain JavaScript may return anything.
      const wrong: Extension = (bough) => register(bough, value as never);
      await using world = await Extended.open({ wrong }, {
        answers: [callsRun("1"), { text: "done" }],
        tools: [run],
      });
      const outcome = await world.live.prompt("go");
      expect(await world.branch()).toEqual([
        "model_change",
        "user: go",
        "assistant: ",
        "toolResult: ran",
        "assistant: done",
      ]);
      expect(outcome.error).toBeUndefined();
      expect(world.notices).toHaveLength(1);
      const [[notice] = [""]] = world.notices;
      expect(notice).toStartWith(
        `Extension wrong (wrong): the handler of ${event} returned what cannot be used; expected`,
      );
      expect(notice).toContain(expected);
    });
  }
});

describe("an extension that cannot be loaded", () => {
  test("is skipped as a whole: what it had registered is not there", async () => {
    const half: Extension = (bough) => {
      bough.registerCommand("half", { description: "…", run: () => undefined });
      throw new Error("no configuration");
    };
    const whole: Extension = (bough) =>
      bough.registerCommand("whole", { description: "All of it", run: () => undefined });
    await using world = await Extended.open({ half, whole });
    expect(world.runner.commands).toEqual([{ name: "whole", description: "All of it" }]);
    expect(world.notices).toEqual([
      ["Cannot load the extension half, so it is skipped: no configuration"],
    ]);
  });

  test("is skipped when it does not load in time", async () => {
    const timer = new HeldTimer();
    const opening = Extended.open({ slow: forever }, { timer });
    await timer.sleeping(1);
    timer.wake();
    await using world = await opening;
    expect(world.notices).toEqual([[
      `Cannot load the extension slow, so it is skipped: it did not load within ${
        LOAD_LIMIT_MS / 1000
      } s`,
    ]]);
  });

  test("is not begun any more when its module comes after that", async () => {
    using temp = new TempDirectory();
    const gate = Promise.withResolvers<void>();
    const log: string[] = [];
    Reflect.set(globalThis, "lateExtension", { gate: gate.promise, log });
    const file = temp.write(
      "late.ts",
      `const { gate, log } = globalThis.lateExtension;
await gate;
log.push("imported");
export default () => { log.push("begun"); };
`,
    );
    const timer = new HeldTimer();
    const opening = Extended.open([file], { timer });
    await timer.sleeping(1);
    timer.wake();
    await using _ = await opening;
    gate.resolve();
    await import(file);
    // What waited for the module before goes on before this.
    await new Promise((resolve) => setImmediate(resolve));
    Reflect.deleteProperty(globalThis, "lateExtension");
    expect(log).toEqual(["imported"]);
  });

  const registrations: [string, (bough: ExtensionApi) => void][] = [
    [
      'a handler of "tool_cal": there is no such event; did you mean "tool_call"?',
      (bough) => Reflect.apply(bough.on, bough, ["tool_cal", () => undefined]),
    ],
    [
      "a handler of input: it is no function",
      (bough) => Reflect.apply(bough.on, bough, ["input", 1]),
    ],
    [
      'a tool: its "name" must be 1 to 64 letters, digits, "_" or "-"',
      (bough) => bough.registerTool({ ...run, name: "my tool" }),
    ],
    [
      'the tool t: its "parameters" must be a JSON Schema of an object',
      (bough) => Reflect.apply(bough.registerTool, bough, [{ name: "t", description: "d" }]),
    ],
    [
      'the command "a b": a name has no blanks and no "/"',
      (bough) => bough.registerCommand("a b", { description: "", run: () => undefined }),
    ],
    [
      "the command x: expected { description, run(args, context) }",
      (bough) => Reflect.apply(bough.registerCommand, bough, ["x", () => undefined]),
    ],
  ];
  test.each(registrations)("is told what is wrong: %s", async (what, extension) => {
    await using world = await Extended.open({ wrong: extension });
    expect(world.notices).toEqual([
      [`Cannot load the extension wrong, so it is skipped: Cannot register ${what}.`],
    ]);
  });
});

describe("a command", () => {
  test("that throws is told of each time, and no model is asked", async () => {
    const broken: Extension = (bough) =>
      bough.registerCommand("deploy", {
        description: "Deploys",
        run: () => {
          throw new Error("no network");
        },
      });
    await using world = await Extended.open({ broken });
    for (let n = 0; n < 2; n++) expect((await world.live.prompt("/deploy")).taken).toBe(true);
    const notice = ["Cannot run /deploy (extension broken): no network", "error"] as const;
    expect(world.notices).toEqual([[...notice], [...notice]]);
  });

  test("that hangs ends with its time, or with an abort", async () => {
    const timer = new HeldTimer();
    const hangs: Extension = (bough) =>
      bough.registerCommand("wait", { description: "Waits", run: forever });
    await using world = await Extended.open({ hangs }, { timer });
    const first = world.live.prompt("/wait");
    await timer.sleeping(2);
    timer.wake();
    expect((await first).taken).toBe(true);
    const second = world.live.prompt("/wait");
    await timer.sleeping(3);
    void world.live.abort();
    await wakeAll(timer, 4, second);
    expect((await second).aborted).toBe(true);
    expect(world.notices).toEqual([[
      `Cannot run /wait (extension hangs): it did not end within ${
        COMMAND_LIMIT_MS / 60_000
      } minutes`,
      "error",
    ]]);
  });
});

test("a tool that returns no result tells the model whose it is", async () => {
  const wrong: Extension = (bough) =>
    Reflect.apply(bough.registerTool, bough, [{ ...run, execute: () => "text" }]);
  await using world = await Extended.open({ wrong }, {
    answers: [callsRun("1"), { text: "done" }],
  });
  await world.live.prompt("go");
  expect((await world.branch())[3]).toStartWith(
    "toolResult: Cannot use the result of run: the extension wrong returned no { content:",
  );
});
