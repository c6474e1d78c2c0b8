/** The model and the thinking level of a conversation: chosen, kept in its session, restored. */
import type { Agent, Model } from "../agent/mod.ts";
import type { ModelRef, Session, ThinkingLevel } from "../session/mod.ts";
import type { EventHub } from "./event_hub.ts";
import type { MessageKeeper } from "./message_keeper.ts";
import { clampThinkingLevel } from "./thinking.ts";

export interface ModelChoicePorts {
  session: Session;
  agent: Agent;
  keeper: MessageKeeper;
  hub: EventHub;
  scopedModels: (() => Promise<readonly Model[]>) | undefined;
  findModel: ((ref: ModelRef) => Promise<Model | undefined>) | undefined;
}

/** A choice is written first and holds from the next turn on; the level is one that the model has. */
export class ModelChoice {
  readonly #ports: ModelChoicePorts;

  constructor(ports: ModelChoicePorts) {
    this.#ports = ports;
  }

  async setModel(model: Model): Promise<void> {
    const { agent, hub, keeper, session } = this.#ports;
    const { provider, id } = model.facts;
    await keeper.tellEntry(await session.appendModelChange(provider, id));
    agent.model = model;
    await hub.emit({ type: "model_changed", provider, modelId: id });
    const level = clampThinkingLevel(agent.thinkingLevel, model.facts);
    if (level !== agent.thinkingLevel) await this.setThinkingLevel(level);
  }

  /** Turns to the next of the scoped models, or to the one before; undefined if there is no other. */
  async cycleModel(step: 1 | -1): Promise<Model | undefined> {
    const { agent, scopedModels } = this.#ports;
    const models = await scopedModels?.() ?? [];
    const at = models.findIndex((model) => isSameModel(model, agent.model));
    // One that is not among them stands before the first, and after the last.
    const next = at < 0 ? models.at(step > 0 ? 0 : -1) : models.at((at + step) % models.length);
    if (!next || isSameModel(next, agent.model)) return undefined;
    await this.setModel(next);
    return next;
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<ThinkingLevel> {
    const { agent, hub, keeper, session } = this.#ports;
    const possible = clampThinkingLevel(level, agent.model.facts);
    if (possible === agent.thinkingLevel) return possible;
    await keeper.tellEntry(await session.appendThinkingLevelChange(possible));
    agent.thinkingLevel = possible;
    await hub.emit({ type: "thinking_level_changed", level: possible });
    return possible;
  }

  /** Writes what the session would not restore by itself. */
  async record(): Promise<void> {
    const { agent, keeper, session } = this.#ports;
    const kept = await session.settings();
    const { provider, id } = agent.model.facts;
    if (kept.model?.provider !== provider || kept.model.modelId !== id) {
      await keeper.tellEntry(await session.appendModelChange(provider, id));
    }
    if (kept.thinkingLevel !== agent.thinkingLevel) {
      await keeper.tellEntry(await session.appendThinkingLevelChange(agent.thinkingLevel));
    }
  }

  /** After a move: takes over the model and the level of the branch that is now the active one. */
  async restore(): Promise<void> {
    const { agent, findModel, hub, session } = this.#ports;
    const kept = await session.settings();
    const model = kept.model ? await findModel?.(kept.model) : undefined;
    if (model && !isSameModel(model, agent.model)) {
      agent.model = model;
      const { provider, id } = model.facts;
      await hub.emit({ type: "model_changed", provider, modelId: id });
    }
    const level = clampThinkingLevel(kept.thinkingLevel, agent.model.facts);
    if (level === agent.thinkingLevel) return;
    agent.thinkingLevel = level;
    await hub.emit({ type: "thinking_level_changed", level });
  }
}

function isSameModel(a: Model, b: Model): boolean {
  return a.facts.provider === b.facts.provider && a.facts.id === b.facts.id;
}
