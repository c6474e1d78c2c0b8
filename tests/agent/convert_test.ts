import { expect, test } from "bun:test";
import {
  type ConversionTarget,
  type ProviderMessage,
  toProviderMessages,
  withSystemMessages,
} from "../../lib/agent/mod.ts";
import {
  type AssistantMessage,
  type Message,
  noUsage,
  textOf,
  type ToolResultMessage,
} from "../../lib/session/mod.ts";
import { caseMessages } from "../support/cases.ts";

const TARGET: ConversionTarget = {
  provider: "local",
  model: "m",
  api: "openai-completions",
  input: ["text", "image"],
};

function assistant(
  content: AssistantMessage["content"],
  more: Partial<AssistantMessage> = {},
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "openai-completions",
    provider: "local",
    model: "m",
    usage: noUsage(),
    stopReason: "stop",
    timestamp: 1,
    ...more,
  };
}

function call(id: string): AssistantMessage["content"][number] {
  return { type: "toolCall", id, name: "bash", arguments: {} };
}

function result(toolCallId: string, text: string): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 2,
  };
}

function user(content: string): Message {
  return { role: "user", content, timestamp: 3 };
}

/** One line for each message: its role, and ids or text. */
function outline(messages: readonly ProviderMessage[]): string[] {
  return messages.map((message) => {
    if (message.role === "toolResult") {
      return `result ${message.toolCallId}${message.isError ? " error" : ""}: ${
        textOf(message.content).trim()
      }`;
    }
    const blocks = typeof message.content === "string"
      ? [message.content]
      : message.content.map((block) =>
        block.type === "text" ? block.text : block.type === "toolCall" ? block.id : block.type
      );
    return `${message.role}: ${blocks.join(", ")}`;
  });
}

function converted(messages: Message[], target = TARGET): string[] {
  return outline(toProviderMessages(messages, target));
}

const NO_RESULT = "No result was recorded for this call: it was interrupted, or never ran.";

test("toProviderMessages() answers each open call, right after its message (C050)", () => {
  expect(converted([...caseMessages("C050"), user("next")])).toEqual([
    "user: run three",
    "assistant: call_1, call_2, call_3",
    "result call_1: 1",
    `result call_2 error: ${NO_RESULT}`,
    `result call_3 error: ${NO_RESULT}`,
    "user: never mind, say hi",
    "user: next",
  ]);
});

test("toProviderMessages() drops results without a call, and second ones (C052)", () => {
  expect(converted([
    result("call_w", "stray"),
    user("go"),
    assistant([call("a"), call("b")]),
    result("b", "B"),
    user("in between"),
    result("a", "A"),
    result("a", "A again"),
    result("gone", "stray"),
  ])).toEqual(["user: go", "assistant: a, b", "result a: A", "result b: B", "user: in between"]);
});

test("toProviderMessages() gives a result to the last call of its id", () => {
  expect(converted([
    assistant([call("call_0")]),
    result("call_0", "first"),
    assistant([call("call_0")]),
    result("call_0", "second"),
  ])).toEqual([
    "assistant: call_0",
    "result call_0: first",
    "assistant: call_0",
    "result call_0: second",
  ]);
});

test("toProviderMessages() makes the ids of one message different (C089)", () => {
  expect(converted([
    assistant([call(""), call(""), call("x"), call("x")]),
    result("", "1"),
    result("", "2"),
    result("x", "3"),
    result("x", "4"),
  ])).toEqual([
    "assistant: call_1, call_2, x, x_2",
    "result call_1: 1",
    "result call_2: 2",
    "result x: 3",
    "result x_2: 4",
  ]);
});

test("toProviderMessages() leaves blank text out, and messages with nothing left (C096)", () => {
  const messages = [...caseMessages("C096"), user("next")];
  expect(converted(messages)).toEqual([
    "user: hello",
    "assistant: toolu_1",
    "result toolu_1: ok",
    "user: again",
    "user: next",
  ]);
});

test("toProviderMessages() leaves failed answers out, and keeps the text of aborted ones", () => {
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const;
  const said = { type: "text", text: "so far", textSignature: "id" } as const;
  const messages = [
    user("go"),
    assistant([said, call("a")], { stopReason: "error" }),
    result("a", "A"),
    assistant([thinking, said, call("b")], { stopReason: "aborted" }),
    result("b", "B"),
    assistant([call("c")], { stopReason: "aborted" }),
  ];
  expect(converted(messages)).toEqual(["user: go", "assistant: so far"]);
  expect(toProviderMessages(messages, TARGET)[1]).toMatchObject({
    content: [{ type: "text", text: "so far" }],
  });
});

test("toProviderMessages() gives thinking back to its own model alone, as it came (C098)", () => {
  const messages = caseMessages("C098");
  const own = { ...TARGET, provider: "localA", api: "anthropic-messages" };
  expect(converted(messages, own)[1]).toBe("assistant: thinking, thinking, toolu_1");
  expect(toProviderMessages(messages, own)[1]).toEqual(messages[1] as AssistantMessage);
  for (const other of [{ ...own, model: "n" }, { ...own, provider: "local" }, TARGET]) {
    expect(converted(messages, other)[1]).toBe("assistant: toolu_1");
  }
});

test("toProviderMessages() replaces images that would be refused by a note (C100)", () => {
  expect(converted([...caseMessages("C100"), user("next")])).toEqual([
    "user: [An image was left out: its data is cut off or broken.], wrong label, cut off",
    "assistant: hm",
    "user: [An image was left out: its data is not base64.], no base64",
    "assistant: hm",
    "user: [An image was left out: image/tiff is not accepted.], kind not allowed",
    "assistant: hm",
    "user: image, good one",
    "user: next",
  ]);
  const blind = converted(caseMessages("C100"), { ...TARGET, input: ["text"] });
  expect(blind.at(-1)).toBe("user: [An image was left out: this model takes no images.], good one");
});

test("toProviderMessages() mends halves of surrogate pairs everywhere (C112)", () => {
  const half = "\ud83d";
  const sent = toProviderMessages([
    ...caseMessages("C112"),
    user(`half ${half}`),
    assistant([
      { type: "text", text: half },
      { type: "toolCall", id: `i${half}`, name: "n", arguments: { [half]: [{ deep: half }, 1] } },
    ]),
  ], TARGET);
  expect(JSON.stringify(sent)).not.toMatch(/\\ud[89a-f]/i);
  expect(outline(sent)).toContain("result call_1: cut here \ufffd and low \ufffd end");
});

test("toProviderMessages() turns what providers do not know into user text", () => {
  const bash = {
    role: "bashExecution",
    command: "ls",
    output: "a\n",
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: 1,
  } as const;
  expect(converted([
    { role: "compactionSummary", summary: "S", tokensBefore: 9, timestamp: 1 },
    { role: "branchSummary", summary: "B", fromId: "x", timestamp: 1 },
    bash,
    { ...bash, command: "secret", excludeFromContext: true },
    { role: "custom", customType: "t", content: "C", display: false, timestamp: 1 },
    { role: "system", content: "never", timestamp: 1 },
  ])).toEqual([
    "user: The conversation up to here was replaced by this summary:\n\n<summary>\nS\n</summary>",
    "user: What follows is a summary of another branch of this conversation, which was left:" +
    "\n\n<summary>\nB\n</summary>",
    "user: The user ran a command:\n\n$ ls\n\na\n\nExit code: 0.",
    "user: C",
  ]);
});

test("toProviderMessages() says so when a tool gave no output, and leaves its input as it was", () => {
  const messages = [assistant([call("a")]), { ...result("a", ""), content: [] }];
  const before = structuredClone(messages);
  expect(converted(messages)).toEqual(["assistant: a", "result a: (no output)"]);
  expect(messages).toEqual(before);
});

test("toProviderMessages() can walk arguments however deeply they are nested", () => {
  const depth = 100_000;
  const nested: unknown = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  const calls = [{ type: "toolCall" as const, id: "a", name: "t", arguments: { nested } }];
  const [converted] = toProviderMessages([assistant(calls)], TARGET);
  const text = JSON.stringify(converted);
  expect(text).toContain('["(nested too deeply)"]');
  expect(text.length).toBeLessThan(2_000);
});

test("withSystemMessages() leaves out stored prompts that nothing was said after", () => {
  expect(withSystemMessages("OURS", [{ role: "system", content: "THEIRS", timestamp: 0 }]))
    .toBe("OURS");
});

test("withSystemMessages() folds later system text into the one prompt (C095)", () => {
  const messages = caseMessages("C095");
  expect(withSystemMessages("OURS", messages)).toBe("OURS\n\nEXTRA TWO");
  expect(converted([...messages, user("next")])).toEqual([
    "user: hello",
    "assistant: hi",
    "user: again",
    "user: next",
  ]);
});
