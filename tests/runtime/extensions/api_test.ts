import { describe, expect, test } from "bun:test";
import type { Tool } from "../../../lib/agent/mod.ts";
import type {
  Delivery,
  Extension,
  ExtensionApi,
  ExtensionContext,
} from "../../../lib/runtime/extensions/api.ts";
import { Extended } from "../../support/extended.ts";
import { TempDirectory } from "../../support/temp.ts";

/** An extension that hands its API out. */
function handing(take: (bough: ExtensionApi) => void): Extension {
  return (bough) => take(bough);
}

const echo: Tool = {
  name: "echo",
  description: "Says it again.",
  parameters: { type: "object" },
  execute: () => Promise.resolve({ content: [{ type: "text", text: "built-in" }] }),
};

describe("sendMessage()", () => {
  const deliveries: [Delivery, string[]][] = [
    // In the middle of a run: before the model is asked again.
    ["now", [
      "user: go",
      "assistant: ",
      "toolResult: built-in",
      "custom ext: note",
      "assistant: a",
    ]],
    ["steer", [
      "user: go",
      "assistant: ",
      "toolResult: built-in",
      "custom ext: note",
      "assistant: a",
    ]],
    [
      "followUp",
      [
        "user: go",
        "assistant: ",
        "toolResult: built-in",
        "assistant: a",
        "custom ext: note",
        "assistant: b",
      ],
    ],
    ["nextPrompt", ["user: go", "assistant: ", "toolResult: built-in", "assistant: a"]],
  ];
  test.each(deliveries)("%s: is heard in its place", async (deliver, expected) => {
    const ext: Extension = (bough) => {
      bough.on("tool_call", async () => await bough.sendMessage("note", { deliver }));
    };
    await using world = await Extended.open({ ext }, {
      answers: [{ calls: [{ id: "1", name: "echo" }] }, { text: "a" }, { text: "b" }],
      tools: [echo],
    });
    await world.live.prompt("go");
    expect((await world.branch()).slice(1)).toEqual(expected);
  });

  test("nextPrompt: comes with the next prompt", async () => {
    let api: ExtensionApi | undefined;
    await using world = await Extended.open({ ext: handing((bough) => api = bough) }, {
      answers: [{ text: "a" }],
    });
    await api?.sendMessage({ customType: "hint", content: "x", display: false }, {
      deliver: "nextPrompt",
    });
    expect(await world.branch()).toEqual([]);
    await world.live.prompt("go");
    expect(await world.branch()).toEqual([
      "model_change",
      "user: go",
      "custom hint: x",
      "assistant: a",
    ]);
  });

  test("now: is in the session at once where nothing is going on", async () => {
    let api: ExtensionApi | undefined;
    await using world = await Extended.open({ ext: handing((bough) => api = bough) });
    await api?.sendMessage("hello");
    expect(await world.branch()).toEqual(["custom ext: hello"]);
  });

  test("refuses what is no message and no delivery", async () => {
    let api: ExtensionApi | undefined;
    await using _ = await Extended.open({ ext: handing((bough) => api = bough) });
    if (!api) throw new Error("The extension was not loaded.");
    await expect(Reflect.apply(api.sendMessage, api, [{ content: 1 }])).rejects.toThrow(
      "Cannot send this message: expected a text or { customType, content }.",
    );
    await expect(Reflect.apply(api.sendMessage, api, ["x", { deliver: "later" }])).rejects.toThrow(
      'Cannot send a message "later": use now, nextPrompt, steer, followUp.',
    );
  });
});

test("appendEntry(), setLabel() and setSessionName() write to the session", async () => {
  const ext: Extension = (bough) => {
    bough.on("session_start", async (_, { session }) => {
      const id = await bough.appendEntry("state", { count: 1 });
      await bough.setLabel(id, "here");
      await bough.setSessionName("Named");
      await bough.appendEntry("seen", [
        session.labels.get(id),
        session.name,
        session.leafId !== id,
      ]);
      await bough.setLabel(id);
    });
  };
  await using world = await Extended.open({ ext });
  await world.start();
  expect(await world.branch()).toEqual([
    'entry state: {"count":1}',
    "label: here",
    "name: Named",
    'entry seen: ["here","Named",true]',
    "label: ",
  ]);
});

describe("exec()", () => {
  async function opened(temp: TempDirectory): Promise<{ world: Extended; api: ExtensionApi }> {
    let api: ExtensionApi | undefined;
    const world = await Extended.open({ ext: handing((bough) => api = bough) }, {
      cwd: temp.cwd,
      env: { ...temp.env(), BUN_OPTIONS: "--smol" },
    });
    if (!api) throw new Error("The extension was not loaded.");
    return { world, api };
  }

  test("runs a program with its words as they are, in the session's directory", async () => {
    using temp = new TempDirectory();
    const { world, api } = await opened(temp);
    await using _ = world;
    const script = 'pwd; echo "$1"; cat; echo "[$MORE$BUN_OPTIONS]" >&2; exit 3';
    expect(
      await api.exec("sh", ["-c", script, "sh", "a b; $(c)"], {
        env: { MORE: "m" },
        stdin: "in\n",
      }),
    ).toEqual({
      stdout: `${temp.cwd}\na b; $(c)\nin\n`,
      stderr: "[m]\n",
      exitCode: 3,
      stopped: false,
      truncated: false,
    });
  });

  test("ends a program after its time, and with its session", async () => {
    using temp = new TempDirectory();
    const { world, api } = await opened(temp);
    const late = await api.exec("sh", ["-c", "echo began; sleep 60"], { timeoutMs: 100 });
    expect([late.stdout, late.stopped, late.exitCode]).toEqual(["began\n", true, 143]);
    const running = api.exec("sleep", ["60"]);
    await world[Symbol.asyncDispose]();
    expect((await running).stopped).toBe(true);
  });

  test("has no limit where the longest time is too long for a timer", async () => {
    using temp = new TempDirectory();
    const { world, api } = await opened(temp);
    await using _ = world;
    const slow = ["-c", "sleep 0.1; echo done"];
    const { stdout, stopped } = await api.exec("sh", slow, { timeoutMs: Infinity });
    expect([stdout, stopped]).toEqual(["done\n", false]);
  });

  test("rejects if the program cannot be started", async () => {
    using temp = new TempDirectory();
    const { world, api } = await opened(temp);
    await using _ = world;
    await expect(api.exec("no-such-program")).rejects.toThrow("Cannot run no-such-program: ");
  });
});

describe("registerCommand()", () => {
  const ext: Extension = (bough) => {
    bough.registerCommand("note", {
      description: "Keeps a note",
      run: async (args) => void await bough.appendEntry("note", args),
    });
    bough.registerCommand("review", {
      description: "Asks for a review",
      run: (args) => `Review ${args || "everything"}.`,
    });
  };

  test("runs /name args without a model", async () => {
    await using world = await Extended.open({ ext });
    const outcome = await world.live.prompt("/note  two words ");
    expect([outcome.taken, await world.branch()]).toEqual([true, ['entry note: "two words"']]);
  });

  test("sends a text that the command returns as the prompt", async () => {
    await using world = await Extended.open({ ext }, { answers: [{ text: "fine" }] });
    const outcome = await world.live.prompt("/review");
    expect([outcome.text, world.request(0)]).toEqual(["fine", ["user: Review everything."]]);
  });

  test("leaves alone what only begins like a command", async () => {
    await using world = await Extended.open({ ext }, { answers: [{ text: "?" }] });
    await world.live.prompt("/notes are here");
    expect(world.request(0)).toEqual(["user: /notes are here"]);
  });

  test("of two commands with one name the first is taken, and the other is told of", async () => {
    const second: Extension = (bough) =>
      bough.registerCommand("note", { description: "Another", run: () => undefined });
    await using world = await Extended.open({ ext, second });
    expect(world.runner.commands).toEqual([
      { name: "note", description: "Keeps a note" },
      { name: "review", description: "Asks for a review" },
    ]);
    expect(world.notices).toEqual([[
      "Extension second (second): the command /note is left out: the extension ext has one of this name",
      "warning",
    ]]);
  });
});

describe("registerTool()", () => {
  test("adds a tool whose calls have the context, and takes a built-in one's place", async () => {
    const ext: Extension = (bough) => {
      bough.registerTool({
        ...echo,
        execute: (_, __, context) =>
          Promise.resolve(bough.helpers.textResult(`${bough.name} in ${context.cwd}`)),
      });
      bough.registerTool({ ...echo, name: "more" });
    };
    await using world = await Extended.open({ ext }, {
      answers: [{ calls: [{ id: "1", name: "echo" }] }, { text: "done" }],
      tools: [echo, { ...echo, name: "last" }],
    });
    await world.live.prompt("go");
    expect((await world.branch())[3]).toBe("toolResult: ext in /tmp");
    expect(world.live.allTools.map(({ name }) => name)).toEqual(["echo", "last", "more"]);
  });
});

describe("registerProvider()", () => {
  test("adds a provider, and tells of a wrong one", async () => {
    const added: unknown[] = [];
    const ext: Extension = (bough) => {
      bough.registerProvider("mine", { baseUrl: "http://127.0.0.1:1/v1" });
      bough.registerProvider("bad", {});
    };
    await using world = await Extended.open({ ext }, {
      addProvider: (name, description) => {
        if (name === "bad") return Promise.reject(new Error('expected "baseUrl"'));
        added.push([name, description]);
        return Promise.resolve();
      },
    });
    expect(added).toEqual([["mine", { baseUrl: "http://127.0.0.1:1/v1" }]]);
    expect(world.notices).toEqual([['Extension ext (ext): expected "baseUrl"']]);
  });
});

describe("the context", () => {
  test("shows the session, and what it gives can be changed without harm", async () => {
    let seen: unknown;
    const ext: Extension = (bough) =>
      bough.on("agent_end", async (_, context) => {
        const [, entry] = await context.session.getBranch();
        if (entry?.type === "message" && entry.message.role === "user") entry.message.content = "?";
        const { hasUI, isRunning, model, thinkingLevel } = context;
        seen = {
          hasUI,
          isRunning,
          model: model.id,
          thinkingLevel,
          aborted: context.signal.aborted,
        };
      });
    await using world = await Extended.open({ ext }, { answers: [{ text: "a" }] });
    await world.live.prompt("go");
    expect(seen).toEqual({
      hasUI: false,
      isRunning: true,
      model: "scripted",
      thinkingLevel: "off",
      aborted: false,
    });
    expect((await world.branch())[1]).toBe("user: go");
  });

  test("tells the person, and asks them where there is one", async () => {
    const ext: Extension = (bough) =>
      bough.registerCommand("ask", {
        description: "Asks",
        async run(_, context) {
          context.notify("asking", "warning");
          const answers = [
            await context.confirm("Sure?"),
            await context.select("Which?", ["a", "b"]),
            await context.input("Name?"),
          ];
          context.notify(JSON.stringify(answers));
        },
      });
    await using world = await Extended.open({ ext }, {
      questions: {
        confirm: (question) => Promise.resolve(question === "Sure?"),
        select: (_, choices) => Promise.resolve(choices[1]),
        input: () => Promise.resolve(undefined),
      },
    });
    await world.live.prompt("/ask");
    expect(world.notices).toEqual([["ext: asking", "warning"], ['ext: [true,"b",null]', "info"]]);
  });

  test("says that there is nobody to ask where there is not", async () => {
    const ext: Extension = (bough) =>
      bough.registerCommand("ask", {
        description: "Asks",
        run: async (_, context) => {
          await context.confirm("Sure?");
        },
      });
    await using world = await Extended.open({ ext });
    await world.live.prompt("/ask");
    expect(world.notices).toEqual([[
      "Cannot run /ask (extension ext): Cannot ask a person for the extension ext: there is none at " +
      "a terminal. Look at hasUI first, and decide without where it is false.",
      "error",
    ]]);
  });
});

describe("an extension that kept what it was given", () => {
  test("is told what to do instead, before its session is live and after it was left", async () => {
    let api: ExtensionApi | undefined;
    let kept: ExtensionContext | undefined;
    const early: unknown[] = [];
    const ext: Extension = async (bough) => {
      api = bough;
      await bough.appendEntry("early").catch((error) => early.push(error));
      bough.on("session_start", (_, context) => {
        kept = context;
      });
    };
    const world = await Extended.open({ ext });
    await world.start();
    const session = kept?.session;
    expect(session?.cwd).toBe("/tmp");
    expect(() => api?.on("input", () => undefined)).toThrow(
      "Cannot register a handler of input now: do it in the default export, before it returns.",
    );
    await world[Symbol.asyncDispose]();
    const stale = { name: "ExtensionError", code: "stale" };
    expect(early).toMatchObject([{ name: "ExtensionError", code: "not_now" }]);
    const uses: (() => unknown)[] = [
      () => kept?.cwd,
      () => kept?.session,
      () => kept?.model,
      () => kept?.notify("hi"),
      () => kept?.confirm("Sure?"),
      () => session?.leafId,
      () => session?.getBranch(),
      () => api?.appendEntry("late"),
      () => api?.sendMessage("late"),
      () => api?.setLabel("x", "y"),
      () => api?.setSessionName("late"),
      () => api?.exec("true"),
      () => api?.on("input", () => undefined),
    ];
    for (const use of uses) {
      const error = await Promise.try(use).then(() => "nothing was thrown", (thrown) => thrown);
      expect(error).toMatchObject(stale);
      expect(String(error)).toContain("use what the next handler is given, from session_start on");
    }
  });
});
