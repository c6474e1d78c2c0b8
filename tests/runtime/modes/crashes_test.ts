import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { listenForCrashes } from "../../../lib/runtime/modes/crashes.ts";

test("listenForCrashes() tells of the first error that nobody caught, and lets go of its source", () => {
  const source = new EventEmitter();
  const crashes: unknown[] = [];
  const stop = listenForCrashes(source, (error) => crashes.push(error));
  source.emit("unhandledRejection", "first");
  source.emit("uncaughtException", "second");
  stop();
  expect({ crashes, left: source.eventNames() }).toEqual({ crashes: ["first"], left: [] });
});
