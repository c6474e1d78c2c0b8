/** Random conversations in a session, from a seed. */
import type { Session } from "../../lib/session/mod.ts";
import { assistant, toolResult, user } from "./conversation.ts";
import type { Random } from "./random.ts";

/** How long the texts of a history are, in characters; each begins with a mark of its own. */
export interface HistoryOptions {
  charactersMax: number;
}

/**
 * Grows a session at random: turns with calls and results (in any number, some call ids used again,
 * some turns broken off), shell commands, custom messages, edits, labels, settings, branches.
 */
export class History {
  readonly session: Session;
  readonly #random: Random;
  readonly #charactersMax: number;
  #marks = 0;

  constructor(session: Session, random: Random, options: HistoryOptions) {
    this.session = session;
    this.#random = random;
    this.#charactersMax = options.charactersMax;
  }

  /** A text that no other text of the history contains. */
  text(charactersMax = this.#charactersMax): string {
    const mark = `#${++this.#marks}#`;
    // Mostly short, sometimes as long as may be.
    const share = this.#random.next() ** 3;
    return mark.padEnd(Math.floor(charactersMax * share), "x");
  }

  /** Adds something. */
  async grow(): Promise<void> {
    const random = this.#random;
    const dice = random.next();
    if (dice < 0.6) return await this.#turn();
    if (dice < 0.68) return await this.#bash();
    if (dice < 0.76) {
      const content = this.text();
      await this.session.appendCustomMessage({ customType: "note", content, display: true });
      return;
    }
    if (dice < 0.84) return await this.#edit();
    if (dice < 0.88) {
      await this.session.appendModelChange("test", "other");
      return;
    }
    if (dice < 0.92) {
      if (this.session.leafId) await this.session.appendLabel(this.session.leafId, "here");
      return;
    }
    await this.#branch();
  }

  async #turn(): Promise<void> {
    const random = this.#random;
    await this.session.appendMessage(user(this.text()));
    const rounds = random.int(0, 6);
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: random.int(1, 3) }, (_, index) => {
        const id = random.chance(0.3) ? `call_${index}` : `call_${this.text(0)}`;
        const call: [string, string, Record<string, unknown>] = [
          id,
          random.pick(["read", "edit", "bash"]),
          { path: `${this.text(0)}.ts` },
        ];
        return call;
      });
      const said = random.chance(0.5) ? this.text() : "";
      const tokens = random.chance(0.5) ? random.int(1, 3_000) : 0;
      await this.session.appendMessage(assistant(said, { calls, tokens }));
      for (const [id, name] of calls) {
        // Other writers let things stand between a call and its result.
        if (random.chance(0.1)) await this.#bash();
        await this.session.appendMessage(toolResult(id, name, this.text()));
      }
      if (random.chance(0.05)) return;
    }
    const stopReason = random.chance(0.1) ? random.pick(["error", "aborted"] as const) : "stop";
    await this.session.appendMessage(assistant(this.text(), { stopReason }));
  }

  async #bash(): Promise<void> {
    await this.session.appendMessage({
      role: "bashExecution",
      command: "ls",
      output: this.text(),
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 1,
      ...(this.#random.chance(0.3) ? { excludeFromContext: true } : {}),
    });
  }

  /** Edits a message, or drops one; whole exchanges are dropped more rarely than they would be. */
  async #edit(): Promise<void> {
    const items = await this.session.contextItems();
    const messages = items.filter(({ entry }) => entry.type === "message");
    if (messages.length === 0) return;
    const { entry } = this.#random.pick(messages);
    const replacement = this.#random.chance(0.5) ? null : { content: this.text() };
    await this.session.appendContextEdit(entry.id, replacement);
  }

  async #branch(): Promise<void> {
    const branch = await this.session.getBranch();
    if (branch.length === 0) return;
    const { id } = this.#random.pick(branch);
    const summary = { summary: this.text() };
    await this.session.moveTo(id, this.#random.chance(0.5) ? { summary } : {});
  }
}
