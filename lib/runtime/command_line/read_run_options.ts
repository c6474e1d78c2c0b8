/** The options of a run, read from what was given, one group of the help at a time. */
import { THINKING_LEVELS } from "../../session/mod.ts";
import type { Given } from "./given.ts";
import type {
  BusyChoice,
  Limits,
  Mode,
  Output,
  RunOptions,
  SessionChoice,
  StdinChoice,
} from "./run_options.ts";
import { parseCount, parseNames, parseSize, parseTimeout, parseUsd } from "./values.ts";

const STDIN_MAX_BYTES = 10_000_000;
const BUSY_WAIT_MS = 30_000;

/** What is left out where it was not given, as `exactOptionalPropertyTypes` wants it. */
function known<T extends object>(values: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** Reads all options of a run; what is wrong with them is noted in `given`. */
export function readRunOptions(
  given: Given,
  how: { mode: Mode; output: Output; words: readonly string[] },
): RunOptions {
  const { mode, output, words } = how;
  if (given.has("stream") && output !== "text") {
    given.problem(`Cannot use --stream with --output ${output}: it fits text output`);
  }
  if (given.has("stream") && given.has("schema")) {
    given.problem("Cannot use --stream with --schema: the value is known at the end alone");
  }
  return {
    mode,
    output,
    ...readInput(given, words),
    ...readSession(given),
    ...readModel(given),
    ...readTools(given),
    ...known<Pick<RunOptions, "systemPrompt" | "schema" | "resultFile">>({
      systemPrompt: given.value("system-prompt"),
      schema: given.value("schema"),
      resultFile: given.value("result-file"),
    }),
    appendSystemPrompts: given.values("append-system-prompt"),
    limits: readLimits(given),
    bare: given.has("bare"),
    trust: given.has("trust"),
    extensions: given.values("extension"),
    quiet: given.has("quiet"),
    stream: given.has("stream"),
    plain: given.has("plain"),
  };
}

type Input = Pick<RunOptions, "prompts" | "files" | "stdin" | "stdinMaxBytes">;

function readInput(given: Given, words: readonly string[]): Input {
  const files = words.filter((word) => word.startsWith("@")).map((word) => word.slice(1));
  if (files.includes("")) given.problem("Cannot use @: a path has to follow it");
  const max = given.read("stdin-max", parseSize, "it must be a size such as 10MB or 500KB");
  return {
    prompts: words.filter((word) => word !== "-" && !word.startsWith("@")),
    files,
    stdin: readStdin(given, words.includes("-")),
    stdinMaxBytes: max ?? STDIN_MAX_BYTES,
  };
}

function readStdin(given: Given, dash: boolean): StdinChoice {
  given.one(["stdin", "no-stdin"], "one says the opposite of the other");
  if (dash && given.has("no-stdin")) {
    given.problem("Cannot use - with --no-stdin: - means stdin");
  }
  if (given.has("no-stdin")) return "skip";
  return dash || given.has("stdin") ? "read" : "auto";
}

type SessionOptions = Pick<
  RunOptions,
  "session" | "strict" | "busy" | "cwd" | "sessionDir" | "name"
>;

function readSession(given: Given): SessionOptions {
  given.needs("strict", ["continue", "session-id"]);
  return {
    session: readSessionChoice(given),
    strict: given.has("strict"),
    busy: readBusy(given),
    ...known<Pick<RunOptions, "cwd" | "sessionDir" | "name">>({
      cwd: given.value("cwd"),
      sessionDir: given.value("session-dir"),
      name: given.value("name"),
    }),
  };
}

function readSessionChoice(given: Given): SessionChoice {
  const choice = given.one(
    ["continue", "resume", "session", "session-id", "fork", "no-session"],
    "a run has one session",
  );
  const value = choice === undefined ? "" : given.value(choice) ?? "";
  switch (choice) {
    case undefined:
      return { kind: "new" };
    case "continue":
      return { kind: "continue" };
    case "resume":
      return { kind: "resume" };
    case "session":
      return { kind: "open", session: value };
    case "session-id":
      return { kind: "key", id: value };
    case "fork": {
      const at = given.value("at");
      return { kind: "fork", session: value, ...(at === undefined ? {} : { at }) };
    }
    case "no-session":
      return { kind: "none" };
  }
}

function parseBusy(text: string): BusyChoice | undefined {
  if (text === "fail" || text === "fork") return { kind: text };
  if (text === "wait") return { kind: "wait", ms: BUSY_WAIT_MS };
  const [kind, time = ""] = text.split(/:(.*)/s);
  const ms = parseTimeout(time);
  return kind === "wait" && ms !== undefined ? { kind, ms } : undefined;
}

function readBusy(given: Given): BusyChoice {
  return given.read("busy", parseBusy, "it must be fail, wait, wait:<time> (wait:30s) or fork") ??
    { kind: "fail" };
}

type ModelOptions = Pick<
  RunOptions,
  "model" | "provider" | "thinking" | "baseUrl" | "apiKey" | "fallbackModels"
>;

function parseUrl(text: string): string | undefined {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

function readModel(given: Given): ModelOptions {
  return {
    fallbackModels: given.values("fallback-model"),
    ...known<Omit<ModelOptions, "fallbackModels">>({
      model: given.value("model"),
      provider: given.value("provider"),
      thinking: given.choice("thinking", THINKING_LEVELS),
      baseUrl: given.read("base-url", parseUrl, "it must be an http or https address"),
      apiKey: given.value("api-key"),
    }),
  };
}

function readTools(given: Given): Pick<RunOptions, "tools" | "excludeTools" | "readOnly"> {
  given.one(["no-tools", "tools"], "one says the opposite of the other");
  given.one(["no-tools", "exclude-tools"], "there is nothing to exclude");
  const wanted = "it must be names with commas between, such as read,grep";
  const tools = given.has("no-tools") ? [] : given.read("tools", parseNames, wanted);
  return {
    excludeTools: given.read("exclude-tools", parseNames, wanted) ?? [],
    readOnly: given.has("read-only"),
    ...(tools === undefined ? {} : { tools }),
  };
}

function readLimits(given: Given): Limits {
  return known<{ timeoutMs: number; maxTurns: number; maxCostUsd: number }>({
    timeoutMs: given.read("timeout", parseTimeout, "it must be a time such as 90s, 5m or 1h30m"),
    maxTurns: given.read("max-turns", parseCount, "it must be a whole number, 1 at least"),
    maxCostUsd: given.read("max-cost", parseUsd, "it must be US dollars such as 0.50"),
  });
}
