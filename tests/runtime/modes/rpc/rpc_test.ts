import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { JsonlSessionRepo, SessionError } from "../../../../lib/session/mod.ts";
import { brief, RpcTalk } from "../../../support/rpc_talk.ts";
import { TempDirectory } from "../../../support/temp.ts";

describe("prompt", () => {
  test("is answered when it begins; what happens follows, the result last", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "Hello." }] });
    talk.send({ id: 1, type: "prompt", message: "Hi" });
    const result = await talk.record({ type: "result" });
    expect(brief(talk.records)).toEqual([
      "session",
      "done: prompt",
      "entry_appended",
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
      "agent_settled",
      "result of 1",
    ]);
    expect(talk.records[1]).toEqual({
      type: "response",
      id: 1,
      command: "prompt",
      success: true,
      data: { status: "started" },
    });
    expect(result).toMatchObject({ ok: true, exitCode: 0, text: "Hello.", error: null });
    expect(result["sessionId"]).toBe(talk.live.session.id);
    expect(talk.stderr).toBe("bough: Something to know\n");
  });

  test("takes images along", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "A dot." }] });
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    await talk.ask({ type: "prompt", message: "What is it?", images: [image] });
    await talk.record({ type: "result" });
    const [said] = (await talk.live.session.buildContext()).messages;
    expect(said).toMatchObject({ content: [{ type: "text", text: "What is it?" }, image] });
  });

  test("that the model fails has a result that says so", async () => {
    await using talk = new RpcTalk({ answers: [{ fails: "refused", text: "no" }] });
    await talk.ask({ type: "prompt", message: "Hi" });
    expect(await talk.record({ type: "result" })).toMatchObject({
      ok: false,
      exitCode: 1,
      error: { code: "refused" },
    });
  });

  test("is refused while another is worked on, unless it says how to come in", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "a", hangs: true }, { text: "b" }] });
    talk.send(
      { id: 1, type: "prompt", message: "one" },
      { id: 2, type: "prompt", message: "two" },
      { id: 3, type: "prompt", message: "three", streamingBehavior: "followUp" },
      { id: 4, type: "prompt", message: "four", streamingBehavior: "steer" },
    );
    expect(await talk.record({ type: "response", id: 2 })).toMatchObject({
      success: false,
      error: { code: "running", message: expect.stringContaining("one is being worked on") },
    });
    for (const id of [3, 4]) {
      expect(await talk.record({ type: "response", id })).toMatchObject({
        data: { status: "queued" },
      });
    }
    expect(talk.live.queue).toEqual({ steering: ["four"], followUp: ["three"] });
  });

  test("that an extension takes is answered so, and has no result", async () => {
    await using talk = new RpcTalk({
      session: { hooks: { command: (text) => Promise.resolve(text === "/go") } },
      answers: [{ text: "Hello." }],
    });
    expect(await talk.ask({ type: "prompt", message: "/go" })).toEqual({
      success: true,
      data: { status: "taken" },
    });
    await talk.ask({ type: "prompt", message: "Hi" });
    await talk.record({ type: "result" });
    expect(talk.records.filter(({ type }) => type === "result")).toHaveLength(1);
  });

  test("of an extension's command is taken during a run as well", async () => {
    await using talk = new RpcTalk({
      session: { hooks: { command: (text) => Promise.resolve(text === "/go") } },
      answers: [{ text: "half", hangs: true }],
    });
    talk.send({ type: "prompt", message: "Hi" });
    await talk.model.asked(1);
    expect(await talk.ask({ type: "prompt", message: "/go" })).toEqual({
      success: true,
      data: { status: "taken" },
    });
  });

  test("right behind the end of another comes after its result", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "a" }, { text: "b" }] });
    talk.send({ id: 1, type: "prompt", message: "one" });
    await talk.record({ type: "agent_end" });
    await talk.live.waitForIdle();
    talk.send({ id: 2, type: "prompt", message: "two" });
    await talk.record({ type: "result", id: 2 });
    expect(brief(talk.records).filter((name) => /result|prompt|settled/.test(name))).toEqual([
      "done: prompt",
      "agent_settled",
      "result of 1",
      "done: prompt",
      "agent_settled",
      "result of 2",
    ]);
  });

  test("that an extension holds up can be aborted", async () => {
    await using talk = new RpcTalk({
      session: {
        hooks: {
          input: (input, signal) =>
            new Promise((resolve) => signal.addEventListener("abort", () => resolve(input))),
        },
      },
    });
    talk.send({ id: 1, type: "prompt", message: "Hi" }, { id: 2, type: "abort" });
    expect(await talk.record({ type: "response", id: 1 })).toMatchObject({
      success: false,
      error: { code: "aborted" },
    });
    expect(await talk.record({ type: "response", id: 2 })).toMatchObject({ success: true });
  });

  test("that cannot be expanded is refused with the reason", async () => {
    const hooks = { expand: () => Promise.reject(new Error("Cannot expand /x: no such template")) };
    await using talk = new RpcTalk({ session: { hooks } });
    expect(await talk.ask({ type: "prompt", message: "/x" })).toEqual({
      success: false,
      error: { code: "failed", message: "Cannot expand /x: no such template" },
    });
  });
});

describe("steer and follow_up", () => {
  test.each(["steer", "follow_up"])("%s needs something that goes on", async (type: string) => {
    await using talk = new RpcTalk();
    expect(await talk.ask({ type, message: "x" })).toMatchObject({
      success: false,
      error: { code: "idle" },
    });
  });

  test("are heard in the run", async () => {
    const wait = Promise.withResolvers<void>();
    await using talk = new RpcTalk({
      answers: [{ calls: [{ id: "c", name: "wait" }] }, { text: "a" }, { text: "b" }],
      tools: [{
        name: "wait",
        description: "Waits.",
        parameters: { type: "object", properties: {} },
        execute: async () => {
          await wait.promise;
          return { content: [{ type: "text", text: "done" }] };
        },
      }],
    });
    talk.send({ type: "prompt", message: "go" });
    await talk.record({ type: "tool_execution_start" });
    await talk.ask({ type: "follow_up", message: "later" });
    await talk.ask({ type: "steer", message: "sooner" });
    wait.resolve();
    await talk.record({ type: "result" });
    const said = (await talk.live.session.buildContext()).messages.map((message) =>
      message.role === "user" ? message.content : message.role
    );
    expect(said).toEqual([
      "go",
      "assistant",
      "toolResult",
      "sooner",
      "assistant",
      "later",
      "assistant",
    ]);
  });
});

describe("abort", () => {
  test("stops the run, hands back what was queued, and its result says so", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "half", hangs: true }, { text: "never" }] });
    talk.send({ id: 1, type: "prompt", message: "go" });
    await talk.model.asked(1);
    await talk.ask({ type: "follow_up", message: "later" });
    expect(await talk.ask({ type: "abort" })).toEqual({
      success: true,
      data: { aborted: true, steering: [], followUp: ["later"] },
    });
    expect(await talk.record({ type: "result" })).toMatchObject({
      id: 1,
      ok: false,
      exitCode: 130,
      text: "half",
      stopReason: "aborted",
      error: { code: "aborted" },
    });
    expect(talk.model.requests).toHaveLength(1);
  });

  test("has nothing to do when nothing goes on", async () => {
    await using talk = new RpcTalk();
    expect(await talk.ask({ type: "abort" })).toEqual({
      success: true,
      data: { aborted: false, steering: [], followUp: [] },
    });
  });
});

describe("what is asked", () => {
  test("get_state, get_messages and get_tree tell of the session", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "Hello." }] });
    await talk.ask({ type: "prompt", message: "Hi" });
    const { leafId } = await talk.record({ type: "result" });
    const state = await talk.ask({ type: "get_state" });
    const messages = await talk.ask({ type: "get_messages" });
    const tree = await talk.ask({ type: "get_tree" });
    const ids = talk.live.session.storage.entries().map(({ id }) => id);
    expect(state["data"]).toMatchObject({
      sessionId: talk.live.session.id,
      sessionFile: null,
      sessionName: null,
      cwd: "/",
      leafId,
      model: { provider: "test", id: "scripted", contextWindow: 200_000 },
      thinkingLevel: "off",
      tools: [],
      isRunning: false,
      isCompacting: false,
      isRetrying: false,
      queue: { steering: [], followUp: [] },
      stats: { messages: { user: 1, assistant: 1, toolCalls: 0, toolResults: 0 } },
    });
    expect(messages["data"]).toEqual({
      messages: [
        expect.objectContaining({ role: "user", content: "Hi" }),
        expect.objectContaining({ role: "assistant", content: [{ type: "text", text: "Hello." }] }),
      ],
      entryIds: ids.slice(1),
    });
    expect(tree["data"]).toEqual({
      nodes: [
        { id: ids[0], parentId: null, type: "model_change", role: null, leaf: false },
        { id: ids[1], parentId: ids[0], type: "message", role: "user", leaf: false, text: "Hi" },
        {
          id: ids[2],
          parentId: ids[1],
          type: "message",
          role: "assistant",
          leaf: true,
          text: "Hello.",
        },
      ].map((node) => ({ label: null, text: "test/scripted", ...node })),
    });
  });
});

describe("what is set", () => {
  test("set_model and set_thinking_level hold from the next turn on, and are kept", async () => {
    await using talk = new RpcTalk();
    expect(await talk.ask({ type: "set_thinking_level", level: "high" })).toEqual({
      success: true,
      data: { level: "high" },
    });
    // The other model does not think.
    expect(await talk.ask({ type: "set_model", modelId: "other" })).toEqual({
      success: true,
      data: { model: expect.objectContaining({ id: "other" }), thinkingLevel: "off" },
    });
    expect(brief(talk.records)).toContain("model_changed");
    expect(talk.live.session.storage.entries().map(({ type }) => type)).toEqual([
      "thinking_level_change",
      "model_change",
      "thinking_level_change",
    ]);
    expect(await talk.ask({ type: "set_model", modelId: "nobody" })).toMatchObject({
      success: false,
      error: { code: "unknown_model" },
    });
  });

  test("set_session_name and set_label name, and clear", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "Hello." }] });
    await talk.ask({ type: "prompt", message: "Hi" });
    const { leafId } = await talk.record({ type: "result" });
    await talk.ask({ type: "set_session_name", name: "notes" });
    await talk.ask({ type: "set_label", entryId: leafId, label: "here" });
    expect(talk.live.session.name).toBe("notes");
    expect([...talk.live.session.labels]).toEqual([[`${leafId}`, "here"]]);
    await talk.ask({ type: "set_label", entryId: leafId });
    await talk.ask({ type: "set_session_name", name: "" });
    expect(talk.live.session.name).toBeUndefined();
    expect([...talk.live.session.labels]).toEqual([]);
    expect(await talk.ask({ type: "set_label", entryId: "ffffffff", label: "x" })).toMatchObject({
      success: false,
      error: { code: "unknown_entry" },
    });
  });
});

describe("other sessions", () => {
  test("new_session tells the new header first, and ends what went on before that", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "half", hangs: true }] });
    talk.send({ id: 1, type: "prompt", message: "go" });
    await talk.model.asked(1);
    const { sessionId: before } = await talk.record({ type: "session" }).then(({ id }) => ({
      sessionId: id,
    }));
    const { data } = await talk.ask({ type: "new_session" });
    expect(data).toEqual({ cancelled: false, sessionId: talk.live.session.id, sessionFile: null });
    const records = brief(talk.records).slice(-4);
    expect(records).toEqual(["agent_settled", "result of 1", "session", "done: new_session"]);
    const result = await talk.record({ type: "result" });
    expect(result).toMatchObject({ sessionId: before, ok: false, text: "half" });
    expect(talk.live.session.id).not.toBe(`${before}`);
  });

  test("fork hands the text back, clone does not; both go on in the new session", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
    await using talk = new RpcTalk({
      repo,
      cwd: temp.cwd,
      answers: [{ text: "one" }, { text: "two" }],
    });
    await talk.ask({ type: "prompt", message: "first" });
    const { sessionFile: original } = await talk.record({ type: "result" });
    const { data: said } = await talk.ask({ type: "get_messages" });
    const { entryIds }: { entryIds: string[] } = Object(said);
    const cloned = await talk.ask({ type: "clone" });
    expect(cloned["data"]).toEqual({
      cancelled: false,
      sessionId: talk.live.session.id,
      sessionFile: `${talk.live.session.file}`,
    });
    const forked = await talk.ask({ type: "fork", entryId: entryIds[0] });
    expect(forked["data"]).toMatchObject({ cancelled: false, editorText: "first" });
    expect((await talk.live.session.buildContext()).messages).toEqual([]);
    // The one before is free again.
    const back = await talk.ask({ type: "switch_session", session: original });
    expect(back["data"]).toMatchObject({ cancelled: false, sessionFile: original });
    expect(await talk.ask({ type: "fork", entryId: "ffffffff" })).toMatchObject({
      success: false,
      error: { code: "unknown_entry" },
    });
    expect(await talk.ask({ type: "switch_session", session: "nobody" })).toMatchObject({
      success: false,
      error: { code: "not_found" },
    });
  });

  test("an extension may keep the session", async () => {
    await using talk = new RpcTalk({ conversation: { mayLeave: () => Promise.resolve(false) } });
    const before = await talk.record({ type: "session" });
    const { data } = await talk.ask({ type: "new_session" });
    expect(data).toEqual({ cancelled: true, sessionId: before["id"], sessionFile: null });
  });
});

describe("the tree", () => {
  test("navigate_tree moves the leaf and hands the text back", async () => {
    await using talk = new RpcTalk({ answers: [{ text: "one" }, { text: "two" }] });
    await talk.ask({ type: "prompt", message: "first" });
    await talk.record({ type: "result" });
    const { data: said } = await talk.ask({ type: "get_messages" });
    const { entryIds: [entryId] }: { entryIds: string[] } = Object(said);
    // A prompt right behind it goes to the new place.
    talk.send(
      { id: "move", type: "navigate_tree", entryId },
      { id: "again", type: "prompt", message: "another" },
    );
    expect(await talk.record({ type: "response", id: "move" })).toMatchObject({
      success: true,
      data: { cancelled: false, editorText: "first" },
    });
    await talk.record({ type: "result", id: "again" });
    expect(talk.model.requests[1]?.messages).toEqual([
      expect.objectContaining({ role: "user", content: [{ type: "text", text: "another" }] }),
    ]);
    expect(await talk.ask({ type: "navigate_tree", entryId: "ffffffff" })).toMatchObject({
      success: false,
      error: { code: "unknown_entry" },
    });
  });

  test.each([
    { type: "navigate_tree", entryId: null },
    { type: "compact" },
  ])("$type waits for nobody: it is refused during a run", async (command: { type: string }) => {
    await using talk = new RpcTalk({ answers: [{ text: "half", hangs: true }] });
    talk.send({ type: "prompt", message: "go" });
    await talk.model.asked(1);
    expect(await talk.ask(command)).toMatchObject({ success: false, error: { code: "running" } });
  });
});

describe("compact", () => {
  const LONG = "word ".repeat(30_000);

  test("answers with the entry", async () => {
    await using talk = new RpcTalk({ answers: [{ text: LONG }, { text: "A summary." }] });
    await talk.ask({ type: "prompt", message: "go" });
    await talk.record({ type: "result" });
    const { data } = await talk.ask({ type: "compact", customInstructions: "Keep the words" });
    expect(data).toMatchObject({ cancelled: false, entry: { type: "compaction" } });
    expect(JSON.stringify(talk.model.requests[1])).toContain("Keep the words");
  });

  test("says why it cannot be done, and that it was aborted", async () => {
    await using talk = new RpcTalk({ answers: [{ text: LONG }, { text: "", hangs: true }] });
    expect(await talk.ask({ type: "compact" })).toMatchObject({
      success: false,
      error: { code: "failed" },
    });
    await talk.ask({ type: "prompt", message: "go" });
    await talk.record({ type: "result" });
    talk.send({ id: "c", type: "compact" });
    await talk.model.asked(2);
    await talk.ask({ type: "abort" });
    expect(await talk.record({ type: "response", id: "c" })).toMatchObject({
      success: true,
      data: { cancelled: true },
    });
  });
});

describe("bash", () => {
  test("tells the output as it comes, answers with the whole, and keeps it", async () => {
    using temp = new TempDirectory();
    await using talk = new RpcTalk({ cwd: temp.cwd });
    const { data } = await talk.ask({ type: "bash", command: "echo out; exit 3" });
    expect(data).toMatchObject({ command: "echo out; exit 3", output: "out", exitCode: 3 });
    await talk.record({ type: "bash_execution_update", delta: "out\n" });
    const hidden = await talk.ask({ type: "bash", command: "echo x", excludeFromContext: true });
    expect(hidden["data"]).toMatchObject({ excludeFromContext: true });
    expect(talk.live.session.storage.entries()).toHaveLength(2);
  });

  test("does not keep other commands waiting, and can be aborted", async () => {
    using temp = new TempDirectory();
    await using talk = new RpcTalk({ cwd: temp.cwd });
    talk.send({ id: "b", type: "bash", command: "echo begun; sleep 60" });
    await talk.record({ type: "bash_execution_update" });
    expect(await talk.ask({ type: "get_state" })).toMatchObject({ success: true });
    await talk.ask({ type: "abort" });
    expect(await talk.record({ type: "response", id: "b" })).toMatchObject({
      data: { cancelled: true, output: "begun" },
    });
  });
});

describe("export", () => {
  test("hands the branch back as a session file, or writes it, never over another", async () => {
    using temp = new TempDirectory();
    await using talk = new RpcTalk({ cwd: temp.cwd, answers: [{ text: "Hello." }] });
    await talk.ask({ type: "prompt", message: "Hi" });
    await talk.record({ type: "result" });
    const { data } = await talk.ask({ type: "export" });
    const { content }: { content: string } = Object(data);
    const types = content.trimEnd().split("\n").map((line) => JSON.parse(line).type);
    expect(types).toEqual(["session", "model_change", "message", "message"]);
    const written = await talk.ask({ type: "export", format: "jsonl", path: "out.jsonl" });
    expect(written["data"]).toEqual({ path: temp.join("work/out.jsonl") });
    const file = await new JsonlSessionRepo({ sessionsDir: temp.path })
      .open(temp.join("work/out.jsonl"), { access: "read" });
    expect((await file.buildContext()).messages).toHaveLength(2);
    await file.close();
    fs.writeFileSync(temp.join("work/mine"), "mine");
    expect(await talk.ask({ type: "export", format: "jsonl", path: "mine" })).toMatchObject({
      success: false,
      error: { code: "failed", message: expect.stringContaining("there is a file of this") },
    });
    expect(temp.read("work/mine")).toBe("mine");
  });
});

describe("input that is none", () => {
  test("gets an error record each, and what follows is done", async () => {
    await using talk = new RpcTalk();
    talk.send("{", "", '{"id":"a","type":"nope"}', '{"id":"b","type":"abort","x":1}', "\u2028");
    talk.bytes(new Uint8Array([0xff, 0xfe, 10]));
    expect(await talk.ask({ type: "get_state" })).toMatchObject({ success: true });
    expect(
      talk.records.slice(1, -1).map(({ id, command, success, error }) => ({
        id,
        command,
        success,
        code: Object(error).code,
      })),
    ).toEqual([
      { id: undefined, command: null, success: false, code: "bad_json" },
      { id: "a", command: "nope", success: false, code: "unknown_command" },
      { id: "b", command: "abort", success: false, code: "bad_arguments" },
      { id: undefined, command: null, success: false, code: "bad_json" },
    ]);
  });

  test("a bug is told on stderr as well", async () => {
    await using talk = new RpcTalk({
      session: {
        shell: () => {
          throw new TypeError("undefined is not a shell");
        },
      },
    });
    expect(await talk.ask({ type: "bash", command: "ls" })).toMatchObject({
      success: false,
      error: { code: "bug" },
    });
    await talk[Symbol.asyncDispose]();
    expect(talk.stderr).toContain("there is a bug in Bough");
  });
});

describe("the end", () => {
  test("of stdin: what came is answered, what goes on is aborted and saved, exit 0", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
    const talk = new RpcTalk({ repo, cwd: temp.cwd, answers: [{ text: "half", hangs: true }] });
    talk.send({ id: 1, type: "prompt", message: "go" });
    await talk.model.asked(1);
    talk.send({ id: 2, type: "get_state" }, { id: 3, type: "bash", command: "sleep 60" });
    // The last line has no end.
    talk.bytes(new TextEncoder().encode('{"id":4,"type":"set_session_name","name":"kept"}'));
    talk.end();
    expect(await talk.finished).toBe(0);
    const answers = talk.records.filter(({ type }) => type === "response");
    expect(answers.map(({ id, success }) => [id, success]).sort()).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, true],
    ]);
    expect(talk.records.find(({ type }) => type === "result")).toMatchObject({
      id: 1,
      ok: false,
      text: "half",
    });
    const stored = await repo.continueRecent(temp.cwd);
    const { messages } = await stored?.buildContext() ?? { messages: [] };
    expect(messages.slice(0, 2)).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "text", text: "half" }], stopReason: "aborted" },
    ]);
    expect(stored?.name).toBe("kept");
    await stored?.close();
  });

  test("by shutdown: it is answered, and what comes behind it is not done", async () => {
    const talk = new RpcTalk();
    talk.send(
      { id: 1, type: "set_session_name", name: "before" },
      { id: 2, type: "shutdown" },
      { id: 3, type: "set_session_name", name: "after" },
    );
    expect(await talk.finished).toBe(0);
    const answers = talk.records.filter(({ type }) => type === "response");
    expect(answers.map(({ id, success, error }) => [id, success, Object(error).code])).toEqual([
      [1, true, undefined],
      [2, true, undefined],
      [3, false, "shutting_down"],
    ]);
  });

  test("by a signal: the run is aborted, and has its result", async () => {
    const talk = new RpcTalk({ answers: [{ text: "half", hangs: true }] });
    talk.send({ id: 1, type: "prompt", message: "go" });
    await talk.model.asked(1);
    talk.stopper.stop({ kind: "signal", signal: "SIGTERM" });
    await talk.finished;
    expect(brief(talk.records).slice(-2)).toEqual(["agent_settled", "result of 1"]);
  });

  test("of a stdin that has nothing to say comes at once", async () => {
    const stdin = () => ({ kind: "none" as const, read: () => Promise.reject(new Error("read")) });
    const talk = new RpcTalk({ ports: { stdin } });
    expect(await talk.finished).toBe(0);
    expect(brief(talk.records)).toEqual(["session"]);
  });

  test("where no session can be opened: a result says why", async () => {
    const open = () => Promise.reject(new SessionError("busy", "Cannot write: another does"));
    const talk = new RpcTalk({ ports: { open } });
    expect(talk.finished).rejects.toMatchObject({ code: "busy" });
    await talk.finished.catch(() => undefined);
    expect(await talk.record({ type: "result" })).toMatchObject({
      ok: false,
      exitCode: 5,
      sessionId: null,
      error: { code: "busy", retryable: true },
    });
  });
});

test("a client that does not read holds up the run and the commands, and loses nothing", async () => {
  const gate = Promise.withResolvers<void>();
  const BIG = "x".repeat(600_000);
  await using talk = new RpcTalk({
    gate: gate.promise,
    answers: [
      { text: BIG, calls: [{ id: "c", name: "look" }] },
      { text: BIG, calls: [{ id: "d", name: "look" }] },
      { text: "done" },
    ],
    tools: [{
      name: "look",
      description: "Looks.",
      parameters: { type: "object", properties: {} },
      execute: () => Promise.resolve({ content: [{ type: "text", text: "seen" }] }),
    }],
  });
  talk.send({ id: 1, type: "prompt", message: "go" });
  await talk.model.asked(1);
  for (let i = 0; i < 100; i++) talk.send({ id: `s${i}`, type: "get_state" });
  // All that can happen without a reader has happened when the event loop has gone round often.
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  const held = { requests: talk.model.requests.length, taken: talk.stdin.taken };
  gate.resolve();
  await talk.record({ type: "result" });
  await talk.record({ id: "s99" });
  expect(held).toEqual({ requests: 1, taken: expect.any(Number) });
  expect(held.taken).toBeLessThan(60);
  expect(talk.records.filter(({ type }) => type === "response")).toHaveLength(101);
});
