/** The model and the thinking level of a conversation, kept in its session and restored from it. */
import type { Agent, Model } from "../agent/mod.ts";
import type { ModelRef, Session } from "../session/mod.ts";
import type { EventHub } from "./event_hub.ts";
import type { MessageKeeper } from "./message_keeper.ts";
import { clampThinkingLevel } from "./thinking.ts";

/** Writes what the session would not restore by itself. */
export async function recordSettings(
  session: Session,
  agent: Agent,
  keeper: MessageKeeper,
): Promise<void> {
  const context = await session.buildContext();
  const { provider, id } = agent.model.facts;
  if (context.model?.provider !== provider || context.model.modelId !== id) {
    await keeper.tellEntry(await session.appendModelChange(provider, id));
  }
  if (context.thinkingLevel !== agent.thinkingLevel) {
    await keeper.tellEntry(await session.appendThinkingLevelChange(agent.thinkingLevel));
  }
}

/** After a move: takes over the model and the level of the branch that is now the active one. */
export async function restoreSettings(
  session: Session,
  agent: Agent,
  hub: EventHub,
  findModel: ((ref: ModelRef) => Promise<Model | undefined>) | undefined,
): Promise<void> {
  const context = await session.buildContext();
  const model = context.model ? await findModel?.(context.model) : undefined;
  if (model && !isSameModel(model, agent.model)) {
    agent.model = model;
    await hub.emit({
      type: "model_changed",
      provider: model.facts.provider,
      modelId: model.facts.id,
    });
  }
  const level = clampThinkingLevel(context.thinkingLevel, agent.model.facts);
  if (level === agent.thinkingLevel) return;
  agent.thinkingLevel = level;
  await hub.emit({ type: "thinking_level_changed", level });
}

export function isSameModel(a: Model, b: Model): boolean {
  return a.facts.provider === b.facts.provider && a.facts.id === b.facts.id;
}
