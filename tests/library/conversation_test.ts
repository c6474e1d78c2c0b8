/** Live conversations as a program uses them that imports `mod.ts`. */
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { z } from "zod";
import {
  Agent,
  AgentSession,
  type AgentSessionEvent,
  AgentSessionRuntime,
  createAgentSession,
  defineTool,
  JsonlSessionRepo,
  MemorySessionRepo,
  type Message,
  type Model,
  type ModelEvent,
  type RuntimePorts,
  type Session,
  SessionError,
  type SessionHooks,
  textOf,
  type Tool,
  type UserInput,
} from "../../mod.ts";
import { InstantTimer } from "../support/manual_timer.ts";
import { SCRIPTED_FACTS, scriptedModel } from "../support/scripted_model.ts";
import { TempDirectory } from "../support/temp.ts";

function texts(messages: readonly Message[]): string[] {
  return messages.map((message) =>
    "content" in message ? `${message.role}: ${textOf(message.content)}` : message.role
  );
}

async function textsOf(session: Session): Promise<string[]> {
  return texts((await session.buildContext()).messages);
}

describe("Agent", () => {
  const add = defineTool({
    name: "add",
    description: "Adds two numbers",
    schema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  });
  const shout: Tool = {
    name: "shout",
    description: "Shouts",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: async ({ text }) => ({
      content: [{ type: "text", text: String(text).toUpperCase() }],
    }),
  };

  test("runs alone, with tools of zod and of JSON Schema", async () => {
    const model = scriptedModel([
      {
        calls: [
          { id: "1", name: "add", arguments: { a: 1, b: "2" } },
          { id: "2", name: "shout", arguments: { text: "hey" } },
          { id: "3", name: "add", arguments: { a: "one" } },
        ],
      },
      { text: "Done." },
    ]);
    const agent = new Agent({ model, tools: [add, shout] });
    const heard: string[] = [];
    const unsubscribe = agent.subscribe(({ type }) => void heard.push(type));
    const { turns, aborted, last } = await agent.prompt("Go.");
    unsubscribe();
    expect([turns, aborted, last && textOf(last.content)]).toEqual([2, false, "Done."]);
    expect(texts(agent.messages)).toEqual([
      "user: Go.",
      "assistant: ",
      "toolResult: 3",
      "toolResult: HEY",
      "toolResult: The call of add was not run: its arguments do not fit.\n" +
      '- b is missing\n- a must be a number, not "one"\n' +
      'The right shape is: { "a": number, "b": number }',
      "assistant: Done.",
    ]);
    expect([heard.at(0), heard.at(-1)]).toEqual(["agent_start", "agent_end"]);
  });

  const broken: [string, () => AsyncIterable<ModelEvent>][] = [
    ["throws at once", () => {
      throw new Error("no such luck");
    }],
    ["throws later", async function* () {
      yield { type: "start" };
      throw new Error("no such luck");
    }],
    ["ends without an end", async function* () {
      yield { type: "start" };
    }],
    ["ends with nothing", async function* () {
      yield JSON.parse('{"type":"done"}');
    }],
    ["ends with a text", async function* () {
      yield JSON.parse('{"type":"done","message":{"role":"assistant","content":"Hello"}}');
    }],
  ];
  test.each(broken)("tells what is wrong with a model that %s", async (_how, stream) => {
    const model: Model = { facts: SCRIPTED_FACTS, stream };
    const { error, last } = await new Agent({ model }).prompt("Go.");
    expect(last?.stopReason).toBe("error");
    expect(error?.message).toMatch(
      /^Cannot get an answer from scripted: (no such luck|the answer ended without an end mark|its answer is no assistant message with a list of blocks)$/,
    );
    const { session } = await createAgentSession({ model, retry: { enabled: false } });
    const outcome = await session.prompt("Go.");
    expect([outcome.stopReason, outcome.saved]).toEqual(["error", true]);
    expect((await session.session.getBranch()).at(-1)).toMatchObject({
      type: "message",
      message: { role: "assistant", stopReason: "error", content: [] },
    });
    await session.dispose();
  });
});

describe("prompt()", () => {
  test("stops when its signal aborts, and keeps what was said", async () => {
    const model = scriptedModel([{ text: "So far", hangs: true }, { text: "Again." }]);
    const { session } = await createAgentSession({ model });
    const controller = new AbortController();
    const prompt = session.prompt("Go.", { signal: controller.signal });
    await model.asked(1);
    controller.abort();
    expect(await prompt).toMatchObject({ text: "So far", aborted: true, stopReason: "aborted" });
    expect((await session.prompt("Again?", { signal: new AbortController().signal })).text)
      .toBe("Again.");
    await session.dispose();
  });

  test("writes nothing where its signal has aborted before", async () => {
    const model = scriptedModel([]);
    const { session } = await createAgentSession({ model });
    const outcome = await session.prompt("Go.", { signal: AbortSignal.abort() });
    expect([outcome.aborted, outcome.stopReason, outcome.taken]).toEqual([true, "aborted", false]);
    expect([await session.session.getEntries(), model.requests]).toEqual([[], []]);
    await session.dispose();
  });

  test("the signal of a message that was queued does not stop what it waits for", async () => {
    const model = scriptedModel([{ text: "One.", hangs: true }]);
    const { session } = await createAgentSession({ model });
    const first = session.prompt("Go.");
    await model.asked(1);
    const controller = new AbortController();
    await session.prompt("And then?", { whileRunning: "followUp", signal: controller.signal });
    controller.abort();
    expect([session.isRunning, session.queue.followUp]).toEqual([true, ["And then?"]]);
    await session.abort();
    expect((await first).aborted).toBe(true);
    await session.dispose();
  });

  test("a signal that outlives its prompts stops none of the later ones", async () => {
    const model = scriptedModel([{ text: "One." }, { text: "Two.", hangs: true }]);
    const { session } = await createAgentSession({ model });
    const controller = new AbortController();
    await session.prompt("Go.", { signal: controller.signal });
    const second = session.prompt("Go on.");
    await model.asked(2);
    controller.abort();
    expect(session.isRunning).toBe(true);
    await session.abort();
    await second;
    await session.dispose();
  });
});

describe("subscribe()", () => {
  test.each(["abort", "dispose"] as const)(
    "a listener may wait for %s(): the run does not wait for the listener for ever",
    async (stop) => {
      const model = scriptedModel([{ text: "So far" }]);
      await using session = new AgentSession({
        session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
        model,
        timer: new InstantTimer(),
      });
      const stopped = Promise.withResolvers<void>();
      session.subscribe(async ({ type }) => {
        if (type !== "message_update") return;
        await session[stop]();
        stopped.resolve();
      });
      const outcome = await session.prompt("Go.");
      await stopped.promise;
      expect([outcome.aborted, outcome.stopReason, session.isRunning])
        .toEqual([true, "aborted", false]);
    },
  );

  test("a listener that fails stops nobody, and is reported once", async () => {
    const reported: unknown[] = [];
    await using session = new AgentSession({
      session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
      model: scriptedModel([{ text: "Hello." }]),
      onListenerError: (error) => reported.push(error),
    });
    const failure = new Error("no listener of mine");
    session.subscribe(() => {
      throw failure;
    });
    const heard: string[] = [];
    session.subscribe(async ({ type }) => void heard.push(type));
    expect((await session.prompt("Go.")).text).toBe("Hello.");
    expect([heard.at(-1), reported]).toEqual(["agent_settled", [failure]]);
  });
});

describe("hooks", () => {
  const lookUp: Tool = {
    name: "look_up",
    description: "Looks up",
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "found" }] }),
  };

  /** Each waits for the end of the run that waits for it. */
  class StoppingHooks {
    #stop: () => Promise<void> = async () => {};

    stopWith(stop: () => Promise<void>): void {
      this.#stop = stop;
    }
    async beforeAgentStart() {
      await this.#stop();
      return {};
    }
    async context(messages: Message[]) {
      await this.#stop();
      return messages;
    }
    async beforeToolCall() {
      await this.#stop();
      return undefined;
    }
    async afterToolCall() {
      await this.#stop();
      return undefined;
    }
    async turnEnd() {
      await this.#stop();
      return undefined;
    }
    async beforeSettle() {
      await this.#stop();
      return false;
    }
    async observe(_event: AgentSessionEvent) {
      await this.#stop();
    }
  }

  const names = [
    "beforeAgentStart",
    "context",
    "beforeToolCall",
    "afterToolCall",
    "turnEnd",
    "beforeSettle",
    "observe",
  ] as const;
  test.each(names)("%s() may wait for abort(): the run ends", async (name) => {
    const stopping = new StoppingHooks();
    const hooks: SessionHooks = { [name]: stopping[name].bind(stopping) };
    await using session = new AgentSession({
      session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
      model: scriptedModel([{ calls: [{ id: "1", name: "look_up" }] }, { text: "Done." }]),
      tools: [lookUp],
      hooks,
      timer: new InstantTimer(),
    });
    stopping.stopWith(() => session.abort());
    const outcome = await session.prompt("Go.");
    expect([outcome.aborted, session.isRunning]).toEqual([true, false]);
    const results = (await session.session.buildContext()).messages.filter(({ role }) =>
      role === "toolResult"
    );
    if (name === "afterToolCall") {
      expect(results).toMatchObject([{
        isError: true,
        content: [{ text: "The call was aborted." }],
      }]);
    }
  });

  test("may be the methods of an object", async () => {
    class Count implements SessionHooks {
      #turns = 0;
      get turns(): number {
        return this.#turns;
      }
      async turnEnd() {
        this.#turns++;
        return undefined;
      }
      async input(input: UserInput) {
        return { ...input, text: `${input.text} (${this.#turns} before)` };
      }
    }
    const hooks = new Count();
    const model = scriptedModel([{ text: "One." }, { text: "Two." }]);
    const { session } = await createAgentSession({ model, hooks });
    await session.prompt("First");
    await session.prompt("Second");
    expect(hooks.turns).toBe(2);
    expect((await textsOf(session.session)).filter((text) => text.startsWith("user")))
      .toEqual(["user: First (0 before)", "user: Second (1 before)"]);
    await session.dispose();
  });
});

describe("await using", () => {
  test("closes sessions, conversations and runtimes", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
    let file = "";
    {
      await using session = await repo.create({ cwd: temp.cwd });
      await session.appendMessage({ role: "user", content: "Hello", timestamp: 1 });
      file = session.file ?? "";
    }
    {
      await using session = new AgentSession({
        session: await repo.open(file, { access: "write" }),
        model: scriptedModel([]),
      });
      expect(session.isRunning).toBe(false);
    }
    const model = scriptedModel([]);
    {
      const session = await repo.open(file, { access: "write" });
      await using runtime = await AgentSessionRuntime.create(session, {
        repo,
        prepare: async (session) => ({
          start: async () => ({ session: new AgentSession({ session, model }), services: {} }),
        }),
      });
      expect(runtime.session.session.file).toBe(file);
    }
    await (await repo.open(file, { access: "write" })).close();
  });
});

describe("AgentSessionRuntime", () => {
  /** Each directory's own model says where it is. */
  function ports(repo: JsonlSessionRepo, opened: string[]): RuntimePorts<{ cwd: string }> {
    return {
      repo,
      prepare: async (session) => {
        if (!fs.existsSync(session.cwd)) {
          throw new Error(`Cannot work in ${session.cwd}: it is gone`);
        }
        const answers = Array.from({ length: 20 }, (_, n) => ({ text: `${n} here` }));
        return {
          start: async () => {
            opened.push(session.id);
            return {
              session: new AgentSession({ session, model: scriptedModel(answers) }),
              services: { cwd: session.cwd },
            };
          },
        };
      },
    };
  }

  test("holds a conversation that branches, forks, moves, is resumed, imported and replaced", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
    const opened: string[] = [];
    const first = await repo.create({ cwd: temp.cwd, id: "first" });
    const runtime = await AgentSessionRuntime.create(first, ports(repo, opened));
    const rebound: string[] = [];
    runtime.onRebind(({ session }) => void rebound.push(session.session.id));
    await runtime.start();
    await runtime.session.prompt("One");
    await runtime.session.prompt("Two");
    const [, , second] = (await runtime.session.session.getBranch()).filter(({ type }) =>
      type === "message"
    );
    const old = runtime.session;

    const { editorText, cancelled } = await runtime.fork(second?.id ?? "");
    expect([editorText, cancelled]).toEqual(["Two", false]);
    expect(await textsOf(runtime.session.session)).toEqual(["user: One", "assistant: 0 here"]);
    const stale = await old.prompt("Anybody?").catch((error: unknown) => error);
    expect(stale instanceof SessionError && stale.code).toBe("closed");

    await runtime.session.prompt("Another two");
    await runtime.clone();
    expect((await textsOf(runtime.session.session)).length).toBe(4);
    await runtime.newSession({ cwd: temp.make("elsewhere") });
    expect([runtime.services.cwd, runtime.session.session.leafId])
      .toEqual([temp.join("elsewhere"), null]);
    await runtime.switchSession("first", { cwd: temp.cwd });
    expect(runtime.session.session.id).toBe("first");
    await runtime.session.navigateTree(second?.id ?? null, { label: "here" });
    await runtime.session.prompt("Two, again");
    expect(await textsOf(runtime.session.session))
      .toEqual(["user: One", "assistant: 0 here", "user: Two, again", "assistant: 0 here"]);

    const foreign = temp.write(
      "foreign.jsonl",
      fs.readFileSync(runtime.session.session.file ?? "", "utf8"),
    );
    await runtime.importFromJsonl(foreign);
    expect(await textsOf(runtime.session.session)).toHaveLength(4);
    const imported = runtime.session.session.id;
    expect(imported).not.toBe("first");
    await runtime.reload();
    expect([runtime.session.session.id, rebound.length]).toEqual([imported, 6]);

    await expect(runtime.importFromJsonl(temp.write("none.jsonl", "nothing\n"))).rejects
      .toMatchObject({ code: "not_a_session" });
    await expect(runtime.newSession({ cwd: temp.join("gone") })).rejects.toThrow("it is gone");
    expect((await runtime.session.prompt("Still there?")).stopReason).toBe("stop");
    await runtime.dispose();
    // Nothing holds a lock any more: each can be opened for writing.
    for (const { path } of await repo.list()) {
      await (await repo.open(path, { access: "write" })).close();
    }
    expect(opened.length).toBe(7);
  });
});
