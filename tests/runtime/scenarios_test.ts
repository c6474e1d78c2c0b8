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

const note = (content: string) => ({
  role: "custom" as const,
  customType: "note",
  content,
  display: true,
  timestamp: 1,
});

/** Models to turn to, besides the scenario's own. */
const MODELS: Record<string, ReturnType<typeof scriptedModel>> = {
  scripted: scriptedModel([]),
  other: scriptedModel([{ text: "from the other" }], { id: "other" }),
  plain: scriptedModel([{ text: "without a thought" }], { id: "plain", reasoning: false }),
};

const useModel = (id: string): Action => async ({ live }) => {
  const model = MODELS[id];
  if (model) await live.setModel(model);
};

const tellModel: Action = ({ live, note }) => {
  note(`model ${live.model.facts.id}, thinking ${live.thinkingLevel}`);
  return Promise.resolve();
};

const cycle = (step: 1 | -1): Action => async ({ live, note }) =>
  note(`cycled to ${(await live.cycleModel(step))?.facts.id}`);

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
  "a follow-up that comes while the context is compacted after a run begins the next one": {
    ...smallWindow,
    answers: [
      { text: "one", usage: { totalTokens: 3_200 } },
      { text: "the summary" },
      { text: "followed" },
    ],
    hooks: (world) => ({
      observe: async (event) => {
        if (event.type === "compaction_start") await world().live.followUp("and then?");
      },
    }),
    actions: [prompt("go")],
  },
  "what is said while the context is compacted by hand is heard once it is done": {
    given: twoTurns,
    answers: [{ text: "the summary" }, { text: "heard" }],
    hooks: (world) => ({
      observe: async (event) => {
        if (event.type !== "compaction_start") return;
        await world().live.prompt("by the way", { whileRunning: "steer" });
      },
    }),
    actions: [({ live }) => live.compact()],
  },
  "what was left in the queue before a compaction by hand goes on waiting": {
    given: twoTurns,
    answers: [{ text: "the summary" }],
    actions: [({ live }) => live.followUp("later"), ({ live }) => live.compact()],
  },
  "an answer that a full window cut off is given anew": {
    given: twoTurns,
    answers: [
      { text: "half an ans", stopReason: "length", usage: { input: 199_000, output: 1_000 } },
      { text: "the summary" },
      { text: "a whole answer" },
    ],
    actions: [prompt("go")],
  },
  "an answer that its own limit cut off is the answer": {
    given: twoTurns,
    answers: [{ text: "half an ans", stopReason: "length", usage: { input: 100, output: 8_000 } }],
    actions: [prompt("go")],
  },
  "an overflow is told at once where compaction is off": {
    given: twoTurns,
    answers: [{ fails: "context_overflow" }],
    options: { compaction: { enabled: false } },
    actions: [prompt("go")],
  },
  "a shell command during a run that is aborted is kept all the same": {
    answers: [{ text: "half", hangs: true }],
    options: {
      shell: () =>
        Promise.resolve({ output: "files", exitCode: 0, cancelled: false, truncated: false }),
    },
    actions: [promptAnd("go", 1, steps(({ live }) => live.executeBash("ls"), abort))],
  },
  "an abort stops a shell command, and what it said is kept": {
    answers: [],
    options: {
      shell: ({ signal, onOutput }) =>
        new Promise((resolve) => {
          onOutput("some");
          signal.addEventListener(
            "abort",
            () => resolve({ output: "some", cancelled: true, truncated: false }),
          );
        }),
    },
    actions: [async (world) => {
      const began = new Promise<void>((resolve) => {
        world.live.subscribe(({ type }) => {
          if (type === "bash_execution_update") resolve();
        });
      });
      const running = world.live.executeBash("sleep 99");
      await began;
      await abort(world);
      world.note(JSON.stringify((await running).cancelled));
    }],
  },
  "an extension refuses a shell command": {
    answers: [],
    options: { shell: () => Promise.reject(new Error("must not run")) },
    hooks: () => ({ userBash: () => Promise.resolve({ block: "not that" }) }),
    actions: [
      async ({ live, note }) => note(`exit ${(await live.executeBash("rm -r /")).exitCode}`),
    ],
  },
  "a message for the next prompt waits for it": {
    answers: [{ text: "one" }, { text: "two" }],
    actions: [
      prompt("first"),
      ({ live }) => live.addMessage(note("remember this"), { deliver: "nextPrompt" }),
      ({ note }) => Promise.resolve(note("added")),
      prompt("second"),
    ],
  },
  "a message of an extension during a run comes after the results": {
    answers: [{ calls: [{ id: "a", name: "do" }, { id: "b", name: "do" }] }, { text: "done" }],
    hooks: (world) => ({
      beforeToolCall: async ({ toolCallId }) => {
        if (toolCallId === "a") await world().live.addMessage(note("look out"));
        return undefined;
      },
    }),
    tools: [doing(() => {})],
    actions: [prompt("go")],
  },
  "an abort during the wait for a retry": {
    answers: [{ fails: "overloaded" }],
    hooks: (world) => ({
      observe: async (event) => {
        if (event.type === "auto_retry_start") await abort(world());
      },
    }),
    actions: [prompt("go")],
  },
  "an abort during the calls answers each of them": {
    answers: [{ calls: [{ id: "a", name: "do" }, { id: "b", name: "do" }] }, { text: "fine" }],
    hooks: (world) => ({
      beforeToolCall: async ({ toolCallId }) => {
        if (toolCallId === "b") await abort(world());
        return undefined;
      },
    }),
    tools: [{ ...doing(() => {}), alone: true }],
    actions: [prompt("go"), prompt("and now?")],
  },
  "an abort during a summary leaves the session as it was": {
    given: twoTurns,
    answers: [{ hangs: true }],
    actions: [async (world) => {
      const compacting = world.live.compact();
      await world.model.asked(1);
      await abort(world);
      world.note(String(await compacting));
    }],
  },
  "an abort during the summary of a branch leaves the leaf where it was": {
    given: twoTurns,
    answers: [{ hangs: true }],
    actions: [async (world) => {
      const { entry, live, model, note } = world;
      const moving = live.navigateTree(await entry(3), { summarize: true, label: "back" });
      await model.asked(1);
      await abort(world);
      note(JSON.stringify(await moving));
    }],
  },
  "a summary of a branch that fails leaves the leaf where it was": {
    given: twoTurns,
    answers: [{ text: "cut off", stopReason: "length" }],
    actions: [
      failing(async ({ live, entry }) =>
        live.navigateTree(await entry(3), { summarize: true, label: "back" })
      ),
    ],
  },
  "an extension supplies the summary of a branch": {
    given: twoTurns,
    answers: [{ text: "on" }],
    hooks: (world) => ({
      beforeTree: (move) => {
        world().note(JSON.stringify(move));
        return Promise.resolve({ summary: "from the extension" });
      },
      afterTree: (move) => {
        world().note(JSON.stringify(move));
        return Promise.resolve();
      },
    }),
    actions: [
      async ({ live, entry }) => live.navigateTree(await entry(3), { summarize: true }),
      prompt("go"),
    ],
  },
  "instructions for a summary reach the model": {
    given: twoTurns,
    answers: [{ text: "of the branch" }, { text: "of the rest" }],
    actions: [
      async ({ live, entry }) =>
        live.navigateTree(await entry(3), { summarize: true, instructions: "only the names" }),
      ({ live }) => live.compact("only the facts"),
      ({ model, note }) => {
        for (const { messages } of model.requests) {
          const asked = JSON.stringify(messages);
          note(`${asked.includes("only the names")} ${asked.includes("only the facts")}`);
        }
        return Promise.resolve();
      },
    ],
  },
  "no move during a run": {
    answers: [{ hangs: true }],
    actions: [promptAnd("go", 1, steps(failing(({ live }) => live.navigateTree(null)), abort))],
  },
  "the model of a branch comes back with it": {
    given: twoTurns,
    answers: [],
    options: { findModel: ({ modelId }) => Promise.resolve(MODELS[modelId]) },
    actions: [
      useModel("other"),
      prompt("of the other"),
      async ({ live, entry }) => live.navigateTree(await entry(5)),
      tellModel,
      async ({ live, entry }) => live.navigateTree(await entry(8), { exact: true }),
      tellModel,
    ],
  },
  "the scoped models in turn, to both sides": {
    answers: [],
    options: {
      scopedModels: () => Promise.resolve(["other", "plain"].flatMap((id) => MODELS[id] ?? [])),
    },
    actions: [cycle(1), cycle(1), cycle(1), cycle(-1), cycle(-1), tellModel],
  },
  "there is nothing to cycle through where the one scoped model is in use": {
    answers: [],
    options: { scopedModels: () => Promise.resolve([MODELS["other"]].flatMap((m) => m ?? [])) },
    actions: [cycle(-1), cycle(1)],
  },
  "a model that cannot think gets a level that it has": {
    answers: [],
    actions: [
      ({ live }) => live.setThinkingLevel("high"),
      useModel("plain"),
      async ({ live, note }) => note(await live.setThinkingLevel("max")),
      prompt("go"),
    ],
  },
  "tools are switched off and on": {
    answers: [{ text: "one" }, { text: "two" }, { text: "three" }],
    tools: [doing(() => {})],
    actions: [
      prompt("all"),
      ({ live }) => Promise.resolve(live.setActiveTools(["do", "none such"])),
      prompt("one"),
      ({ live }) => Promise.resolve(live.setActiveTools([])),
      prompt("none"),
    ],
  },
  "a prompt is a command first, then input, then a template": {
    answers: [{ text: "ok" }],
    hooks: (world) => ({
      command: (text) => {
        world().note(`command? ${text}`);
        return Promise.resolve(text.startsWith("/ask") ? { prompt: "asked" } : text === "/do");
      },
      input: (input) => {
        world().note(`input ${input.text}`);
        return Promise.resolve({ ...input, text: `${input.text} /t` });
      },
      expand: (text) => {
        world().note(`expand ${text}`);
        return Promise.resolve(text.replace("/t", "template"));
      },
      beforeAgentStart: (start) => {
        world().note(`start ${JSON.stringify(start)}`);
        return Promise.resolve({ systemPrompt: "Be long." });
      },
    }),
    actions: [
      prompt("/do"),
      prompt("/ask"),
      ({ model, note }) => Promise.resolve(note(model.requests[0]?.systemPrompt ?? "")),
    ],
  },
  "fallback models come in their order, each with attempts of its own": {
    answers: Array.from({ length: 2 }, () => ({ fails: "overloaded" as const })),
    options: {
      retry: { maxRetries: 1 },
      fallbackModels: [
        scriptedModel([{ fails: "overloaded" }, { fails: "dropped" }], { id: "first" }),
        scriptedModel([{ fails: "rate_limited" }, { text: "at last" }], { id: "second" }),
      ],
    },
    actions: [prompt("go")],
  },
  "a fallback model is no help against a bad request": {
    answers: [{ fails: "bad_request" }],
    options: { fallbackModels: [scriptedModel([{ text: "never" }], { id: "fallback" })] },
    actions: [prompt("go")],
  },
  "a compaction that failed is not tried again within the prompt, but with the next one": {
    ...smallWindow,
    given: async (session) => {
      for (let n = 0; n < 6; n++) await session.appendMessage(user(`${n} ${words(600)}`));
    },
    answers: [
      { text: "" },
      { calls: [call("a")] },
      { text: "one" },
      { text: "the summary" },
      { text: "two" },
    ],
    actions: [prompt("first"), prompt("second")],
  },
  "settings of the model go before the general ones": {
    ...smallWindow,
    given: async (session) => {
      for (let n = 0; n < 6; n++) await session.appendMessage(user(`${n} ${words(600)}`));
    },
    options: {
      compaction: {
        reserveTokens: 1_000,
        keepRecentTokens: 800,
        models: { "test/scripted": { enabled: false } },
      },
    },
    answers: [{ text: "not compacted" }],
    actions: [prompt("go")],
  },
  "a run goes on from a user message": {
    given: async (session) => {
      await session.appendMessage(user("asked and not answered"));
    },
    answers: [{ text: "answered" }],
    actions: [({ live }) => live.continue()],
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

  test("agent_settled is the last event, also when the report of a failed listener fails", async () => {
    const text = await play({
      answers: [{ text: "fine" }],
      options: {
        onListenerError: () => {
          throw new Error("no ear for it");
        },
      },
      actions: [
        ({ live }) =>
          Promise.resolve(live.subscribe(() => {
            throw new Error("listener");
          })),
        prompt("go"),
      ],
    });
    expect(text.trimEnd().split("\n").slice(-2)).toEqual([
      "agent_settled",
      "* outcome stop, turns 1",
    ]);
  });

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
