import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { AgentSession } from "../../lib/runtime/mod.ts";
import { JsonlSessionRepo } from "../../lib/session/mod.ts";
import { FaultyFileSystem } from "../support/faulty_file_system.ts";
import { echo } from "../support/scenario.ts";
import { scriptedModel } from "../support/scripted_model.ts";
import { TempDirectory } from "../support/temp.ts";

/** A conversation of a tool call and an answer, on a disk that fails at the n-th write. */
async function conversation(temp: TempDirectory, at: number) {
  const disk = new FaultyFileSystem({ at, failure: "ENOSPC", of: ["write"], then: "fails" });
  const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions"), fs: disk });
  const session = await repo.create({ cwd: temp.cwd });
  const model = scriptedModel([
    { calls: [{ id: "a", name: "echo", arguments: { text: "hi" } }] },
    { text: "the answer" },
    { text: "again" },
  ]);
  const told: string[] = [];
  const live = new AgentSession({ session, model, tools: [echo] });
  live.subscribe((event) => {
    if (event.type === "message_end") told.push(event.message.role);
  });
  return { disk, repo, session, model, live, told };
}

describe("AgentSession.prompt()", () => {
  // Writes: who holds the lock; header, model_change and user message; call; result; answer.
  const rows: [what: string, at: number, requests: number, told: string[], text: string][] = [
    ["the user message", 2, 0, [], ""],
    ["the call", 3, 1, ["user"], ""],
    ["the result", 4, 1, ["user", "assistant"], ""],
    ["the answer", 5, 2, ["user", "assistant", "toolResult"], "the answer"],
  ];
  for (const [what, at, requests, told, text] of rows) {
    test(`prompt() stops and says so when ${what} cannot be written`, async () => {
      using temp = new TempDirectory();
      const world = await conversation(temp, at);
      const outcome = await world.live.prompt("go");
      expect(outcome).toMatchObject({ saved: false, saveError: { code: "write_failed" }, text });
      expect(world.model.requests.length).toBe(requests);
      expect(world.told).toEqual(told);
      await world.live.dispose();
    });
  }

  test("prompt() works again once the disk does, under a parent that is in the file", async () => {
    using temp = new TempDirectory();
    const world = await conversation(temp, 5);
    await world.live.prompt("go");
    world.disk.mend();
    const outcome = await world.live.prompt("and now?");
    expect(outcome).toMatchObject({ saved: true, text: "again" });
    const { file } = world.session;
    const branch = (await world.session.getBranch()).map((entry) => entry.id);
    await world.live.dispose();
    const reopened = await world.repo.open(file ?? "", { access: "read" });
    expect((await reopened.getBranch()).map((entry) => entry.id)).toEqual(branch);
    expect(reopened.damage.filter((each) => each.kind !== "torn")).toEqual([]);
    expect(fs.readFileSync(file ?? "", "utf8")).not.toContain("the answer");
  });

  test("prompt() settles, and another can begin, when what follows the answer cannot be written", async () => {
    using temp = new TempDirectory();
    // Writes: lock; header, model and question; failure; answer; the model that was chosen, again.
    const disk = new FaultyFileSystem({ at: 5, failure: "ENOSPC", of: ["write"], then: "fails" });
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions"), fs: disk });
    const live = new AgentSession({
      session: await repo.create({ cwd: temp.cwd }),
      model: scriptedModel([{ fails: "quota" }, { text: "later" }]),
      fallbackModels: [scriptedModel([{ text: "from the fallback" }], { id: "fallback" })],
    });
    const told: string[] = [];
    live.subscribe(({ type }) => void told.push(type));
    const outcome = await live.prompt("go");
    expect(outcome).toMatchObject({ saved: false, text: "from the fallback" });
    expect([told.at(-1), live.isRunning, live.model.facts.id]).toEqual([
      "agent_settled",
      false,
      "scripted",
    ]);
    disk.mend();
    expect(await live.prompt("again")).toMatchObject({ saved: true, text: "later" });
    await live.dispose();
  });

  test("prompt() keeps a shell command's output that could not be written, and writes it later", async () => {
    using temp = new TempDirectory();
    const disk = new FaultyFileSystem({ at: 4, failure: "ENOSPC", of: ["write"], then: "fails" });
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions"), fs: disk });
    const session = await repo.create({ cwd: temp.cwd });
    const live = new AgentSession({
      session,
      model: scriptedModel([{ text: "one" }, { text: "two" }]),
      shell: () =>
        Promise.resolve({ output: "files", exitCode: 0, cancelled: false, truncated: false }),
    });
    await live.prompt("go");
    await expect(live.executeBash("ls")).rejects.toThrow("ENOSPC");
    disk.mend();
    await live.prompt("again");
    const roles = (await session.getBranch()).map((entry) =>
      entry.type === "message" ? entry.message.role : entry.type
    );
    expect(roles).toEqual([
      "model_change",
      "user",
      "assistant",
      "bashExecution",
      "user",
      "assistant",
    ]);
    await live.dispose();
  });
});
