import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import type { Model, ModelEvent, Tool } from "../../lib/agent/mod.ts";
import { AgentSession, AgentSessionRuntime } from "../../lib/runtime/mod.ts";
import { type AssistantMessage, JsonlSessionRepo, noUsage } from "../../lib/session/mod.ts";
import { SCRIPTED_FACTS } from "../support/scripted_model.ts";
import { InstantTimer } from "../support/manual_timer.ts";
import { TempDirectory } from "../support/temp.ts";

const PROMPTS = 2_000;
const SWITCHES = 50;

const facts = { ...SCRIPTED_FACTS, contextWindow: 6_000, maxTokens: 500 };

/** A tool call for each prompt, an answer for its result, a short text for each summary. */
const model: Model = {
  facts,
  async *stream(request): AsyncIterable<ModelEvent> {
    const last = request.messages.at(-1);
    const message: AssistantMessage = {
      role: "assistant",
      content: request.tools.length === 0
        ? [{ type: "text", text: "what was done so far" }]
        : last?.role === "toolResult"
        ? [{ type: "text", text: "fine" }]
        : [{ type: "toolCall", id: `call-${request.messages.length}`, name: "big", arguments: {} }],
      api: facts.api,
      provider: facts.provider,
      model: facts.id,
      usage: noUsage(),
      stopReason: request.tools.length > 0 && last?.role !== "toolResult" ? "toolUse" : "stop",
      timestamp: 1,
    };
    yield { type: "start" };
    yield { type: "done", message };
  },
};

const big: Tool = {
  name: "big",
  description: "Gives much",
  parameters: { type: "object" },
  execute: () => Promise.resolve({ content: [{ type: "text", text: "word ".repeat(400) }] }),
};

function openFiles(): number {
  return process.platform === "linux" ? fs.readdirSync("/proc/self/fd").length : 0;
}

function heapMb(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed / 1e6;
}

describe("AgentSessionRuntime", () => {
  test(
    "2,000 prompts with tools and compactions and 50 switches leave nothing behind",
    async () => {
      using temp = new TempDirectory();
      const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions"), durability: "none" });
      let compactions = 0;
      const filesBefore = openFiles();
      const runtime = await AgentSessionRuntime.create(await repo.create({ cwd: temp.cwd }), {
        repo,
        prepare: (session) =>
          Promise.resolve({
            start: () =>
              Promise.resolve({
                session: new AgentSession({
                  session,
                  model,
                  tools: [big],
                  timer: new InstantTimer(),
                  random: () => 0,
                  compaction: { reserveTokens: 1_500, keepRecentTokens: 1_000 },
                }),
                services: undefined,
              }),
          }),
      });
      const listen = () =>
        runtime.session.subscribe((event) => {
          if (event.type === "compaction_end" && event.result) compactions++;
        });
      listen();
      runtime.onRebind(() => void listen());
      let early = 0;
      const first = runtime.session.session.file ?? "";
      for (let n = 1; n <= PROMPTS; n++) {
        const outcome = await runtime.session.prompt(`prompt ${n}`);
        if (outcome.stopReason !== "stop" || !outcome.saved) throw new Error(`prompt ${n} failed`);
        if (n % (PROMPTS / SWITCHES) === 0) {
          if ((n / (PROMPTS / SWITCHES)) % 2 === 0) await runtime.newSession();
          else await runtime.switchSession(first);
        }
        if (n === PROMPTS / 4) early = heapMb();
      }
      const late = heapMb();
      await runtime.dispose();
      expect(compactions).toBeGreaterThan(200);
      expect(openFiles()).toBeLessThanOrEqual(filesBefore);
      // Flat, but for what the runtime's own collector leaves to chance.
      expect(late).toBeLessThan(early + 15);
    },
    120_000,
  );
});
