/** What an AgentSession leaves behind, or leaves undone, where something comes in between. */
import { expect, test } from "bun:test";
import { AgentSession } from "../../lib/runtime/mod.ts";
import { MemorySessionRepo } from "../../lib/session/mod.ts";
import { InstantTimer } from "../support/manual_timer.ts";
import { scriptedModel } from "../support/scripted_model.ts";

test("dispose() keeps the output of a person's command that is still running", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const begun = Promise.withResolvers<void>();
  const live = new AgentSession({
    session,
    model: scriptedModel([]),
    shell: async ({ signal }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => setImmediate(resolve), { once: true });
      begun.resolve();
      await promise;
      return { output: "so far", cancelled: true, truncated: false };
    },
  });
  const running = live.executeBash("make");
  await begun.promise;
  await live.dispose();
  expect((await running).output).toBe("so far");
  expect((await session.getBranch()).map((entry) => entry.type === "message" && entry.message))
    .toEqual([await running]);
});

test("dispose() waits for no command that does not heed it", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const begun = Promise.withResolvers<void>();
  const live = new AgentSession({
    session,
    model: scriptedModel([]),
    timer: new InstantTimer(),
    shell: () => {
      begun.resolve();
      return new Promise(() => {});
    },
  });
  void live.executeBash("make");
  await begun.promise;
  await live.dispose();
  expect(session.leafId).toBeNull();
});

test("abort() ends a prompt whose model is still being checked, and nothing of it is written", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const checking = Promise.withResolvers<void>();
  const live = new AgentSession({
    session,
    model: scriptedModel([]),
    timer: new InstantTimer(),
    checkModel: () => {
      checking.resolve();
      return new Promise(() => {});
    },
  });
  const running = live.prompt("go");
  await checking.promise;
  await live.abort();
  expect(await running).toMatchObject({ aborted: true, stopReason: "aborted" });
  expect(session.leafId).toBeNull();
  await live.dispose();
});

test("isCompacting is false again where a hook fails", async () => {
  const live = new AgentSession({
    session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
    model: scriptedModel([]),
    hooks: {
      observe: ({ type }) =>
        type === "compaction_start" ? Promise.reject(new Error("no")) : Promise.resolve(),
    },
  });
  await expect(live.compact()).rejects.toThrow("no");
  expect(live.isCompacting).toBe(false);
  await live.dispose();
});

test("prompt() hears what is said while the hooks before its end have their time", async () => {
  const model = scriptedModel([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const more = ["steer", "followUp"] as const;
  let asked = 0;
  const live: AgentSession = new AgentSession({
    session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
    model,
    hooks: {
      async beforeSettle() {
        const how = more[asked++];
        if (how) await live[how](how);
        return false;
      },
    },
  });
  expect((await live.prompt("go")).text).toBe("three");
  expect(live.queue).toEqual({ steering: [], followUp: [] });
  await live.dispose();
});
