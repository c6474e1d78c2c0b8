import { expect, test } from "bun:test";
import type { Timer } from "../../../lib/agent/mod.ts";
import { recordedSink } from "../../support/recorded_sink.ts";
import { TempDirectory } from "../../support/temp.ts";
import { verbRun } from "../../support/verb_run.ts";
import { writtenSession } from "../../support/written_session.ts";

/** A clock on which each look takes so long. */
class SlowTimer implements Timer {
  #now = Date.UTC(2026, 2, 3);
  readonly #step: number;

  constructor(step: number) {
    this.#step = step;
  }

  now(): number {
    return this.#now += this.#step;
  }

  async sleep(): Promise<void> {}
}

function fill(temp: TempDirectory, count: number): void {
  for (let at = 0; at < count; at++) {
    temp.write(
      `home/sessions/${at}.jsonl`,
      writtenSession({ id: `s${at}`, cwd: temp.cwd, said: [["you", "x".repeat(300_000)]] }),
    );
  }
}

test("session list says on a terminal how far it is when that takes long, and takes it back", async () => {
  using temp = new TempDirectory();
  fill(temp, 5);
  const stderr = recordedSink({ isTerminal: true });
  await verbRun(temp, ["session", "list"], { stderr: stderr.sink, timer: new SlowTimer(600) });
  await stderr.sink.drain();
  expect(stderr.writer.text).toBe(
    [
      "Reading sessions: 40 % of 2 MB",
      "Reading sessions: 60 % of 2 MB",
      "Reading sessions: 80 % of 2 MB",
      "Reading sessions: 100 % of 2 MB",
      "",
    ].map((text) => `\r\x1b[K${text}`).join(""),
  );
});

test("session list says nothing of it when it is quick, quiet, or not for a person", async () => {
  using temp = new TempDirectory();
  fill(temp, 3);
  for (
    const [isTerminal, step, more] of [
      [true, 1, []],
      [true, 600, ["--quiet"]],
      [false, 600, []],
    ] as const
  ) {
    const stderr = recordedSink({ isTerminal });
    const args = ["session", "list", "--json", ...more];
    await verbRun(temp, args, { stderr: stderr.sink, timer: new SlowTimer(step) });
    await stderr.sink.drain();
    expect(stderr.writer.text).toBe("");
    temp.write("home/index.sqlite", "");
  }
});

test("a signal ends session search without a word, and the index can be used afterwards", async () => {
  using temp = new TempDirectory();
  fill(temp, 2);
  const stopped = await verbRun(temp, ["session", "search", "xxx"], {
    signal: AbortSignal.abort(),
  });
  expect(stopped).toEqual({ code: 1, stdout: "", stderr: "" });
  const { stdout } = await verbRun(temp, ["session", "search", "xxx", "--json"]);
  expect(JSON.parse(stdout)).toHaveLength(1);
});
