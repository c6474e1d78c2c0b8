/** Public bug cases as their reports tell them: the binary, a provider on loopback, a session file. */
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { inCase, messagesOf } from "../support/case_run.ts";
import { caseDirectory, caseJson } from "../support/cases.ts";
import { anthropicAnswer } from "../support/anthropic_answer.ts";
import { completion, LocalRun, readLines } from "../support/local_run.ts";
import type { Plan } from "../support/scripted_server.ts";

const DONE = completion("done");
const SUMMARY = completion("SHORT SUMMARY");
const NEXT = ["-p", "--session", "./session.jsonl", "next"];

/** How many tools each request had: a summary is asked for without any. */
function kindsOf(run: LocalRun): string[] {
  return run.server.bodies().map(({ tools }) =>
    Array.isArray(tools) && tools.length > 0 ? "prompt" : "summary"
  );
}

function compactions(run: LocalRun): Record<string, unknown>[] {
  return readLines(run.temp.join("work/session.jsonl")).filter(({ type }) => type === "compaction");
}

test("bough answers each open call of a session, and compacts it (C050)", async () => {
  await using run = await inCase("C050", [DONE]);
  expect((await run.run(NEXT)).code).toBe(0);
  const [, ...openai] = messagesOf(run);
  expect(openai.map(({ role, tool_call_id: id }) => id ?? role)).toEqual(
    ["user", "assistant", "call_1", "call_2", "call_3", "user", "user"],
  );
  expect((await run.run(["session", "compact", "./session.jsonl"])).code).toBe(0);
  await using anthropic = await inCase("C050", [anthropicAnswer({ text: "done" })]);
  expect((await anthropic.run(["--model", "localA/m", ...NEXT])).code).toBe(0);
  const results = messagesOf(anthropic)[2]?.content;
  expect(results).toMatchObject([
    { type: "tool_result", tool_use_id: "call_1" },
    { type: "tool_result", tool_use_id: "call_2", is_error: true },
    { type: "tool_result", tool_use_id: "call_3", is_error: true },
    { type: "text", text: "never mind, say hi" },
    { type: "text", text: "next" },
  ]);
});

test("bough sends no result whose call was compacted away (C052)", async () => {
  await using run = await inCase("C052", [DONE]);
  expect((await run.run(NEXT)).code).toBe(0);
  const [, summary, ...kept] = messagesOf(run);
  expect(summary?.content).toContain("SECOND SUMMARY");
  expect(kept.map(({ role, tool_call_id: id, content }) => [role, id ?? content])).toEqual([
    ["assistant", null],
    ["tool", "call_e"],
    ["assistant", "working on"],
    ["user", "what now"],
    ["user", "next"],
  ]);
  expect(JSON.stringify(messagesOf(run))).not.toContain("FIRST SUMMARY");
});

test("bough runs no call whose arguments are no JSON, and goes on (C055)", async () => {
  await using run = await inCase("C055", caseJson("C055", "plan.json") as Plan);
  const { code, stdout } = await run.run(["-p", "go"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(fs.readdirSync(run.temp.cwd)).toEqual([]);
  const sent = messagesOf(run);
  const called = sent.flatMap(({ tool_calls: calls }) => calls ?? []);
  expect(called.map((call) => JSON.parse(call.function.arguments))).toEqual([{}, {}, {}]);
  const results = sent.filter(({ role }) => role === "tool").map(({ content }) => content);
  expect(results).toEqual([
    expect.stringContaining("not valid JSON. They were:\n" + '{"command": "echo SHOULD-NOT-RUN'),
    expect.stringContaining("not valid JSON. They were:\n" + '{"path": "t.tex"'),
    expect.stringContaining("command is missing"),
  ]);
  const stored = run.entries().flatMap(({ message }) => JSON.stringify(message) ?? []).join("\n");
  expect(stored.match(/"type":"toolCall","id":"[^"]*","name":"[a-z]+","arguments":\{\}\}/g))
    .toHaveLength(3);
});

test("bough compacts on from what the last compaction kept (C056)", async () => {
  await using run = await inCase("C056", [SUMMARY]);
  run.settings(caseJson("C056", "settings.json") as Record<string, unknown>);
  const { code, stdout } = await run.run(["session", "compact", "./session.jsonl", "--json"]);
  expect(code).toBe(0);
  const asked = JSON.stringify(run.server.bodies());
  for (const text of ["SUMMARY-A", "KEPTONCE question", "KEPTONCE answer"]) {
    expect(asked).toContain(text);
  }
  expect(asked).not.toContain("ancient");
  expect(JSON.parse(stdout)).toMatchObject({ summary: "SHORT SUMMARY", tokensBefore: 110 });
});

describe("bough compacts once against an overflow, then says what is too big (C057)", () => {
  const given = caseJson("C057", "settings.json") as Record<string, unknown>;
  for (const [name, settings] of Object.entries({ "these settings": given, "default ones": {} })) {
    test(name, async () => {
      const plan = caseJson("C057", "plan.json") as Plan;
      await using run = await inCase("C057", plan, { contextWindow: 8_192 });
      run.settings({ defaultModel: "local/m", ...settings });
      for (const times of [1, 2]) {
        const { code, stderr, stdout } = await run.run(NEXT);
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).toContain("maximum context length is 8192 tokens");
        expect(stderr).toContain("The largest part is");
        expect(kindsOf(run).slice(-3)).toEqual(["prompt", "summary", "prompt"]);
        expect(run.server.requests).toHaveLength(3 * times);
        expect(compactions(run)).toHaveLength(times);
      }
    });
  }
});

describe("bough takes no bad summary (C059)", () => {
  for (const body of ["blank.sse", "cut.sse", "empty.sse"]) {
    test(`${body}, asked for`, async () => {
      await using run = await inCase("C059", [{ body }, DONE]);
      run.settings({ compaction: { keepRecentTokens: 50 } });
      const before = run.temp.read("work/session.jsonl");
      const compacting = await run.run(["session", "compact", "./session.jsonl"]);
      expect(compacting.code).toBe(1);
      expect(compacting.stderr).toContain("Cannot write a summary: ");
      expect(compacting.stderr).not.toContain("bug");
      expect(run.temp.read("work/session.jsonl")).toBe(before);
      expect((await run.run(NEXT)).stdout).toBe("done\n");
      // Six questions with their answers, and the next one, after the system prompt.
      expect(messagesOf(run)).toHaveLength(14);
    });

    test(`${body}, by itself`, async () => {
      const plan = { rules: [{ ifNoTools: true, body }, DONE] };
      await using run = await inCase("C059", plan, { contextWindow: 20_000 });
      run.settings({ compaction: { keepRecentTokens: 50, reserveTokens: 19_900 } });
      const { code, stderr, stdout } = await run.run(NEXT);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
      expect(stderr).toContain("Cannot write a summary: ");
      expect(kindsOf(run)).toEqual(["summary", "prompt"]);
      expect(messagesOf(run)).toHaveLength(14);
      expect(compactions(run)).toEqual([]);
    });
  }
});

test("bough compacts between the turns of one run (C061)", async () => {
  const plan = caseJson("C061", "plan.json") as Plan;
  await using run = await inCase("C061", plan, { contextWindow: 16_000 });
  run.settings(caseJson("C061", "settings.json") as Record<string, unknown>);
  const { code } = await run.run(["-p", "count"]);
  expect(code).toBe(0);
  const sizes = run.server.bodies().map((body) => JSON.stringify(body).length);
  expect(Math.max(...sizes)).toBeLessThan(75_000);
  expect(kindsOf(run).filter((kind) => kind === "summary")).toHaveLength(1);
  const entries = run.entries();
  const [compaction, ...more] = entries.filter(({ type }) => type === "compaction");
  expect(more).toEqual([]);
  const kept = entries.find(({ id }) => id === compaction?.["firstKeptEntryId"]);
  expect(kept?.["message"]).toMatchObject({ role: "assistant" });
});

test("bough tells calls without an id apart, also from those of earlier runs (C089)", async () => {
  const turn = [{ body: "body.sse" }, { body: "ok.sse" }];
  await using run = await inCase("C089", [...turn, ...turn]);
  expect((await run.run(["-p", "x"])).code).toBe(0);
  expect((await run.run(["-p", "--continue", "x"])).code).toBe(0);
  const sent = messagesOf(run);
  const called = sent.flatMap(({ tool_calls: calls }) => calls ?? []).map(({ id }) => id);
  expect(new Set(called).size).toBe(4);
  expect(sent.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(called);
});

describe("bough and images that no provider takes (C100)", () => {
  test("sends notes in their place, and leaves the file as it was", async () => {
    await using run = await inCase("C100", [DONE]);
    const before = run.temp.read("work/session.jsonl");
    expect((await run.run(NEXT)).code).toBe(0);
    const sent = JSON.stringify(messagesOf(run));
    for (const text of ["wrong label, cut off", "no base64", "kind not allowed", "good one"]) {
      expect(sent).toContain(text);
    }
    expect(sent.match(/An image was left out/g)).toHaveLength(3);
    expect(sent.match(/data:image/g)).toHaveLength(1);
    expect(run.temp.read("work/session.jsonl")).toStartWith(before);
  });

  test("leaves one out that is attached, with a note to both sides", async () => {
    await using run = await inCase("C100", [DONE]);
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452000023280000000a0802000000", "hex");
    run.temp.write("work/wide.png", png);
    const { code, stderr } = await run.run(["-p", "@wide.png", "look"]);
    expect(code).toBe(0);
    expect(stderr).toContain("Cannot use @wide.png: no provider takes this image");
    expect(run.lastMessages()).toEqual([
      '<file path="wide.png">\n[An image was left out: its data is cut off or broken.]\n</file>' +
      "\n\nlook",
    ]);
  });
});

test("bough does not wait for an hour, and says that it was asked to (C103)", async () => {
  const headers = { "retry-after": "3600" };
  const json = { error: { message: "slow down" } };
  await using run = await LocalRun.start([{ status: 429, headers, json }]);
  const { code, stderr } = await run.run(["-p", "x"]);
  expect(code).toBe(1);
  expect(stderr).toContain("The server asks for a wait of 3600 s");
  expect(run.server.requests).toHaveLength(1);
});

describe("bough compacts, asks again or gives up, by what the provider says (C104)", () => {
  interface Row {
    class: "overflow" | "retry" | "fatal";
    status: number | null;
    message: string;
  }
  const steps = {
    overflow: { kinds: ["prompt", "summary", "prompt"], failed: false },
    retry: { kinds: ["prompt", "prompt"], failed: false },
    fatal: { kinds: ["prompt"], failed: true },
  };
  const ROWS = (caseJson("C104", "errors.json") as Row[]).filter(({ status }) => status !== null);
  // Each run is a process: one of each kind is enough here, the others are sorted in the adapters.
  const said = new Set<string>();
  const rows = ROWS.filter((row) => {
    const kind = `${row.class} ${row.status}`;
    return said.has(kind) ? false : said.add(kind);
  });
  for (const { class: kind, status, message } of rows) {
    test(`${kind}: ${message}`, async () => {
      const refusal = { status: status ?? 0, json: { error: { message } } };
      await using run = await inCase("C057", [refusal, DONE]);
      const { code } = await run.run(NEXT);
      expect({ kinds: kindsOf(run), failed: code !== 0 }).toEqual(steps[kind]);
    });
  }
});

describe("bough never writes over a file that it could not read (C124)", () => {
  for (const name of ["settings.json", "array.json", "binary.json", "empty.json", "auth.json"]) {
    const content = fs.readFileSync(path.join(caseDirectory("C124"), name));
    test(`${name} as settings`, async () => {
      await using run = await LocalRun.start([DONE]);
      const file = run.temp.write("home/settings.json", content);
      const { code, stderr } = await run.run(["-p", "--model", "local/m", "hi"]);
      expect(code).toBe(3);
      expect(stderr).toContain(file);
      expect(fs.readFileSync(file)).toEqual(content);
    });

    if (name === "settings.json") continue;
    test(`${name} as keys`, async () => {
      await using run = await LocalRun.start([DONE]);
      const file = run.temp.write("home/auth.json", content);
      for (const args of [["-p", "hi"], ["auth", "set", "openai"], ["auth", "remove", "local"]]) {
        const { code, stderr } = await run.run(args, { stdin: "a-key\n" });
        expect(code).toBe(3);
        expect(stderr).toContain(file);
        expect(fs.readFileSync(file)).toEqual(content);
      }
    });
  }
});

test("bough lays a project's settings over the user's, and knows ~ (C126)", async () => {
  // maxRetries is the user's, compaction is off in the project's: so an overflow is not compacted.
  const message = "prompt is too long: 214312 tokens > 200000 maximum";
  await using run = await inCase("C057", [{ status: 400, json: { error: { message } } }, DONE]);
  const user = caseJson("C126", "user-settings.json") as Record<string, unknown>;
  run.settings(user);
  const cwd = run.temp.make("project");
  const project = fs.readFileSync(path.join(caseDirectory("C126"), "project-settings.json"));
  run.temp.write("project/.bough/settings.json", project);
  const args = ["-p", "--trust", "next"];
  expect(await run.run(args, { cwd })).toMatchObject({ code: 1 });
  expect(kindsOf(run)).toEqual(["prompt"]);
  expect((await run.run(["-p", "next"], { cwd })).code).toBe(0);
  expect(fs.readdirSync(run.temp.join("user/my-sessions"))).toHaveLength(2);
  expect(fs.readdirSync(cwd)).toEqual([".bough"]);
});

describe("bough and a result of many megabytes (C128)", () => {
  const MEGABYTES = 40;
  const lines = () => {
    const message = (id: string, parentId: string | null, message: unknown) =>
      JSON.stringify({ type: "message", id, parentId, timestamp: "2026-03-02T09:00:00Z", message });
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: {} };
    const answer = { role: "assistant", provider: "local", model: "m", usage, timestamp: 1 };
    const call = { type: "toolCall", id: "c1", name: "bash", arguments: { command: "cat big" } };
    const text = "z".repeat(MEGABYTES * 1_000_000);
    const result = { role: "toolResult", toolCallId: "c1", toolName: "bash", isError: false };
    return [
      '{"type":"session","version":3,"id":"big","timestamp":"2026-03-02T09:00:00Z","cwd":"/tmp"}',
      message("00000001", null, { role: "user", content: "read it", timestamp: 1 }),
      message("00000002", "00000001", { ...answer, content: [call], stopReason: "toolUse" }),
      message("00000003", "00000002", { ...result, content: [{ type: "text", text }] }),
      message("00000004", "00000003", {
        ...answer,
        content: [{ type: "text", text: "ok" }],
        stopReason: "stop",
      }),
    ];
  };
  const compaction = '{"type":"compaction","id":"00000005","parentId":"00000004","timestamp":"",' +
    '"summary":"It was read.","firstKeptEntryId":"00000004","tokensBefore":1000}';

  test("does not send it, where a compaction stands after it", async () => {
    await using run = await LocalRun.start([DONE]);
    run.temp.write("work/session.jsonl", [...lines(), compaction, ""].join("\n"));
    expect(await run.run(NEXT)).toMatchObject({ code: 0, stdout: "done\n" });
    expect(JSON.stringify(messagesOf(run)).length).toBeLessThan(10_000);
    for (const verb of ["show", "tree", "export"]) {
      expect((await run.run(["session", verb, "./session.jsonl"])).code).toBe(0);
    }
  });

  test("compacts it away, where there is none, whatever usage the file tells", async () => {
    await using run = await LocalRun.start([SUMMARY, DONE]);
    run.temp.write("work/session.jsonl", [...lines(), ""].join("\n"));
    expect(await run.run(NEXT)).toMatchObject({ code: 0, stdout: "done\n" });
    expect(kindsOf(run)).toEqual(["summary", "prompt"]);
    const sizes = run.server.bodies().map((body) => JSON.stringify(body).length);
    expect(Math.max(...sizes)).toBeLessThan(50_000);
  });
});
