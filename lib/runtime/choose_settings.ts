/** Which model a session begins or goes on with, and what else its settings say. */
import type { Model, ModelFacts } from "../agent/mod.ts";
import type { ModelRef, Session, ThinkingLevel } from "../session/mod.ts";
import type { AgentSession } from "./agent_session.ts";
import type { AgentSessionOptions } from "./agent_session_options.ts";
import type { RunOptions } from "./command_line/run_options.ts";
import { ConfigError, type ModelChoice, type ModelRegistry, type Services } from "./config/mod.ts";

/** What the choice depends on, besides the options, the session and its directory. */
export interface ChoicePorts {
  /** The model of the first session, which the options chose; absent while that is prepared. */
  first?: ModelRef;
  /** The conversation that is replaced, where its own session goes on. */
  live?: AgentSession;
  warn(warning: { message: string }): void;
}

/** The model, those that stand in for it, and what else the settings say. */
export async function chooseSettings(
  session: Session,
  options: RunOptions,
  { services, ports }: { services: Services; ports: ChoicePorts },
) {
  const restored = ports.live ? settingsIn(ports.live) : await session.settings();
  const choice = await chooseModel(services, options, restored.model, ports);
  return {
    ...settingsOf(services),
    model: services.models.create(choice.facts),
    thinkingLevel: chooseThinking(session, options, choice, {
      restored: restored.thinkingLevel,
      byDefault: services.settings.defaultThinkingLevel,
      ports,
    }),
    fallbackModels: await chooseFallbacks(services, options),
  };
}

/**
 * The options' model, else the session's if it can be used here, else the default one. Past the first
 * session the options say only what an empty session begins with.
 */
async function chooseModel(
  { models }: Services,
  options: RunOptions,
  restored: ModelRef | null,
  { first, warn }: ChoicePorts,
): Promise<ModelChoice> {
  const given = {
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
  };
  const isNamed = options.model !== undefined || options.provider !== undefined;
  const wanted = isNamed && first ? restored ?? first : isNamed ? null : restored;
  // The key and the address are one provider's: no other gets to see them.
  const owner = first ?? wanted;
  if (owner) models.give(owner.provider, given);
  const found = wanted ? await findUsable(models, wanted) : undefined;
  if (found?.facts) return { facts: found.facts };
  const choice = await models.choose({
    ...(owner ? {} : given),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
  });
  await models.check(choice.facts);
  if (wanted && found) {
    const { provider, id } = choice.facts;
    warn({
      message: `The session's model ${wanted.provider}/${wanted.modelId} cannot be used here ` +
        `(${found.problem}); using ${provider}/${id}`,
    });
  }
  return choice;
}

/** The model that a session was using, or why it cannot be asked here. */
async function findUsable(
  models: ModelRegistry,
  wanted: ModelRef,
): Promise<{ facts: ModelFacts } | { facts?: undefined; problem: string }> {
  const facts = await models.find(wanted);
  if (!facts) return { problem: "not known, or no key" };
  try {
    await models.check(facts);
    return { facts };
  } catch (error) {
    // Its key command may fail, the recording that it replays be gone: the session is there still.
    const isMissing = error instanceof ConfigError &&
      (error.code === "no_key" || error.code === "bad_replay");
    if (!isMissing) throw error;
    return { problem: error.message };
  }
}

function chooseThinking(
  session: Session,
  options: RunOptions,
  choice: ModelChoice,
  { byDefault, ports, restored }: {
    restored: ThinkingLevel;
    byDefault: ThinkingLevel | undefined;
    ports: ChoicePorts;
  },
): ThinkingLevel {
  const asked = options.thinking ?? choice.thinkingLevel;
  const isEmpty = session.leafId === null && !ports.live;
  if (asked !== undefined && (!ports.first || isEmpty)) return asked;
  return isEmpty ? byDefault ?? "off" : restored;
}

/** What a conversation goes by now, also where its session does not say so yet. */
function settingsIn({ model, thinkingLevel }: AgentSession) {
  const { provider, id } = model.facts;
  return { model: { provider, modelId: id }, thinkingLevel };
}

async function chooseFallbacks(services: Services, options: RunOptions): Promise<Model[]> {
  const { fallbackModels } = services.settings.retry;
  const names = options.fallbackModels.length > 0 ? options.fallbackModels : fallbackModels;
  const chosen: Model[] = [];
  for (const model of names) {
    const { facts } = await services.models.choose({ model });
    await services.models.check(facts);
    chosen.push(services.models.create(facts));
  }
  return chosen;
}

function settingsOf({ settings }: Services): Partial<AgentSessionOptions> {
  const { cacheWarming, retry, compaction, steeringMode, followUpMode } = settings;
  return {
    steeringMode,
    followUpMode,
    compaction,
    cacheWarming,
    retry: {
      enabled: retry.enabled,
      maxRetries: retry.maxRetries,
      baseDelayMs: retry.baseDelayMs,
      maxDelayMs: retry.maxDelayMs,
      maxRetryDelayMs: retry.provider.maxRetryDelayMs,
    },
  };
}
