import { describe, expect, test } from "bun:test";
import { ModelError, type ModelErrorCode } from "../../lib/agent/mod.ts";
import { decideRetry, DEFAULT_RETRY, type RetrySettings } from "../../lib/runtime/retry.ts";
import { createAgentSession } from "../../lib/runtime/mod.ts";
import { caseJson } from "../support/cases.ts";
import { completion } from "../support/local_run.ts";
import { InstantTimer } from "../support/manual_timer.ts";
import { testModel } from "../support/models.ts";
import { echo } from "../support/scenario.ts";
import { type Answer, scriptedModel } from "../support/scripted_model.ts";
import { ScriptedServer } from "../support/scripted_server.ts";

const failed = (code: ModelErrorCode, retryAfterMs?: number) =>
  new ModelError(code, `${code}.`, retryAfterMs === undefined ? {} : { retryAfterMs });

/** The wait in ms, or what is told. */
function decided(
  error: ModelError,
  options: { attempt?: number; random?: number; settings?: Partial<RetrySettings> } = {},
): number | string {
  const { attempt = 1, random = 0, settings = {} } = options;
  const decision = decideRetry(error, attempt, { ...DEFAULT_RETRY, ...settings }, () => random);
  return decision.kind === "wait" ? decision.delayMs : decision.error.message;
}

describe("decideRetry()", () => {
  test("asks again after what may pass, and after nothing else", () => {
    const codes: Record<ModelErrorCode, boolean> = {
      rate_limited: true,
      overloaded: true,
      dropped: true,
      timed_out: true,
      unreachable: true,
      context_overflow: false,
      bad_key: false,
      quota: false,
      bad_request: false,
      refused: false,
      unknown_model: false,
    };
    const found = Object.keys(codes).map((code) => [
      code,
      decided(failed(code as ModelErrorCode)) === 2_000,
    ]);
    expect(Object.fromEntries(found)).toEqual(codes);
  });

  test("doubles the wait from 2 s on, to at most 60 s", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) =>
      decided(failed("overloaded"), { attempt, settings: { maxRetries: 9 } })
    );
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test("waits no longer than the settings allow, whatever is added", () => {
    const random = 0.999;
    expect([
      decided(failed("overloaded"), { attempt: 6, random, settings: { maxRetries: 9 } }),
      decided(failed("rate_limited", 55_000), { random }),
    ]).toEqual([60_000, 60_000]);
  });

  test("adds up to a quarter at random", () => {
    const waits = [0, 0.5, 0.999].map((random) => decided(failed("overloaded"), { random }));
    expect(waits).toEqual([2_000, 2_250, 2_500]);
  });

  test("gives up after the attempts, and at once where it is off", () => {
    const error = failed("overloaded");
    const answers = [
      decided(error, { attempt: 3 }),
      decided(error, { attempt: 4 }),
      decided(error, { settings: { enabled: false } }),
      decided(error, { settings: { maxRetries: 0 } }),
    ];
    expect(answers).toEqual([8_000, "overloaded.", "overloaded.", "overloaded."]);
  });

  test("takes the server's wait for the shortest, and names one that is too long", () => {
    const answers = [
      decided(failed("rate_limited", 500)),
      decided(failed("rate_limited", 60_000), { random: 0.5 }),
      decided(failed("rate_limited", 61_000)),
      decided(failed("rate_limited", 61_000), { settings: { maxRetryDelayMs: 90_000 } }),
    ];
    expect(answers).toEqual([
      500,
      60_000,
      "rate_limited. The server asks for a wait of 61 s; at most 60 s are waited " +
      "(setting retry.provider.maxRetryDelayMs).",
      61_000,
    ]);
  });
});

describe("prompt() waits as the server says (C103)", () => {
  interface Row {
    name: string;
    status: number;
    headers: Record<string, string>;
    waitMs: string | [number | string, number | string];
  }
  const BASE_MS = 300;
  /** `null`: it fails at once. */
  const waits = ({ waitMs }: Row): [number, number][] | null => {
    if (typeof waitMs === "string") {
      return waitMs.startsWith("fails") ? null : [1, 2, 4].map((n) => [n * BASE_MS, n * 375]);
    }
    const [least, most] = waitMs;
    return typeof least === "number" && typeof most === "number"
      ? [[least, most]]
      : [[BASE_MS, 2 * BASE_MS]];
  };
  for (const row of caseJson("C103", "table.json") as Row[]) {
    test(row.name, async () => {
      const headers = Object.fromEntries(
        Object.entries(row.headers).map(([name, value]) => [
          name,
          value.includes("now + 3 s") ? new Date(Date.now() + 3_900).toUTCString() : value,
        ]),
      );
      const wanted = waits(row);
      const refusal = { status: row.status, headers, json: { error: { message: "slow down" } } };
      const isLasting = wanted === null || wanted.length > 1;
      await using server = await ScriptedServer.start(
        isLasting ? [refusal] : [refusal, completion("done")],
      );
      const timer = new InstantTimer();
      const { session } = await createAgentSession({
        model: testModel("openai-completions", server.url),
        retry: { baseDelayMs: BASE_MS },
        timer,
      });
      const outcome = await session.prompt("x");
      await session.dispose();
      expect(outcome.stopReason).toBe(isLasting ? "error" : "stop");
      expect(timer.slept.length).toBe(wanted?.length ?? 0);
      for (const [at, [least, most]] of (wanted ?? []).entries()) {
        expect(timer.slept[at]).toBeWithin(least, most + 1);
      }
      if (wanted === null) expect(outcome.error?.message).toContain("a wait of 3600 s");
    });
  }
});

describe("prompt() counts failures in a row", () => {
  const call = { calls: [{ id: "a", name: "echo", arguments: { text: "hi" } }] };
  const failure = { fails: "overloaded" as const };

  /** The outcome, and what was told of retries. */
  async function prompted(
    answers: Answer[],
    options: { retry?: Partial<RetrySettings>; fallback?: Answer[] },
  ) {
    const { session } = await createAgentSession({
      model: scriptedModel(answers),
      tools: [echo],
      retry: options.retry ?? {},
      fallbackModels: options.fallback ? [scriptedModel(options.fallback, { id: "other" })] : [],
      timer: new InstantTimer(),
      random: () => 0,
    });
    const told: string[] = [];
    session.subscribe((event) => {
      if (event.type === "auto_retry_start") {
        told.push(`${event.attempt} ${event.fallbackModel ?? event.delayMs}`);
      } else if (event.type === "auto_retry_end") {
        told.push(`${event.attempt} ${event.success ? "succeeded" : "failed"}`);
      }
    });
    const { retries, text } = await session.prompt("x");
    await session.dispose();
    return { told, retries, text };
  }

  test("each answer in a long run gives the next failure all attempts", async () => {
    const answers = [failure, call, failure, call, failure, { text: "done" }];
    expect(await prompted(answers, { retry: { maxRetries: 1 } })).toEqual({
      told: Array(3).fill(["1 2000", "1 succeeded"]).flat(),
      retries: 3,
      text: "done",
    });
  });

  test("what a fallback model came to is told as well", async () => {
    const quota = [{ fails: "quota" as const }];
    expect(await prompted(quota, { fallback: [{ text: "done" }] })).toEqual({
      told: ["0 test/other", "0 succeeded"],
      retries: 1,
      text: "done",
    });
    expect((await prompted(quota, { fallback: [{ fails: "bad_key" }] })).told).toEqual([
      "0 test/other",
      "0 failed",
    ]);
  });
});
