import { describe, expect, test } from "bun:test";
import type { Tool } from "../../../lib/agent/mod.ts";
import type { Extension, ExtensionEventName } from "../../../lib/runtime/extensions/api.ts";
import { textOf } from "../../../lib/session/mod.ts";
import { Extended } from "../../support/extended.ts";

const echo: Tool = {
  name: "echo",
  description: "Says it again.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }) => Promise.resolve({ content: [{ type: "text", text: String(text) }] }),
};
const callsEcho = (text: string, id = "1") => ({
  calls: [{ id, name: "echo", arguments: { text } }],
});

/** An extension that notes down which events it hears, and what `show` makes of them. */
function listening(heard: string[], events: readonly ExtensionEventName[]): Extension {
  return (bough) => {
    for (const name of events) {
      bough.on(name, (event) => void heard.push(`${name} ${JSON.stringify(event)}`));
    }
  };
}

test("the events of a run come in order, and the message is in the session before they do", async () => {
  const heard: string[] = [];
  const order: Extension = (bough) => {
    for (const name of ["agent_start", "turn_start", "agent_end", "agent_before_settle"] as const) {
      bough.on(name, () => void heard.push(name));
    }
    bough.on("before_agent_start", ({ prompt }) => void heard.push(`before_agent_start ${prompt}`));
    bough.on("turn_end", ({ toolResults }) => void heard.push(`turn_end ${toolResults.length}`));
    bough.on("message_end", async ({ entryId, message }, { session }) => {
      const entry = await session.getEntry(entryId ?? "");
      heard.push(`message_end ${message.role} ${entry?.type}`);
    });
    bough.on(
      "tool_call",
      ({ args, toolName }) => void heard.push(`tool_call ${toolName} ${args["text"]}`),
    );
    bough.on(
      "tool_result",
      ({ result }) => void heard.push(`tool_result ${textOf(result.content)}`),
    );
  };
  await using world = await Extended.open({ order }, {
    answers: [callsEcho("hi"), { text: "done" }],
    tools: [echo],
  });
  await world.live.prompt("go");
  expect(heard).toEqual([
    "before_agent_start go",
    "agent_start",
    "turn_start",
    "message_end user message",
    "message_end assistant message",
    "tool_call echo hi",
    "tool_result hi",
    "message_end toolResult message",
    "turn_end 1",
    "turn_start",
    "message_end assistant message",
    "turn_end 0",
    "agent_end",
    "agent_before_settle",
  ]);
  expect(world.notices).toEqual([]);
});

test("session_start and session_shutdown frame the life of an extension", async () => {
  const heard: string[] = [];
  const world = await Extended.open({
    frame: listening(heard, ["session_start", "session_shutdown"]),
  });
  await world.runner.started({ reason: "resume", previousSessionFile: "/a.jsonl" });
  await world[Symbol.asyncDispose]();
  expect(heard).toEqual([
    'session_start {"reason":"resume","previousSessionFile":"/a.jsonl"}',
    "session_shutdown {}",
  ]);
});

describe("input", () => {
  test("changes what was typed, each extension what the one before made of it", async () => {
    const shout: Extension = (bough) =>
      bough.on("input", ({ text }) => ({ text: text.toUpperCase() }));
    const polite: Extension = (bough) =>
      bough.on("input", ({ text }) => ({ text: `${text}, please` }));
    await using world = await Extended.open({ shout, polite }, { answers: [{ text: "ok" }] });
    await world.live.prompt("help");
    expect(world.request(0)).toEqual(["user: HELP, please"]);
  });

  test("takes what was typed: no model is asked and nothing is written", async () => {
    const takes: Extension = (bough) => bough.on("input", () => ({ taken: true }));
    await using world = await Extended.open({ takes });
    const outcome = await world.live.prompt("ping");
    expect([outcome.taken, world.model.requests.length, await world.branch()]).toEqual([
      true,
      0,
      [],
    ]);
  });
});

test("before_agent_start adds messages and changes the system prompt, for this prompt only", async () => {
  const adds: Extension = (bough) => {
    bough.on(
      "before_agent_start",
      ({ prompt, systemPrompt }) =>
        prompt === "one"
          ? {
            messages: [{ customType: "date", content: "Monday" }],
            systemPrompt: `${systemPrompt} Be brief.`,
          }
          : undefined,
    );
  };
  await using world = await Extended.open({ adds }, {
    answers: [{ text: "1" }, { text: "2" }],
    options: { systemPrompt: "You help." },
  });
  await world.live.prompt("one");
  await world.live.prompt("two");
  expect(world.model.requests.map(({ systemPrompt }) => systemPrompt)).toEqual([
    "You help. Be brief.",
    "You help.",
  ]);
  expect(await world.branch()).toEqual([
    "model_change",
    "user: one",
    "custom date: Monday",
    "assistant: 1",
    "user: two",
    "assistant: 2",
  ]);
});

test("context changes what the model is sent, and nothing in the session", async () => {
  const forgets: Extension = (bough) => {
    bough.on("context", ({ messages }) => {
      // A handler gets a copy: this must not reach the session either.
      messages[0] = { role: "user", content: "changed", timestamp: 0 };
      return { messages: messages.slice(-1) };
    });
  };
  await using world = await Extended.open({ forgets }, { answers: [{ text: "1" }, { text: "2" }] });
  await world.live.prompt("one");
  await world.live.prompt("two");
  expect(world.request(1)).toEqual(["user: two"]);
  expect((await world.branch()).filter((line) => line.startsWith("user"))).toEqual([
    "user: one",
    "user: two",
  ]);
});

describe("tool_call", () => {
  test("blocks a call with a reason for the model", async () => {
    const gate: Extension = (bough) =>
      bough.on(
        "tool_call",
        ({ args }) => args["text"] === "secret" ? { block: "Not that one." } : undefined,
      );
    await using world = await Extended.open({ gate }, {
      answers: [callsEcho("secret"), callsEcho("open", "2"), { text: "done" }],
      tools: [echo],
    });
    await world.live.prompt("go");
    expect((await world.branch()).filter((line) => line.startsWith("toolResult"))).toEqual([
      "toolResult: Not that one.",
      "toolResult: open",
    ]);
  });

  test("changes the arguments; what does not fit the schema then is refused", async () => {
    const texts: unknown[] = ["changed", undefined];
    const changes: Extension = (bough) =>
      bough.on("tool_call", () => ({ args: { text: texts.shift() } }));
    await using world = await Extended.open({ changes }, {
      answers: [callsEcho("a"), callsEcho("b", "2"), { text: "done" }],
      tools: [echo],
    });
    await world.live.prompt("go");
    const [first, second] = (await world.branch()).filter((line) => line.startsWith("toolResult"));
    expect(first).toBe("toolResult: changed");
    expect(second).toStartWith(
      "toolResult: The call of echo was not run: an extension changed its arguments:",
    );
  });
});

test("tool_result changes parts of a result, each extension what the one before made of it", async () => {
  const upper: Extension = (bough) =>
    bough.on("tool_result", ({ result }) => ({
      content: [{ type: "text", text: textOf(result.content).toUpperCase() }],
    }));
  const fails: Extension = (bough) =>
    bough.on("tool_result", () => ({ isError: true, details: 7 }));
  await using world = await Extended.open({ upper, fails }, {
    answers: [callsEcho("hi"), { text: "done" }],
    tools: [echo],
  });
  await world.live.prompt("go");
  const results = (await world.live.session.getBranch()).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [entry.message] : []
  );
  expect(results).toMatchObject([
    { content: [{ type: "text", text: "HI" }], isError: true, details: 7 },
  ]);
});

describe("turn_end", () => {
  test("appends and asks for one more round; the model hears what was appended", async () => {
    const checks: Extension = (bough) => {
      let asked = false;
      bough.on("turn_end", async () => {
        if (asked) return;
        asked = true;
        await bough.appendEntry("check", { round: 1 });
        await bough.sendMessage("Are you sure?");
        return { next: "another" };
      });
    };
    await using world = await Extended.open({ checks }, {
      answers: [{ text: "4" }, { text: "yes" }],
    });
    await world.live.prompt("2+2?");
    expect(await world.branch()).toEqual([
      "model_change",
      "user: 2+2?",
      "assistant: 4",
      'entry check: {"round":1}',
      "custom checks: Are you sure?",
      "assistant: yes",
    ]);
    expect(world.request(1)).toEqual(["user: 2+2?", "assistant: 4", "user: Are you sure?"]);
  });

  test("stops a run that would go on", async () => {
    const stops: Extension = (bough) => bough.on("turn_end", () => ({ next: "stop" }));
    await using world = await Extended.open({ stops }, {
      answers: [callsEcho("a")],
      tools: [echo],
    });
    const outcome = await world.live.prompt("go");
    expect([outcome.turns, outcome.error]).toEqual([1, undefined]);
  });
});

test("agent_before_settle appends and asks for one more round", async () => {
  const checks: Extension = (bough) => {
    let rounds = 0;
    bough.on("agent_before_settle", async () => {
      if (rounds++ > 0) return undefined;
      await bough.sendMessage({ customType: "lint", content: "2 problems" });
      return { next: "another" };
    });
  };
  await using world = await Extended.open({ checks }, { answers: [{ text: "a" }, { text: "b" }] });
  const outcome = await world.live.prompt("go");
  expect([outcome.text, outcome.turns]).toEqual(["b", 2]);
  expect((await world.branch()).slice(-2)).toEqual(["custom lint: 2 problems", "assistant: b"]);
});

describe("session_before_compact", () => {
  const long = "word ".repeat(600);
  const answers = [{ text: long }, { text: long }];
  const options = { compaction: { keepRecentTokens: 100 } };

  test("cancels", async () => {
    const heard: string[] = [];
    const cancels: Extension = (bough) => {
      bough.on("session_before_compact", ({ reason }) => {
        heard.push(reason);
        return { cancel: true };
      });
      bough.on("session_compact_failed", ({ aborted }) => void heard.push(`failed ${aborted}`));
    };
    await using world = await Extended.open({ cancels }, { answers, options });
    await world.live.prompt("one");
    await world.live.prompt("two");
    expect(await world.live.compact()).toBeUndefined();
    expect([heard, world.model.requests.length]).toEqual([["manual", "failed true"], 2]);
  });

  test("supplies the summary, keeping what the plan would keep", async () => {
    const heard: string[] = [];
    const own: Extension = (bough) => {
      bough.on("session_before_compact", ({ branch, instructions, plan }) => {
        heard.push(`${branch.length} ${plan?.messages.length} ${instructions}`);
        return { summary: "My own.", details: { by: "own" } };
      });
      bough.on("session_compact", ({ entry }) => void heard.push(entry.summary));
    };
    await using world = await Extended.open({ own }, { answers, options });
    await world.live.prompt("one");
    await world.live.prompt("two");
    const branch = await world.live.session.getBranch();
    const entry = await world.live.compact("short");
    expect(entry).toMatchObject({ summary: "My own.", details: { by: "own" }, fromHook: true });
    expect(branch.some(({ id }) => id === entry?.firstKeptEntryId)).toBe(true);
    expect(heard).toEqual([`5 3 short`, "My own."]);
    expect(world.model.requests.length).toBe(2);
  });

  test("is told of once and left out if what it would keep is not on the branch", async () => {
    const wrong: Extension = (bough) =>
      bough.on("session_before_compact", () => ({ summary: "Mine", firstKeptEntryId: "nope" }));
    await using world = await Extended.open({ wrong }, {
      answers: [...answers, { text: "The model's summary." }],
      options,
    });
    await world.live.prompt("one");
    await world.live.prompt("two");
    expect((await world.live.compact())?.summary).toStartWith("The model's summary.");
    expect(world.notices).toEqual([[
      "Extension wrong (wrong): the handler of session_before_compact would keep entry nope first, " +
      "which is not on the branch",
      "warning",
    ]]);
  });

  test("session_compact_failed says why", async () => {
    const heard: string[] = [];
    await using world = await Extended.open(
      { fails: listening(heard, ["session_compact_failed"]) },
      { answers: [{ text: "short" }] },
    );
    await world.live.prompt("one");
    await expect(world.live.compact()).rejects.toThrow();
    expect(heard).toHaveLength(1);
    expect(heard[0]).toStartWith(
      'session_compact_failed {"reason":"manual","aborted":false,"errorMessage":"',
    );
  });
});

describe("session_before_tree", () => {
  test("cancels a move, and supplies the summary of the branch that is left", async () => {
    const heard: string[] = [];
    let cancel = true;
    const tree: Extension = (bough) => {
      bough.on("session_before_tree", ({ summarize }) => {
        heard.push(`before ${summarize}`);
        return cancel ? { cancel } : { summary: "We tried that." };
      });
      bough.on("session_tree", ({ fromId, leafId, summaryEntryId }) => {
        heard.push(`after ${fromId === leafId} ${leafId === summaryEntryId}`);
      });
    };
    await using world = await Extended.open({ tree }, { answers: [{ text: "1" }, { text: "2" }] });
    await world.live.prompt("one");
    const target = world.live.session.leafId;
    await world.live.prompt("two");
    expect((await world.live.navigateTree(target)).cancelled).toBe(true);
    cancel = false;
    expect((await world.live.navigateTree(target, { summarize: true })).cancelled).toBe(false);
    expect(heard).toEqual(["before false", "before true", "after false true"]);
    expect((await world.branch()).at(-1)).toBe("branch_summary: We tried that.");
  });
});

test("model_select tells of another model", async () => {
  const heard: string[] = [];
  await using world = await Extended.open({ model: listening(heard, ["model_select"]) });
  await world.live.setModel({ ...world.model, facts: { ...world.model.facts, id: "other" } });
  expect(heard).toEqual(['model_select {"provider":"test","modelId":"other"}']);
});

test("user_bash refuses a person's command", async () => {
  const gate: Extension = (bough) =>
    bough.on(
      "user_bash",
      ({ command }) => command.startsWith("rm") ? { block: "No rm." } : undefined,
    );
  const ran: string[] = [];
  await using world = await Extended.open({ gate }, {
    options: {
      shell: ({ command }) => {
        ran.push(command);
        return Promise.resolve({ output: "ok", exitCode: 0, cancelled: false, truncated: false });
      },
    },
  });
  const refused = await world.live.executeBash("rm -rf /");
  const allowed = await world.live.executeBash("ls");
  expect([refused.output, refused.exitCode, allowed.output, ran]).toEqual(["No rm.", 126, "ok", [
    "ls",
  ]]);
});

test("session_before_switch and session_before_fork may cancel", async () => {
  const heard: string[] = [];
  const stays: Extension = (bough) => {
    bough.on("session_before_switch", (event) => {
      heard.push(JSON.stringify(event));
      return { cancel: event.reason === "new" };
    });
    bough.on("session_before_fork", (event) => {
      heard.push(JSON.stringify(event));
      return { cancel: true };
    });
  };
  await using world = await Extended.open({ stays });
  const { runner } = world;
  expect([
    await runner.mayLeave({ kind: "switch", reason: "new" }),
    await runner.mayLeave({ kind: "switch", reason: "resume", file: "/s.jsonl" }),
    await runner.mayLeave({ kind: "fork", entryId: "e1", position: "before" }),
  ]).toEqual([false, true, false]);
  expect(heard).toEqual([
    '{"reason":"new"}',
    '{"reason":"resume","file":"/s.jsonl"}',
    '{"entryId":"e1","position":"before"}',
  ]);
});
