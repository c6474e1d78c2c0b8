import { describe, expect, test } from "bun:test";
import { expectGolden } from "../support/golden.ts";
import {
  abort,
  type Action,
  failing,
  play,
  prompt,
  promptAnd,
  type Scenario,
} from "../support/scenario.ts";
import type { Session } from "../../lib/session/mod.ts";
import type { Tool } from "../../lib/agent/mod.ts";
import { scriptedModel } from "../support/scripted_model.ts";

const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });
const call = (id: string, text = id) => ({ id, name: "echo", arguments: { text } });
/** About `tokens` tokens of text. */
const words = (tokens: number) => "word".repeat(tokens);

/** Two exchanges; the first has a label. */
async function twoTurns(session: Session): Promise<void> {
  const start = await session.appendMessage(user("first"));
  await session.appendLabel(start, "start");
  const model = { provider: "test", model: "scripted", api: "scripted" };
  const usage = {
    input: 10,
    output: 5,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 15,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const answer = (text: string) => ({
    role: "assistant" as const,
    content: [{ type: "text" as const, text }],
    ...model,
    usage,
    stopReason: "stop" as const,
    timestamp: 1,
  });
  await session.appendMessage(answer("one"));
  await session.appendMessage(user("second"));
  await session.appendMessage(answer("two"));
}

const smallWindow = {
  facts: { contextWindow: 4_000, maxTokens: 500 },
  options: { compaction: { reserveTokens: 1_000, keepRecentTokens: 800 } },
} satisfies Partial<Scenario>;

/** A tool that does something while it runs. */
const doing = (action: () => unknown): Tool => ({
  name: "do",
  description: "Does it",
  parameters: { type: "object" },
  execute: async () => {
    await action();
    return { content: [{ type: "text", text: "done" }] };
  },
});

const steps = (...actions: Action[]): Action => async (world) => {
  for (const action of actions) await action(world);
};

const scenarios: Record<string, Scenario> = {
  "a prompt with a tool": {
    answers: [{ text: "Looking.", calls: [call("a")] }, { text: "Done." }],
    actions: [prompt("go")],
  },
  "a second prompt goes on from the first": {
    answers: [{ text: "one" }, { text: "two" }],
    actions: [prompt("first"), prompt("second")],
  },
  "a failed answer is tried again and stays out of the context": {
    answers: [{ text: "half", fails: "overloaded" }, { text: "whole" }],
    actions: [prompt("go")],
  },
  "a server's retry-after is the shortest wait, and too long a one ends the attempts": {
    answers: [
      { fails: "rate_limited", retryAfterMs: 7_000 },
      { fails: "rate_limited", retryAfterMs: 3_600_000 },
    ],
    actions: [prompt("go")],
  },
  "the attempts are used up": {
    answers: Array.from({ length: 4 }, () => ({ fails: "dropped" as const })),
    actions: [prompt("go")],
  },
  "a refused key is not tried again": {
    answers: [{ fails: "bad_key" }],
    actions: [prompt("go")],
  },
  "quota is not tried again but turns to the fallback model": {
    answers: [{ fails: "quota" }, { text: "later" }],
    options: {
      fallbackModels: [scriptedModel([{ text: "from the fallback" }], { id: "fallback" })],
    },
    actions: [prompt("go"), prompt("again")],
  },
  "retry is off": {
    answers: [{ fails: "overloaded" }],
    options: { retry: { enabled: false } },
    actions: [prompt("go")],
  },
  "an abort during the model call keeps what was said": {
    answers: [{ text: "half an ", hangs: true }, { text: "fine" }],
    actions: [promptAnd("go", 1, abort), prompt("and now?")],
  },
  "steering comes after the calls, a follow-up at the end": {
    answers: [{ calls: [{ id: "a", name: "do" }] }, { text: "steered" }, { text: "followed" }],
    hooks: (world) => ({
      beforeToolCall: async () => {
        await world().live.steer("other way");
        await world().live.followUp("and then?");
        return undefined;
      },
    }),
    tools: [doing(() => {})],
    actions: [prompt("go")],
  },
  "a second prompt during a run needs a word how": {
    answers: [{ hangs: true }],
    actions: [
      promptAnd("go", 1, steps(failing(({ live }) => live.prompt("more")), abort)),
    ],
  },
  "a queued message that was not delivered comes back": {
    answers: [{ hangs: true }],
    actions: [
      promptAnd(
        "go",
        1,
        steps(
          ({ live }) => live.prompt("more", { whileRunning: "followUp" }),
          async ({ live, note }) => note(JSON.stringify(await live.clearQueue())),
          abort,
        ),
      ),
    ],
  },
  "a shell command during a run is kept after the results": {
    answers: [{ calls: [{ id: "a", name: "do" }] }, { text: "done" }],
    options: {
      shell: () =>
        Promise.resolve({ output: "files", exitCode: 0, cancelled: false, truncated: false }),
    },
    hooks: (world) => ({
      beforeToolCall: async () => {
        await world().live.executeBash("ls");
        return undefined;
      },
    }),
    tools: [doing(() => {})],
    actions: [prompt("go"), ({ live }) => live.executeBash("secret", { exclude: true })],
  },
  "a context over the threshold is compacted before the prompt": {
    ...smallWindow,
    given: async (session) => {
      for (let n = 0; n < 6; n++) await session.appendMessage(user(`${n} ${words(600)}`));
    },
    answers: [{ text: "the summary" }, { text: "answer" }],
    actions: [prompt("go")],
  },
  "a context that grows over the threshold within a run is compacted between its turns": {
    ...smallWindow,
    answers: [
      { calls: [{ id: "a", name: "big" }] },
      { calls: [{ id: "b", name: "big" }] },
      { calls: [{ id: "c", name: "big" }] },
      { text: "the summary" },
      { text: "done" },
    ],
    tools: [{
      ...doing(() => {}),
      name: "big",
      execute: () => Promise.resolve({ content: [{ type: "text", text: words(1_100) }] }),
    }],
    actions: [prompt("go")],
  },
  "an overflow is compacted and tried again, once": {
    given: twoTurns,
    answers: [
      { fails: "context_overflow" },
      { text: "the summary" },
      { fails: "context_overflow" },
    ],
    actions: [prompt("go")],
  },
  "an overflow that compaction helps against": {
    given: twoTurns,
    answers: [{ fails: "context_overflow" }, { text: "the summary" }, { text: "fine" }],
    actions: [prompt("go")],
  },
  "a bad summary leaves the session as it was": {
    given: twoTurns,
    answers: [{ text: "" }, { text: "still here" }],
    actions: [failing(({ live }) => live.compact()), prompt("go")],
  },
  "a summary is tried again like an answer": {
    given: twoTurns,
    answers: [{ fails: "overloaded" }, { text: "the summary" }],
    actions: [({ live }) => live.compact("only the facts")],
  },
  "an extension cancels a compaction": {
    given: twoTurns,
    answers: [],
    hooks: () => ({ beforeCompact: () => Promise.resolve("cancel") }),
    actions: [async ({ live, note }) => note(String(await live.compact()))],
  },
  "an extension supplies a summary": {
    given: twoTurns,
    answers: [{ text: "ok" }],
    hooks: () => ({
      beforeCompact: ({ branch }) =>
        Promise.resolve({
          summary: "from the extension",
          firstKeptEntryId: branch.at(-1)?.id ?? "",
        }),
    }),
    actions: [({ live }) => live.compact(), prompt("go")],
  },
  "a move to a user message hands back its text": {
    given: twoTurns,
    answers: [{ text: "other" }],
    actions: [
      async ({ live, note, entry }) =>
        note(JSON.stringify(await live.navigateTree(await entry(4)))),
      prompt("changed"),
    ],
  },
  "a move with a summary of the branch that is left": {
    given: twoTurns,
    answers: [{ text: "what was tried" }, { text: "on" }],
    actions: [
      async ({ live, note, entry }) =>
        note(JSON.stringify(
          await live.navigateTree(await entry(3), { summarize: true, label: "back" }),
        )),
      prompt("go"),
    ],
  },
  "a move before the first entry": {
    given: twoTurns,
    answers: [{ text: "anew" }],
    actions: [({ live }) => live.navigateTree(null), prompt("anew")],
  },
  "an extension cancels a move": {
    given: twoTurns,
    answers: [],
    hooks: () => ({ beforeTree: () => Promise.resolve("cancel") }),
    actions: [
      async ({ live, note, entry }) =>
        note(JSON.stringify(await live.navigateTree(await entry(3)))),
    ],
  },
  "the thinking level of a branch comes back with it": {
    given: twoTurns,
    answers: [{ text: "hard" }, { text: "easy" }],
    actions: [
      ({ live }) => live.setThinkingLevel("high"),
      prompt("think"),
      async ({ live, entry }) => live.navigateTree(await entry(5)),
      prompt("do not"),
    ],
  },
  "an entry is dropped from the context, another is replaced": {
    given: twoTurns,
    answers: [{ text: "ok" }],
    actions: [
      async ({ live, entry }) => live.dropFromContext(await entry(3)),
      async ({ live, entry }) => live.editContext(await entry(4), "second, shorter"),
      prompt("go"),
    ],
  },
  "a fork before a user message, with its text; labels come along": {
    given: twoTurns,
    answers: [{ text: "forked" }],
    actions: [
      async ({ runtime, note, entry }) => note(JSON.stringify(await runtime.fork(await entry(4)))),
      prompt("other second"),
    ],
  },
  "a clone gives the same context": {
    given: twoTurns,
    answers: [{ text: "cloned" }],
    actions: [
      async ({ runtime, session, note }) => {
        const before = (await session.buildContext()).messages;
        await runtime.clone();
        const after = (await runtime.session.session.buildContext()).messages;
        note(`same context: ${JSON.stringify(before) === JSON.stringify(after)}`);
      },
      prompt("go"),
    ],
  },
  "a new session during a run keeps the partial turn of the old one": {
    answers: [{ text: "half", hangs: true }, { text: "new" }],
    actions: [
      promptAnd("go", 1, async ({ runtime, session, note }) => {
        await runtime.newSession();
        const kept = (await session.getEntries()).map((entry) => entry.type);
        note(`the old session has: ${kept.join(" ")}`);
      }),
      prompt("in the new one"),
    ],
  },
  "what was kept of a replaced session says so": {
    answers: [],
    actions: [
      async (world) => {
        const { live, runtime } = world;
        await runtime.newSession();
        await failing(() => live.prompt("too late"))(world);
        await failing(() => live.setModel(live.model))(world);
      },
    ],
  },
  "a switch that fails leaves the old session alive": {
    given: twoTurns,
    answers: [{ text: "still here" }],
    actions: [failing(({ runtime }) => runtime.switchSession("nowhere")), prompt("go")],
  },
  "a wish for one more round without anything new for the model is not followed": {
    answers: [{ text: "one" }],
    hooks: () => ({
      beforeSettle: () => Promise.resolve(true),
      turnEnd: () => Promise.resolve("another"),
    }),
    actions: [prompt("go")],
  },
  "an extension takes the input": {
    answers: [],
    hooks: () => ({ input: () => Promise.resolve("taken") }),
    actions: [prompt("mine")],
  },
  "an extension changes the input, adds a message and asks for one more round": {
    answers: [{ text: "one" }, { text: "two" }],
    hooks: (world) => {
      let rounds = 0;
      return {
        input: (input) => Promise.resolve({ ...input, text: `${input.text}, please` }),
        beforeAgentStart: () =>
          Promise.resolve({
            messages: [{
              role: "custom" as const,
              customType: "note",
              content: "by the way",
              display: true,
              timestamp: 1,
            }],
          }),
        beforeSettle: async () => {
          if (rounds++ > 0) return false;
          await world().live.addMessage({
            role: "custom",
            customType: "check",
            content: "are you sure?",
            display: true,
            timestamp: 1,
          });
          return true;
        },
      };
    },
    actions: [prompt("go")],
  },
};

describe("AgentSession", () => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    test(`scenario: ${name}`, async () => {
      expectGolden(`scenarios/${name.replaceAll(/[^a-z]+/g, "_")}.txt`, await play(scenario));
    });
  }

  test("agent_settled is the last event, also when a listener fails", async () => {
    const text = await play({
      answers: [{ text: "fine" }],
      options: { onListenerError: () => {} },
      actions: [
        ({ live }) =>
          Promise.resolve(live.subscribe(() => {
            throw new Error("listener");
          })),
        async ({ live }) => live.prompt("go"),
      ],
    });
    expect(text.trimEnd().split("\n").at(-1)).toBe("agent_settled");
  });
});
