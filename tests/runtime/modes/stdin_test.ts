import { describe, expect, test } from "bun:test";
import { UsageError } from "../../../lib/runtime/modes/exit_codes.ts";
import {
  readStdin,
  type StdinKind,
  type StdinOptions,
  type StdinSource,
} from "../../../lib/runtime/modes/stdin.ts";
import { HeldTimer, InstantTimer } from "../../support/manual_timer.ts";

const WAITING = new Promise<undefined>(() => {});

/** A stdin that gives these pieces, and then its end, or nothing ever again. */
function source(
  kind: StdinKind,
  pieces: readonly (string | Uint8Array)[] = [],
  options: { staysOpen?: boolean } = {},
): StdinSource {
  const left = [...pieces];
  return {
    kind,
    read() {
      const piece = left.shift();
      if (piece === undefined) return options.staysOpen ? WAITING : Promise.resolve(undefined);
      return Promise.resolve(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
    },
  };
}

function options(more: Partial<StdinOptions> = {}): StdinOptions & { notices: string[] } {
  const notices: string[] = [];
  return {
    choice: "auto",
    maxBytes: 1_000,
    hasPrompt: true,
    timer: new HeldTimer(),
    signal: new AbortController().signal,
    notice: (text) => notices.push(text),
    notices,
    ...more,
  };
}

const NOTHING = { timedOut: false, warnings: [] };

describe("readStdin() has no data", () => {
  const rows: [string, StdinSource, Partial<StdinOptions>][] = [
    ["of a terminal", source("terminal", ["typed"]), {}],
    ["of /dev/null or a closed stdin", source("none", ["x"]), {}],
    ["with --no-stdin", source("pipe", ["x"], { staysOpen: true }), { choice: "skip" }],
    ["in an empty file", source("file"), {}],
    ["in an empty pipe", source("pipe"), {}],
    ["in blanks", source("file", [" \n\t\n"]), {}],
  ];
  for (const [what, from, more] of rows) {
    test(what, async () => expect(await readStdin(from, options(more))).toEqual(NOTHING));
  }
});

for (const kind of ["file", "pipe", "socket"] as const) {
  test(`readStdin() reads a ${kind} to its end, letters cut between pieces included`, async () => {
    const bytes = new TextEncoder().encode("Grüße\n");
    const from = source(kind, [bytes.subarray(0, 3), bytes.subarray(3), "second\r\n"]);
    expect(await readStdin(from, options())).toEqual({ ...NOTHING, text: "Grüße\nsecond\r\n" });
  });
}

test("readStdin() drops a byte-order mark and replaces what is not UTF-8, with a warning", async () => {
  const from = source("file", [new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xfe, 0x62])]);
  expect(await readStdin(from, options())).toEqual({
    text: "a\ufffd\ufffdb",
    timedOut: false,
    warnings: ["stdin is not all UTF-8: what could not be decoded was replaced by U+FFFD"],
  });
});

test("readStdin() refuses more than its limit, and takes exactly that", async () => {
  expect(await readStdin(source("pipe", ["abc", "de"]), options({ maxBytes: 5 }))).toEqual({
    ...NOTHING,
    text: "abcde",
  });
  const more = readStdin(source("pipe", ["abc", "def"]), options({ maxBytes: 5 }));
  await expect(more).rejects.toBeInstanceOf(UsageError);
  await expect(more).rejects.toThrow("Cannot read stdin: there are more than 5 bytes");
});

describe("readStdin() waits", () => {
  const rows: [StdinKind, slept: number[], seconds: number][] = [
    ["pipe", [1_000, 29_000], 30],
    ["socket", [1_000, 2_000], 3],
  ];
  for (const [kind, slept, seconds] of rows) {
    test(`${seconds} s for a ${kind} with a prompt, and says so`, async () => {
      const timer = new InstantTimer();
      const given = options({ timer });
      const data = await readStdin(source(kind, [], { staysOpen: true }), given);
      expect(timer.slept).toEqual(slept);
      expect(given.notices).toEqual([
        `Waiting for data on stdin (a ${kind}), ${seconds} s at most; ` +
        "--no-stdin does not wait, --stdin waits to its end",
      ]);
      expect(data.timedOut).toBe(true);
      expect(data.warnings.join()).toContain(`Nothing came on stdin within ${seconds} s`);
    });
  }

  test("to the end without a prompt, and says so after a second", async () => {
    const timer = new HeldTimer();
    const arrived = Promise.withResolvers<Uint8Array | undefined>();
    const reads = [arrived.promise, Promise.resolve(undefined)];
    const from: StdinSource = { kind: "pipe", read: () => reads.shift() ?? WAITING };
    const noticed = Promise.withResolvers<string>();
    const reading = readStdin(
      from,
      options({ timer, hasPrompt: false, notice: (text) => noticed.resolve(text) }),
    );
    await timer.sleeping(1);
    timer.wake();
    expect(await noticed.promise).toContain("until it ends; --no-stdin does not read it");
    arrived.resolve(new TextEncoder().encode("late"));
    expect(await reading).toEqual({ ...NOTHING, text: "late" });
  });

  test("no longer once the first byte is there, however slow the rest", async () => {
    const timer = new HeldTimer();
    const rest = Promise.withResolvers<Uint8Array | undefined>();
    const reads = [
      Promise.resolve(new TextEncoder().encode("a")),
      rest.promise,
      Promise.resolve(undefined),
    ];
    const given = options({ timer });
    const reading = readStdin({ kind: "pipe", read: () => reads.shift() ?? WAITING }, given);
    await timer.sleeping(1);
    timer.wake();
    rest.resolve(new TextEncoder().encode("b"));
    expect(await reading).toEqual({ ...NOTHING, text: "ab" });
    expect(given.notices).toEqual([]);
  });

  test("no longer when the run is stopped", async () => {
    for (const pieces of [[], ["begun"]]) {
      const run = new AbortController();
      const from = source("pipe", pieces, { staysOpen: true });
      const reading = readStdin(from, options({ signal: run.signal, choice: "read" }));
      run.abort();
      expect((await reading).timedOut).toBe(false);
    }
  });
});

test("readStdin() refuses to wait for a terminal that it is told to read", async () => {
  const reading = readStdin(source("terminal"), options({ choice: "read" }));
  await expect(reading).rejects.toThrow("Cannot read stdin: it is a terminal");
});
