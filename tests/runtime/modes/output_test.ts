import { describe, expect, test } from "bun:test";
import { harmless, oneLine } from "../../../lib/runtime/modes/terminal_text.ts";
import { recordedSink, systemError } from "../../support/recorded_sink.ts";

test("Sink writes everything in order, however little is taken at a time", async () => {
  const { sink, writer } = recordedSink();
  writer.takesMax = 3;
  sink.write("first é ");
  sink.write("second");
  await sink.drain();
  sink.write(" third\n");
  await sink.drain();
  expect(writer.text).toBe("first é second third\n");
});

test("Sink keeps a character whole whose halves come one after the other", async () => {
  const { sink, writer } = recordedSink();
  const [high = "", low = ""] = "😀".split("");
  sink.write(`a${high}`);
  await Promise.resolve();
  sink.write(`${low}b`);
  await sink.drain();
  expect(writer.text).toBe("a😀b");
});

test("Sink writes half a character as U+FFFD when the other half never comes", async () => {
  const { sink, writer } = recordedSink();
  sink.write("a\ud83d");
  await sink.drain();
  expect(writer.text).toBe("a\ufffd");
});

test("Sink tells of an error once and writes nothing more", async () => {
  const errors: Error[] = [];
  const { sink, writer } = recordedSink({ onError: (error) => errors.push(error) });
  writer.error = systemError("EPIPE");
  sink.write("one");
  await sink.drain();
  writer.error = undefined;
  sink.write("two");
  await sink.drain();
  expect(errors.map(({ message }) => message)).toEqual(["EPIPE"]);
  expect(sink.error).toBe(errors[0]);
  expect(writer.text).toBe("");
});

test("ready() waits for a reader who is far behind, and no longer than the run goes on", async () => {
  const { sink, writer } = recordedSink();
  const reader = Promise.withResolvers<void>();
  writer.gate = reader.promise;
  const run = new AbortController();
  sink.write("x".repeat(1_000));
  await sink.ready(run.signal);
  sink.write("y".repeat(2_000_000));
  let isReady = false;
  const ready = sink.ready(run.signal).then(() => isReady = true);
  await Promise.resolve();
  expect(isReady).toBe(false);
  run.abort();
  await ready;
  reader.resolve();
  await sink.drain();
  expect(writer.text).toHaveLength(2_001_000);
});

describe("Sink.show()", () => {
  const text = "a\x1b[31mred\x1b]0;title\x07\r\nb\tc\x9b2J\x7f\r";
  test("makes control sequences harmless on a terminal", async () => {
    const { sink, writer } = recordedSink({ isTerminal: true });
    sink.show(text);
    await sink.drain();
    expect(writer.text).toBe("a␛[31mred␛]0;title␇\nb\tc\\x9b2J␡␍");
  });

  test("leaves them alone in a pipe or a file", async () => {
    const { sink, writer } = recordedSink();
    sink.show(text);
    await sink.drain();
    expect(writer.text).toBe(text);
  });
});

test("harmless() leaves letters of all languages, and U+2028", () => {
  const text = "Grüße, 世界, مرحبا 😀\u2028\u00a0";
  expect(harmless(text)).toBe(text);
});

test("harmless() shows what turns the direction of writing", () => {
  expect(harmless("invoice\u202egpj.exe\u2066 \u2069")).toBe(
    "invoice\\u202egpj.exe\\u2066 \\u2069",
  );
});

test("Sink writes JSON on a terminal without what the terminal would obey, and the same value", async () => {
  const value = { text: "\u009b31m \u202e \x7f \x1b[0m \u2028é" };
  for (const isTerminal of [false, true]) {
    const { sink, writer } = recordedSink({ isTerminal });
    sink.record(value);
    await sink.drain();
    expect(JSON.parse(writer.text)).toEqual(value);
    expect(writer.text.endsWith("}\n")).toBe(true);
    expect(/[\x7f-\x9f\u202e]/.test(writer.text)).toBe(!isTerminal);
  }
});

test("oneLine() runs blanks together and cuts", () => {
  expect(oneLine(" a\n\n b\t\x1b[0m ")).toBe("a b ␛[0m");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});
