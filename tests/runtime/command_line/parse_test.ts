import { describe, expect, test } from "bun:test";
import { parseCommandLine } from "../../../lib/runtime/command_line/parse.ts";
import type { Mode, RunOptions } from "../../../lib/runtime/command_line/run_options.ts";

const PIPED = { stdin: false, stdout: false };
const TERMINAL = { stdin: true, stdout: true };

const DEFAULTS: RunOptions = {
  mode: "print",
  output: "text",
  prompts: [],
  files: [],
  stdin: "auto",
  stdinMaxBytes: 10_000_000,
  session: { kind: "new" },
  strict: false,
  busy: { kind: "fail" },
  fallbackModels: [],
  excludeTools: [],
  readOnly: false,
  appendSystemPrompts: [],
  limits: {},
  bare: false,
  trust: false,
  extensions: [],
  quiet: false,
  stream: false,
  plain: false,
};

function parse(args: readonly string[], terminals = PIPED) {
  return parseCommandLine(args, terminals);
}

function run(args: readonly string[], terminals = PIPED): RunOptions {
  const line = parse(args, terminals);
  if (line.kind !== "run") throw new Error(JSON.stringify(line));
  return line.options;
}

function problem(args: readonly string[], terminals = PIPED): string {
  const line = parse(args, terminals);
  return line.kind === "usage" ? line.problem : JSON.stringify(line);
}

describe("parseCommandLine() reads", () => {
  const rows: [args: string[], wanted: Partial<RunOptions>][] = [
    [[], {}],
    [["-p", "one", "two"], { prompts: ["one", "two"] }],
    [["one", "-p"], { prompts: ["one"] }],
    [["-p", "--", "-starts with a dash", "--help"], { prompts: ["-starts with a dash", "--help"] }],
    [["@a.txt", "@b c.png", "x"], { files: ["a.txt", "b c.png"], prompts: ["x"] }],
    [["-", "x"], { stdin: "read", prompts: ["x"] }],
    [["--stdin"], { stdin: "read" }],
    [["--no-stdin"], { stdin: "skip" }],
    [["--stdin-max", "5MB"], { stdinMaxBytes: 5_000_000 }],
    [["--output", "json"], { output: "json" }],
    [["--output=events"], { output: "events" }],
    [["--mode", "json"], { output: "events" }],
    [["--mode", "text"], {}],
    [["--mode", "rpc"], { mode: "rpc", output: "events" }],
    [["-c"], { session: { kind: "continue" } }],
    [["-pc", "x"], { session: { kind: "continue" }, prompts: ["x"] }],
    [["--continue", "--strict"], { session: { kind: "continue" }, strict: true }],
    [["--session", "abc"], { session: { kind: "open", session: "abc" } }],
    [["--session-id", "nightly"], { session: { kind: "key", id: "nightly" } }],
    [["--session-id", "-rf"], { session: { kind: "key", id: "-rf" } }],
    [["--session-id", "../../x"], { session: { kind: "key", id: "../../x" } }],
    [["--fork", "abc"], { session: { kind: "fork", session: "abc" } }],
    [["--fork=abc", "--at=leaf~2"], { session: { kind: "fork", session: "abc", at: "leaf~2" } }],
    [["--no-session"], { session: { kind: "none" } }],
    [["--cwd", "/x", "--session-dir", "s", "--name", "a b"], {
      cwd: "/x",
      sessionDir: "s",
      name: "a b",
    }],
    [["--busy", "wait"], { busy: { kind: "wait", ms: 30_000 } }],
    [["--busy", "wait:2m"], { busy: { kind: "wait", ms: 120_000 } }],
    [["--busy", "fork"], { busy: { kind: "fork" } }],
    [["--model", "a/b:high", "--provider", "a", "--thinking", "low"], {
      model: "a/b:high",
      provider: "a",
      thinking: "low",
    }],
    [["--base-url", "http://127.0.0.1:1/v1", "--api-key", "k"], {
      baseUrl: "http://127.0.0.1:1/v1",
      apiKey: "k",
    }],
    [["--fallback-model", "a", "--fallback-model", "b"], { fallbackModels: ["a", "b"] }],
    [["--tools", "read, grep"], { tools: ["read", "grep"] }],
    [["--no-tools"], { tools: [] }],
    [["--exclude-tools", "bash"], { excludeTools: ["bash"] }],
    [["--read-only"], { readOnly: true }],
    [["--system-prompt", "", "--append-system-prompt", "a", "--append-system-prompt", "b"], {
      systemPrompt: "",
      appendSystemPrompts: ["a", "b"],
    }],
    [["--timeout", "90s", "--max-turns", "3", "--max-cost", "0.5"], {
      limits: { timeoutMs: 90_000, maxTurns: 3, maxCostUsd: 0.5 },
    }],
    [["--timeout", "1h30m"], { limits: { timeoutMs: 5_400_000 } }],
    [["--schema", "s.json", "--result-file", "r.json"], {
      schema: "s.json",
      resultFile: "r.json",
    }],
    [["--bare", "--trust", "--quiet", "--stream", "--plain", "-e", "x.ts"], {
      bare: true,
      trust: true,
      quiet: true,
      stream: true,
      plain: true,
      extensions: ["x.ts"],
    }],
  ];
  for (const [args, wanted] of rows) {
    test(args.join(" ") || "nothing", () => expect(run(args)).toEqual({ ...DEFAULTS, ...wanted }));
  }
});

describe("parseCommandLine() chooses the mode", () => {
  const rows: [args: string[], terminals: typeof PIPED, mode: Mode][] = [
    [["x"], TERMINAL, "repl"],
    [[], TERMINAL, "repl"],
    [["-r"], TERMINAL, "repl"],
    [["-p", "x"], TERMINAL, "print"],
    [["--output", "text", "x"], TERMINAL, "print"],
    [["--mode", "text", "x"], TERMINAL, "print"],
    [["x"], { stdin: false, stdout: true }, "print"],
    [["x"], { stdin: true, stdout: false }, "print"],
    [["--mode", "rpc"], TERMINAL, "rpc"],
  ];
  for (const [args, terminals, mode] of rows) {
    test(`${args.join(" ")} ${JSON.stringify(terminals)}: ${mode}`, () => {
      expect(run(args, terminals).mode).toBe(mode);
    });
  }
});

describe("parseCommandLine() refuses", () => {
  const rows: [args: string[], wanted: string, terminals?: typeof PIPED][] = [
    [["--modell", "x"], "Cannot use --modell: there is no such option; did you mean --model?"],
    [["--no-such-option"], "Cannot use --no-such-option: there is no such option"],
    [["-x"], "Cannot use -x: there is no such option"],
    [["--print=yes"], "Cannot use --print=yes: --print takes no value"],
    [["x", "--model"], "Cannot use --model: it needs a value (--model <model[:thinking]>)"],
    [["--model", "--print", "x"], "; if --print is meant, write --model=--print"],
    [["--name", ""], "Cannot use --name: its value is empty"],
    [["--session-id="], "Cannot use --session-id: its value is empty"],
    [["--model", "a", "--model", "b"], "Cannot use --model twice"],
    [["--output", "jsn"], "--output jsn: it must be one of text, json, events; did you mean json?"],
    [["--mode", "json", "--output", "text"], "Cannot use --mode with --output"],
    [["-p", "--mode", "rpc"], "Cannot use --print with --mode rpc"],
    [["--mode", "rpc", "hello"], 'Cannot use "hello" with --mode rpc'],
    [["--mode", "rpc", "--timeout", "5s"], "Cannot use --timeout here"],
    [["-c", "--session", "x"], "Cannot use --continue with --session: a run has one session"],
    [["--at", "x"], "Cannot use --at alone: it goes with --fork"],
    [["--strict"], "Cannot use --strict alone: it goes with --continue or --session-id"],
    [["-r"], "Cannot use -r here: it needs a terminal"],
    [["--stdin", "--no-stdin"], "Cannot use --stdin with --no-stdin"],
    [["-", "--no-stdin"], "Cannot use - with --no-stdin"],
    [["--stdin-max", "lots"], "Cannot use --stdin-max lots: it must be a size"],
    [["--tools", ","], "Cannot use --tools ,: it must be names"],
    [["--tools", "a", "--no-tools"], "Cannot use --no-tools with --tools"],
    [["--base-url", "localhost"], "Cannot use --base-url localhost: it must be an http"],
    [["--thinking", "hihg"], "did you mean high?"],
    [["--timeout", "soon"], "Cannot use --timeout soon: it must be a time"],
    [["--timeout", "0"], "Cannot use --timeout 0: it must be a time"],
    [["--timeout", "999d"], "Cannot use --timeout 999d: it must be a time"],
    [["--max-turns", "1.5"], "Cannot use --max-turns 1.5: it must be a whole number"],
    [["--max-cost", "-1"], "Cannot use --max-cost -1: it must be US dollars"],
    [["--busy", "later"], "Cannot use --busy later: it must be fail, wait"],
    [["--stream", "--schema", "s.json"], "Cannot use --stream with --schema: the value is"],
    [["--stream", "--output", "json"], "Cannot use --stream with --output json"],
    [["--json", "x"], "Cannot use --json here: --output json prints the result object"],
    [["--older-than", "9d"], 'it goes with "session prune"'],
    [["@", "x"], "Cannot use @: a path has to follow it"],
    [["--schema", "x"], "Cannot use --schema here: it fits print mode; add -p", TERMINAL],
    [["session"], 'Cannot run "session": it needs one of list, search'],
    [["session", "lst"], 'Cannot run "session lst": did you mean "session list"?'],
    [
      ["sesion", "list", "--all"],
      'Cannot run "sesion list": did you mean "session list"? A prompt goes after -p or --',
    ],
    [["atuh", "set", "x"], 'Cannot run "atuh set": did you mean "auth set x"?'],
    [["session", "show"], 'Cannot run "session show": <session> is missing'],
    [["session", "show", "a", "b"], 'Cannot run "session show": "b" is one word too many'],
    [["session", "list", "--full"], 'Cannot use --full with "session list": it takes --json'],
    [["session", "list", "--print"], 'Cannot use --print with "session list"'],
    [["auth", "set", "x", "--model", "y"], 'Cannot use --model with "auth set"'],
    [["models", "--session-dir", "x"], 'Cannot use --session-dir with "models"'],
    [["doctor", "--busy", "wait"], 'Cannot use --busy with "doctor"'],
  ];
  for (const [args, wanted, terminals] of rows) {
    test(args.join(" "), () => expect(problem(args, terminals)).toContain(wanted));
  }
});

describe("parseCommandLine() knows verbs", () => {
  test("with operands, flags, values and what they share with runs", () => {
    const line = parse(["session", "list", "--all", "--limit=5", "--session-dir", "/s"], TERMINAL);
    expect(line).toEqual({
      kind: "verb",
      call: {
        verb: "session list",
        operands: [],
        flags: new Set(["all"]),
        values: new Map([["limit", "5"]]),
        run: { ...DEFAULTS, sessionDir: "/s" },
      },
    });
  });

  test("with options in front of them", () => {
    const line = parse(["--session-dir", "/s", "session", "path", "x"]);
    expect(line).toMatchObject({ kind: "verb", call: { verb: "session path", operands: ["x"] } });
  });

  for (const args of [["-p", "doctor"], ["--", "doctor"], ["--output", "text", "doctor"]]) {
    test(`and that ${args.join(" ")} is a prompt`, () => {
      expect(run(args).prompts).toEqual(["doctor"]);
    });
  }

  test("and that words near a verb are prompts where something says so", () => {
    expect(run(["-p", "sesion", "list"]).prompts).toEqual(["sesion", "list"]);
    expect(run(["--", "sesion", "list"]).prompts).toEqual(["sesion", "list"]);
    expect(run(["sesion", "lost"]).prompts).toEqual(["sesion", "lost"]);
  });
  test("and that a later word is none", () => {
    expect(run(["see", "doctor"]).prompts).toEqual(["see", "doctor"]);
  });
});

describe("parseCommandLine() shows", () => {
  const rows: [args: string[], wanted: ReturnType<typeof parse>][] = [
    [["--help"], { kind: "help" }],
    [["x", "-h", "--nonsense"], { kind: "help" }],
    [["help"], { kind: "help" }],
    [["help", "session", "list"], { kind: "help", verb: "session list" }],
    [["session", "list", "--help"], { kind: "help", verb: "session list" }],
    [["session", "--help"], { kind: "help", verb: "session" }],
    [["--version", "x"], { kind: "version" }],
    [["version"], { kind: "version" }],
  ];
  for (const [args, wanted] of rows) {
    test(args.join(" "), () => expect(parse(args)).toEqual(wanted));
  }
});
