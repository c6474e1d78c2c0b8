import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { listenForSignals } from "../../../lib/runtime/modes/signals.ts";
import { stopExitCode, Stopper, type StopSignal } from "../../../lib/runtime/modes/stop.ts";

function listening() {
  const source = new EventEmitter();
  const stopped: StopSignal[] = [];
  const ended: number[] = [];
  const stopListening = listenForSignals(source, {
    stop: (signal) => stopped.push(signal),
    end: (code) => ended.push(code),
  });
  return { source, stopped, ended, stopListening };
}

for (const [signal, code] of [["SIGHUP", 129], ["SIGINT", 130], ["SIGTERM", 143]] as const) {
  test(`listenForSignals() stops the run at ${signal}, and ends it at a second one`, () => {
    const { source, stopped, ended, stopListening } = listening();
    source.emit(signal);
    expect({ stopped, ended }).toEqual({ stopped: [signal], ended: [] });
    source.emit(signal);
    expect({ stopped, ended }).toEqual({ stopped: [signal], ended: [code] });
    stopListening();
    expect(source.eventNames()).toEqual([]);
  });
}

test("listenForSignals() ends the program at a second signal of another kind with its code", () => {
  const { source, ended, stopListening } = listening();
  source.emit("SIGINT");
  source.emit("SIGTERM");
  stopListening();
  expect(ended).toEqual([143]);
});

test("Stopper keeps the first cause", () => {
  const stopper = new Stopper();
  expect(stopper.signal.aborted).toBe(false);
  stopper.stop({ kind: "pipe" });
  stopper.stop({ kind: "signal", signal: "SIGTERM" });
  expect(stopper.signal.aborted).toBe(true);
  expect(stopper.cause).toEqual({ kind: "pipe" });
  expect(stopper.cause && stopExitCode(stopper.cause)).toBe(141);
});
