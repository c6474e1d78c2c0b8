import { describe, expect, test } from "bun:test";
import {
  Agent,
  type AgentEvent,
  type AgentOptions,
  type Model,
  type Tool,
} from "../../lib/agent/mod.ts";
import { type Message, noUsage, textOf } from "../../lib/session/mod.ts";
import { HeldTimer, InstantTimer } from "../support/manual_timer.ts";
import { type Answer, SCRIPTED_FACTS, scriptedModel } from "../support/scripted_model.ts";

function tool(name: string, execute: Tool["execute"], more: Partial<Tool> = {}): Tool {
  return {
    name,
    description: name,
    parameters: { type: "object", properties: { n: { type: "number" } } },
    execute,
    ...more,
  };
}

const echo = tool(
  "echo",
  (args) => Promise.resolve({ content: [{ type: "text", text: `echo ${args["n"] ?? ""}` }] }),
);

function setUp(answers: Answer[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(answers);
  const events: AgentEvent[] = [];
  const agent = new Agent({ model, timer: new InstantTimer(), ...options });
  agent.subscribe((event) => {
    events.push(event);
  });
  return { agent, model, events };
}

/** A message as one word and its text. */
function brief(message: Message): string {
  if (message.role === "toolResult") {
    return `${message.isError ? "error" : "result"} ${message.toolCallId}: ${
      textOf(message.content)
    }`;
  }
  if (message.role === "assistant") {
    const calls = message.content.filter((block) => block.type === "toolCall");
    const names = calls.map((call) => ` [${call.id}]`).join("");
    return `assistant ${message.stopReason}: ${textOf(message.content)}${names}`;
  }
  return `${message.role}: ${"content" in message ? textOf(message.content) : ""}`;
}

describe("Agent.prompt()", () => {
  test("prompt() asks once and ends when nothing is left to do", async () => {
    const { agent, events } = setUp([{ text: "hello" }]);
    const end = await agent.prompt("hi");
    expect(end.messages.map(brief)).toEqual(["user: hi", "assistant stop: hello"]);
    expect(events.map((event) => event.type)).toEqual([
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_update",
      "message_update",
      "message_update",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
  });

  test("prompt() runs the calls of an answer and goes on with their results", async () => {
    const { agent, model } = setUp([
      { calls: [{ id: "a", name: "echo", arguments: { n: 1 } }] },
      { text: "done" },
    ], { tools: [echo] });
    const end = await agent.prompt("go");
    expect(end.messages.map(brief)).toEqual([
      "user: go",
      "assistant toolUse:  [a]",
      "result a: echo 1",
      "assistant stop: done",
    ]);
    expect(model.requests[1]?.messages.map(brief)).toEqual([
      "user: go",
      "assistant toolUse:  [a]",
      "result a: echo 1",
    ]);
    expect(end.turns).toBe(2);
  });

  test("prompt() runs calls whatever the stop reason says, and needs none after toolUse", async () => {
    const { agent, model } = setUp([
      { calls: [{ id: "a", name: "echo" }], stopReason: "stop" },
      { text: "done", stopReason: "toolUse" },
    ], { tools: [echo] });
    const end = await agent.prompt("go");
    expect(end.messages.map(brief)).toEqual([
      "user: go",
      "assistant stop:  [a]",
      "result a: echo ",
      "assistant toolUse: done",
    ]);
    expect(model.requests.length).toBe(2);
  });

  test("prompt() runs each of several calls with one id, and tells them apart to the model", async () => {
    const { agent, model } = setUp([
      { calls: [1, 2].map((n) => ({ id: "a", name: "echo", arguments: { n } })) },
      { text: "done" },
    ], { tools: [echo] });
    await agent.prompt("go");
    expect(model.requests[1]?.messages.map(brief)).toEqual([
      "user: go",
      "assistant toolUse:  [a] [a_2]",
      "result a: echo 1",
      "result a_2: echo 2",
    ]);
  });

  test("prompt() gives results in the order of the calls, whichever ends first", async () => {
    const first = Promise.withResolvers<void>();
    const tools = [
      tool("slow", async () => {
        await first.promise;
        return { content: [{ type: "text", text: "slow" }] };
      }),
      tool("fast", () => {
        first.resolve();
        return Promise.resolve({ content: [{ type: "text", text: "fast" }] });
      }),
    ];
    const { agent } = setUp([
      { calls: [{ id: "a", name: "slow" }, { id: "b", name: "fast" }] },
      { text: "done" },
    ], { tools });
    const end = await agent.prompt("go");
    expect(end.messages.slice(2, 4).map(brief)).toEqual(["result a: slow", "result b: fast"]);
  });

  test("prompt() lets a tool that must run alone run alone", async () => {
    const log: string[] = [];
    const logged = (name: string, alone: boolean) =>
      tool(name, async () => {
        log.push(`${name} starts`);
        await Promise.resolve();
        log.push(`${name} ends`);
        return { content: [] };
      }, { alone });
    const { agent } = setUp([
      { calls: ["a", "b", "c"].map((id) => ({ id, name: id })) },
      { text: "done" },
    ], { tools: [logged("a", false), logged("b", true), logged("c", false)] });
    await agent.prompt("go");
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  });

  const refusals: [string, Answer, RegExp][] = [
    ["an unknown tool", { calls: [{ id: "a", name: "nope" }] }, /no tool named nope.*echo/],
    [
      "arguments that do not fit",
      { calls: [{ id: "a", name: "echo", arguments: { n: {} } }] },
      /not run.*n/s,
    ],
    [
      "a call that was cut off",
      { stopReason: "length", calls: [{ id: "a", name: "echo" }] },
      /cut off at the output limit/,
    ],
  ];
  for (const [what, answer, text] of refusals) {
    test(`prompt() answers ${what} with an error result`, async () => {
      const { agent } = setUp([answer, { text: "done" }], { tools: [echo] });
      const end = await agent.prompt("go");
      const result = end.messages[2];
      expect(result && brief(result)).toMatch(/^error a: /);
      expect(result && brief(result)).toMatch(text);
      expect(end.last && brief(end.last)).toBe("assistant stop: done");
    });
  }

  test("prompt() makes an error result of a tool that throws", async () => {
    const broken = tool("broken", () => Promise.reject(new Error("it is broken")));
    const { agent } = setUp([{ calls: [{ id: "a", name: "broken" }] }, { text: "ok" }], {
      tools: [broken],
    });
    const end = await agent.prompt("go");
    expect(end.messages.map(brief)[2]).toBe("error a: it is broken");
  });

  test("prompt() ends a model that is cut off in its calls again and again", async () => {
    const cut: Answer = { stopReason: "length", calls: [{ id: "a", name: "echo" }] };
    const { agent, model } = setUp([cut, cut, cut, cut, cut], { tools: [echo] });
    const end = await agent.prompt("go");
    expect(model.requests.length).toBe(3);
    expect(end.last?.stopReason).toBe("length");
  });

  test("prompt() reports a failed answer and stops", async () => {
    const { agent, events } = setUp([{ text: "half", fails: "overloaded" }]);
    const end = await agent.prompt("go");
    expect(end.error).toMatchObject({ name: "ModelError", code: "overloaded" });
    expect(end.messages.map(brief)).toEqual(["user: go", "assistant error: half"]);
    expect(events.at(-1)).toMatchObject({ type: "agent_end", willRetry: false });
  });

  test("prompt() turns a model that throws into a failed answer", async () => {
    const model = scriptedModel([() => {
      throw new Error("kaput");
    }]);
    const { agent } = setUp([], { model });
    const end = await agent.prompt("go");
    expect(end.last).toMatchObject({ stopReason: "error" });
    expect(end.error?.message).toContain("kaput");
  });

  test("prompt() refuses a second run", async () => {
    const { agent, model } = setUp([{ hangs: true }]);
    const running = agent.prompt("one");
    await model.asked(1);
    expect(agent.prompt("two")).rejects.toThrow(/one is going on/);
    agent.abort();
    await running;
  });

  test("prompt() stops when a message cannot be kept, and tells nobody of it", async () => {
    const { agent, events, model } = setUp([{ text: "lost" }], {
      hooks: {
        commit: (message) =>
          message.role === "assistant" ? Promise.reject(new Error("disk full")) : Promise.resolve(),
      },
    });
    const end = await agent.prompt("go");
    expect(end.error?.message).toBe("disk full");
    expect(model.requests.length).toBe(1);
    const told = events.filter((event) => event.type === "message_end");
    expect(told.length).toBe(1);
    expect(events.at(-1)?.type).toBe("agent_end");
  });
});

describe("Agent queues", () => {
  test("steer() is heard after the current calls, followUp() at the end", async () => {
    const asking = tool("ask", () => {
      agent.steer("steered");
      agent.followUp("later");
      return Promise.resolve({ content: [{ type: "text", text: "ok" }] });
    });
    const { agent } = setUp([
      { calls: [{ id: "a", name: "ask" }] },
      { text: "one" },
      { text: "two" },
    ], { tools: [asking] });
    const end = await agent.prompt("go");
    expect(end.messages.map(brief)).toEqual([
      "user: go",
      "assistant toolUse:  [a]",
      "result a: ok",
      "user: steered",
      "assistant stop: one",
      "user: later",
      "assistant stop: two",
    ]);
  });

  test("the queues deliver one message at a time, or all", async () => {
    const { agent } = setUp([{ text: "1" }, { text: "2" }, { text: "3" }], { followUpMode: "all" });
    agent.steer("a");
    agent.steer("b");
    agent.followUp("c");
    agent.followUp("d");
    const end = await agent.prompt("go");
    expect(end.messages.map(brief)).toEqual([
      "user: go",
      "user: a",
      "assistant stop: 1",
      "user: b",
      "assistant stop: 2",
      "user: c",
      "user: d",
      "assistant stop: 3",
    ]);
  });

  test("clearQueue() gives back what was not delivered", () => {
    const { agent } = setUp([]);
    agent.steer("a");
    agent.followUp("b");
    const cleared = agent.clearQueue();
    expect([cleared.steering.map(brief), cleared.followUp.map(brief)]).toEqual([
      ["user: a"],
      ["user: b"],
    ]);
    expect(agent.steering.waiting).toEqual([]);
  });
});

describe("Agent.abort()", () => {
  test("abort() keeps what was said", async () => {
    const { agent, model } = setUp([{ text: "half", hangs: true }]);
    const running = agent.prompt("go");
    await model.asked(1);
    agent.abort();
    const end = await running;
    expect(end.aborted).toBe(true);
    expect(end.messages.map(brief)).toEqual(["user: go", "assistant aborted: half"]);
  });

  test("abort() ends a run whose model does not heed it, and keeps what was said", async () => {
    const half = Promise.withResolvers<void>();
    const deaf: Model = {
      facts: SCRIPTED_FACTS,
      async *stream() {
        yield { type: "start" };
        yield { type: "text_start", contentIndex: 0 };
        yield { type: "text_delta", contentIndex: 0, delta: "half" };
        yield { type: "usage", usage: { ...noUsage(), input: 7, totalTokens: 7 } };
        half.resolve();
        await new Promise(() => {});
      },
    };
    const timer = new HeldTimer();
    const { agent } = setUp([], { model: deaf, timer });
    const running = agent.prompt("go");
    await half.promise;
    agent.abort();
    await timer.sleeping(1);
    timer.wake();
    const end = await running;
    expect({ aborted: end.aborted, error: end.error, slept: timer.slept }).toEqual({
      aborted: true,
      error: undefined,
      slept: [1_200],
    });
    expect(end.last).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "half" }],
      api: "scripted",
      provider: "test",
      model: "scripted",
      usage: { ...noUsage(), input: 7, totalTokens: 7 },
      stopReason: "aborted",
      timestamp: timer.now(),
    });
  });

  test("abort() is no failure where the model answers it with an error", async () => {
    const asked = Promise.withResolvers<void>();
    const throwing: Model = {
      facts: SCRIPTED_FACTS,
      // deno-lint-ignore require-yield
      async *stream(_request, signal) {
        asked.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        throw new DOMException("stopped", "AbortError");
      },
    };
    const { agent } = setUp([], { model: throwing, timer: new HeldTimer() });
    const running = agent.prompt("go");
    await asked.promise;
    agent.abort();
    const end = await running;
    expect({ aborted: end.aborted, error: end.error, reason: end.last?.stopReason }).toEqual({
      aborted: true,
      error: undefined,
      reason: "aborted",
    });
  });

  test("abort() answers each open call and asks no more", async () => {
    const started = Promise.withResolvers<void>();
    const hanging = tool("hang", (_args, { signal }) => {
      started.resolve();
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
      });
    });
    const { agent, model } = setUp([
      { calls: [{ id: "a", name: "hang" }, { id: "b", name: "alone" }] },
    ], { tools: [hanging, { ...echo, name: "alone", alone: true }] });
    const running = agent.prompt("go");
    await started.promise;
    agent.abort();
    const end = await running;
    expect(end.messages.slice(2).map(brief)).toEqual([
      "error a: The call was aborted.",
      "error b: The call was aborted.",
    ]);
    expect([end.aborted, model.requests.length]).toEqual([true, 1]);
  });

  test("abort() does not wait for a tool that does not hear it", async () => {
    const timer = new HeldTimer();
    const started = Promise.withResolvers<void>();
    const deaf = tool("deaf", () => {
      started.resolve();
      return new Promise(() => {});
    });
    const { agent } = setUp([{ calls: [{ id: "a", name: "deaf" }] }], { tools: [deaf], timer });
    const running = agent.prompt("go");
    await started.promise;
    agent.abort();
    await timer.sleeping(1);
    timer.wake();
    const end = await running;
    expect(end.messages.slice(2).map(brief)).toEqual(["error a: The call was aborted."]);
  });

  test("waitForIdle() resolves when the run has ended", async () => {
    const { agent, model } = setUp([{ hangs: true }]);
    const running = agent.prompt("go");
    await model.asked(1);
    agent.abort();
    await agent.waitForIdle();
    expect(agent.isRunning).toBe(false);
    await running;
  });
});

describe("Agent.subscribe()", () => {
  test("a listener that throws is reported once and stops nothing", async () => {
    const errors: unknown[] = [];
    const { agent, events } = setUp([{ text: "hello" }], {
      onListenerError: (error) => errors.push(error),
    });
    let calls = 0;
    agent.subscribe(() => {
      calls++;
      throw new Error("listener");
    });
    await agent.prompt("hi");
    expect(errors.length).toBe(1);
    expect(calls).toBe(events.length);
  });

  test("a run ends also where the report of a failed listener fails", async () => {
    const { agent } = setUp([{ text: "hello" }], {
      onListenerError: () => {
        throw new Error("no ear for it");
      },
    });
    agent.subscribe(() => {
      throw new Error("broken");
    });
    const end = await agent.prompt("go");
    expect(end.messages.map(brief)).toEqual(["user: go", "assistant stop: hello"]);
    expect(agent.isRunning).toBe(false);
  });

  test("updates of a tool come before its end and not after", async () => {
    let late: (() => void) | undefined;
    const talking = tool("talk", (_args, { onUpdate }) => {
      onUpdate({ content: [{ type: "text", text: "one" }] });
      late = () => onUpdate({ content: [{ type: "text", text: "late" }] });
      return Promise.resolve({ content: [{ type: "text", text: "two" }] });
    });
    const { agent, events } = setUp([{ calls: [{ id: "a", name: "talk" }] }, { text: "x" }], {
      tools: [talking],
    });
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end") late?.();
    });
    await agent.prompt("go");
    const told = events.filter((event) => event.type.startsWith("tool_execution"));
    expect(told.map((event) => event.type)).toEqual([
      "tool_execution_start",
      "tool_execution_update",
      "tool_execution_end",
    ]);
  });
});

describe("Agent hooks", () => {
  test("beforeToolCall() refuses a call or changes its arguments; afterToolCall() the result", async () => {
    const { agent } = setUp([
      {
        calls: [
          { id: "a", name: "echo", arguments: { n: 1 } },
          { id: "b", name: "echo", arguments: { n: 2 } },
        ],
      },
      { text: "done" },
    ], {
      tools: [echo],
      hooks: {
        beforeToolCall: (call) =>
          Promise.resolve(call.toolCallId === "a" ? { block: "not that" } : { args: { n: 20 } }),
        afterToolCall: (_call, result) =>
          Promise.resolve({
            content: [{ type: "text", text: `${textOf(result.content)}!` }],
          }),
      },
    });
    const end = await agent.prompt("go");
    expect(end.messages.slice(2, 4).map(brief)).toEqual([
      "error a: not that",
      "result b: echo 20!",
    ]);
  });

  test("afterTurn() can stop a run, or ask for another round", async () => {
    const another = setUp([{ text: "one" }, { text: "two" }], {
      hooks: {
        afterTurn: (turn) =>
          Promise.resolve(textOf(turn.message.content) === "one" ? "another" : undefined),
      },
    });
    expect((await another.agent.prompt("go")).turns).toBe(2);
    const stopped = setUp([{ calls: [{ id: "a", name: "echo" }] }], {
      tools: [echo],
      hooks: { afterTurn: () => Promise.resolve("stop") },
    });
    expect((await stopped.agent.prompt("go")).turns).toBe(1);
  });

  test("context() changes what is sent and nothing else", async () => {
    const { agent, model } = setUp([{ text: "ok" }], {
      hooks: { context: (messages) => Promise.resolve(messages.slice(-1)) },
    });
    await agent.prompt([
      { role: "user", content: "one", timestamp: 1 },
      { role: "user", content: "two", timestamp: 2 },
    ]);
    expect(model.requests[0]?.messages.map(brief)).toEqual(["user: two"]);
    expect(agent.messages.length).toBe(3);
  });
});
