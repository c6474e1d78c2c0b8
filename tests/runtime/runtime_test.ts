import { describe, expect, test } from "bun:test";
import { AgentSession, AgentSessionRuntime, type RuntimePorts } from "../../lib/runtime/mod.ts";
import { MemorySessionRepo, type Session } from "../../lib/session/mod.ts";
import { type Answer, scriptedModel } from "../support/scripted_model.ts";

interface Given {
  answers?: Answer[];
  /** Whether an extension lets the session be left. */
  mayLeave?: boolean;
  /** Preparing fails from the second session on. */
  broken?: boolean;
  /** What happens while a session is being let go. */
  onShutdown?: () => Promise<void>;
}

/** A runtime whose every step is written down. */
async function logged(
  { answers = [], broken = false, mayLeave = true, onShutdown }: Given = {},
) {
  const log: string[] = [];
  const repo = new MemorySessionRepo();
  const model = scriptedModel(answers);
  const nameOf = new Map<Session, string>();
  const ports: RuntimePorts<undefined> = {
    repo,
    prepare(session) {
      const name = nameOf.get(session) ?? `s${nameOf.size + 1}`;
      nameOf.set(session, name);
      log.push(`prepare ${name}`);
      if (broken && nameOf.size > 1) throw new Error("The settings are broken.");
      return Promise.resolve({
        start: () => {
          log.push(`start ${name}`);
          const live = new AgentSession({ session, model });
          live.subscribe(({ type }) => {
            if (type === "agent_settled") log.push(`${name} settled`);
          });
          return Promise.resolve({
            session: live,
            services: undefined,
            mayLeave: ({ kind }) => {
              log.push(`${name} may be left? ${kind}`);
              return Promise.resolve(mayLeave);
            },
            started: ({ reason }) => {
              log.push(`${name} started: ${reason}`);
              return Promise.resolve();
            },
            shutdown: async () => {
              log.push(`${name} shut down`);
              await onShutdown?.();
            },
          });
        },
      });
    },
  };
  const runtime = await AgentSessionRuntime.create(await repo.create({ cwd: "/project" }), ports);
  runtime.onRebind(({ session }) => void log.push(`rebind ${nameOf.get(session.session)}`));
  await runtime.start();
  log.length = 0;
  return { log, model, runtime };
}

const CHANGE = ["prepare s2", "s1 settled", "s1 shut down", "start s2", "rebind s2"];

describe("AgentSessionRuntime", () => {
  test("asks, opens the new, stops the run, lets the old go, then binds the new", async () => {
    const { log, model, runtime } = await logged({ answers: [{ text: "half", hangs: true }] });
    const running = runtime.session.prompt("go");
    await model.asked(1);
    await runtime.newSession();
    expect((await running).aborted).toBe(true);
    expect(log).toEqual(["s1 may be left? switch", ...CHANGE, "s2 started: new"]);
  });

  test("says for each change what it is", async () => {
    const { log, runtime } = await logged({ answers: [{ text: "one" }] });
    await runtime.session.prompt("go");
    const leaf = runtime.session.session.leafId ?? "";
    const { id } = runtime.session.session;
    await runtime.fork(leaf, { position: "at" });
    await runtime.clone();
    await runtime.switchSession(id);
    await runtime.reload();
    expect(log.filter((line) => / (started|may)/.test(line))).toEqual([
      "s1 may be left? fork",
      "s2 started: fork",
      "s2 may be left? fork",
      "s3 started: clone",
      "s3 may be left? switch",
      "s4 started: resume",
      "s4 started: reload",
    ]);
  });

  test("changes nothing when an extension cancels", async () => {
    const { log, model, runtime } = await logged({
      answers: [{ text: "half", hangs: true }],
      mayLeave: false,
    });
    const kept = runtime.session;
    const running = kept.prompt("go");
    await model.asked(1);
    for (const change of [() => runtime.newSession(), () => runtime.clone()]) {
      expect(await change()).toEqual({ cancelled: true });
    }
    expect(log).toEqual(["s1 may be left? switch", "s1 may be left? fork"]);
    expect([runtime.session, kept.isRunning]).toEqual([kept, true]);
    await kept.abort();
    await running;
  });

  test("keeps the old session alive, and running, when the new one cannot be made ready", async () => {
    const { log, model, runtime } = await logged({
      answers: [{ text: "half", hangs: true }, { text: "still here" }],
      broken: true,
    });
    const kept = runtime.session;
    const running = kept.prompt("go");
    await model.asked(1);
    await expect(runtime.newSession()).rejects.toThrow("The settings are broken.");
    await expect(runtime.clone()).rejects.toThrow("The settings are broken.");
    expect(log).toEqual([
      "s1 may be left? switch",
      "prepare s2",
      "s1 may be left? fork",
      "prepare s3",
    ]);
    expect([runtime.session, kept.isRunning]).toEqual([kept, true]);
    await kept.abort();
    await running;
    expect((await kept.prompt("again")).text).toBe("still here");
  });

  test("makes one change at a time, and none once it is disposed of", async () => {
    const { runtime } = await logged();
    const first = runtime.newSession();
    await expect(runtime.newSession()).rejects.toThrow("it is being changed already");
    await first;
    await runtime.dispose();
    await expect(runtime.newSession()).rejects.toThrow("the runtime was disposed of");
  });

  test("dispose() during a change lets each session go once, and waits for the old one", async () => {
    const leaving = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const { log, runtime } = await logged({
      onShutdown: async () => {
        reached.resolve();
        await leaving.promise;
      },
    });
    const old = runtime.session;
    const change = runtime.newSession();
    await reached.promise;
    const disposed = runtime.dispose();
    leaving.resolve();
    await Promise.all([change, disposed]);
    expect(log).toEqual([
      "s1 may be left? switch",
      "prepare s2",
      "s1 shut down",
      "start s2",
      "s2 shut down",
    ]);
    await expect(old.prompt("x")).rejects.toThrow("it was closed or replaced");
    await expect(runtime.session.prompt("x")).rejects.toThrow("it was closed or replaced");
  });

  test("dispose() closes the session also where letting go of its extensions fails", async () => {
    const { runtime } = await logged({ onShutdown: () => Promise.reject(new Error("no")) });
    await expect(runtime.dispose()).rejects.toThrow("no");
    await expect(runtime.session.prompt("x")).rejects.toThrow("it was closed or replaced");
  });

  test("what was kept of a replaced session refuses whatever would change something", async () => {
    const { runtime } = await logged({ answers: [{ text: "one" }] });
    const old = runtime.session;
    await old.prompt("go");
    const entry = old.session.leafId ?? "";
    const uses = [
      () => old.prompt("x"),
      () => old.continue(),
      () => old.steer("x"),
      () => old.followUp("x"),
      () => old.setModel(old.model),
      () => old.cycleModel(),
      () => old.setThinkingLevel("high"),
      async () => old.setActiveTools([]),
      () => old.compact(),
      () => old.navigateTree(null),
      () => old.executeBash("ls"),
      () => old.addMessage({ role: "user", content: "x", timestamp: 1 }),
      () => old.setSessionName("x"),
      () => old.setLabel(entry, "x"),
      () => old.dropFromContext(entry),
      () => old.editContext(entry, "x"),
      () => old.appendCustomEntry("x"),
    ];
    // The session itself goes on: only the conversation is stale.
    await runtime.reload();
    const before = await runtime.session.session.getEntries();
    for (const use of uses) await expect(use()).rejects.toThrow("it was closed or replaced");
    expect(await runtime.session.session.getEntries()).toEqual(before);
  });
});
