/** Makes a session ready to go live: reads the services of its directory, chooses model and tools. */
import { codingTools, type Model, type ProcessGroups, type Tool } from "../agent/mod.ts";
import type { ModelRef, Session, ThinkingLevel } from "../session/mod.ts";
import { AgentSession } from "./agent_session.ts";
import type { AgentSessionOptions } from "./agent_session_options.ts";
import type { RunOptions } from "./command_line/run_options.ts";
import {
  type Environment,
  loadServices,
  type ModelChoice,
  nearestNames,
  type Secrets,
  type Services,
} from "./config/mod.ts";
import type { ExtensionUi } from "./extensions/api.ts";
import type { ExtensionRunner } from "./extensions/runner.ts";
import { UsageError } from "./modes/exit_codes.ts";
import type { Prepared } from "./runtime.ts";
import { shellWith } from "./user_shell.ts";

export interface PreparePorts {
  env: Environment;
  home: string;
  startDirectory: string;
  secrets: Secrets;
  processes: ProcessGroups;
  /** The model of the first session, which the options chose; absent while that is prepared. */
  first?: ModelRef;
  /** The conversation that is replaced, where its own session goes on. */
  live?: AgentSession;
  outputSchema?: { name: string; schema: Record<string, unknown> };
  /** How extensions reach a person. */
  ui: ExtensionUi;
  signal?: AbortSignal;
  warn(warning: { message: string }): void;
}

/** Throws a `ConfigError` or a `UsageError` where the session cannot go live. */
export async function prepareConversation(
  session: Session,
  options: RunOptions,
  ports: PreparePorts,
): Promise<Prepared<Services>> {
  const { env, home, startDirectory, secrets, warn } = ports;
  const services = await loadServices({
    cwd: session.cwd,
    env,
    home,
    secrets,
    invocationDirectory: startDirectory,
    bare: options.bare,
    trust: options.trust,
    extensions: options.extensions,
    appendSystemPrompts: options.appendSystemPrompts,
    ...(options.systemPrompt === undefined ? {} : { systemPrompt: options.systemPrompt }),
  });
  for (const warning of services.warnings) warn(warning);
  let live: AgentSession | undefined;
  const { processes } = ports;
  const environment = () => commandEnvironment(env, session, live?.model);
  const extensions = await extensionsOf(services, environment, ports);
  const restored = ports.live ? settingsIn(ports.live) : await session.settings();
  const choice = await chooseModel(services, options, restored.model, ports);
  const model = services.models.create(choice.facts);
  const thinkingLevel = chooseThinking(session, options, choice, {
    restored: restored.thinkingLevel,
    byDefault: services.settings.defaultThinkingLevel,
    ports,
  });
  const fallbackModels = await chooseFallbacks(services, options);
  const shell = services.settings.shellPath === undefined
    ? {}
    : { shell: services.settings.shellPath };
  const builtIn = codingTools({
    cwd: session.cwd,
    processes,
    env: environment,
    ignore: async () => (await import("ignore")).default,
    ...shell,
  });
  const tools = extensions?.toolsWith(builtIn) ?? builtIn;
  const activeTools = chooseTools(tools, options);
  return {
    async start() {
      live = new AgentSession({
        ...settingsOf(services),
        session,
        model,
        thinkingLevel,
        tools,
        activeTools,
        fallbackModels,
        systemPrompt: services.systemPrompt,
        hooks: { ...extensions?.hooks, expand: async (text) => services.expand(text) },
        findModel: async (ref) => {
          const facts = await services.models.find(ref);
          return facts && services.models.create(facts);
        },
        checkModel: (model) => services.models.check(model.facts),
        scopedModels: async () =>
          (await services.models.enabled()).map((facts) => services.models.create(facts)),
        shell: shellWith(environment, { processes, ...shell }),
        ...(ports.outputSchema ? { outputSchema: ports.outputSchema } : {}),
      });
      if (!extensions) return { session: live, services };
      extensions.goLive(live);
      return {
        session: live,
        services,
        commands: extensions.commands,
        mayLeave: (intent) => extensions.mayLeave(intent),
        started: (start) => extensions.started(start),
        shutdown: () => extensions.shutdown(),
      };
    },
  };
}

/** Loads the extensions; undefined if there are none, so that they cost nothing then. */
async function extensionsOf(
  services: Services,
  env: () => Environment,
  { processes, signal, ui, warn }: PreparePorts,
): Promise<ExtensionRunner | undefined> {
  if (services.extensionPaths.length === 0) return undefined;
  const { loadExtensions } = await import("./extensions/runner.ts");
  return await loadExtensions(services.extensionPaths, {
    cwd: services.cwd,
    env,
    processes,
    ui,
    ...(signal ? { signal } : {}),
    addProvider: (name, description) => services.models.addProvider(name, description),
    warn: (message) => warn({ message }),
  });
}

/**
 * The options' model, else the session's if it can be used here, else the default one. Past the first
 * session the options say only what an empty session begins with.
 */
async function chooseModel(
  { models }: Services,
  options: RunOptions,
  restored: ModelRef | null,
  { first, warn }: PreparePorts,
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
  const facts = wanted ? await models.find(wanted) : undefined;
  const choice = facts ? { facts } : await models.choose({
    ...(first ? {} : given),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
  });
  await models.check(choice.facts);
  if (wanted && !facts) {
    const { provider, id } = choice.facts;
    warn({
      message: `The session's model ${wanted.provider}/${wanted.modelId} cannot be used here ` +
        `(not known, or no key); using ${provider}/${id}`,
    });
  }
  return choice;
}

function chooseThinking(
  session: Session,
  options: RunOptions,
  choice: ModelChoice,
  { byDefault, ports, restored }: {
    restored: ThinkingLevel;
    byDefault: ThinkingLevel | undefined;
    ports: PreparePorts;
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

/** The names of the tools that are on. Throws a `UsageError` for a name that is no tool's. */
function chooseTools(tools: readonly Tool[], options: RunOptions): string[] {
  const names = tools.map((tool) => tool.name);
  for (const name of [...options.tools ?? [], ...options.excludeTools]) {
    if (names.includes(name)) continue;
    const [near] = nearestNames(name, names);
    throw new UsageError(
      `Cannot use the tool "${name}": there is none of that name; ` +
        (near === undefined ? `the tools are ${names.join(", ")}` : `did you mean "${near}"?`),
    );
  }
  return tools
    .filter((tool) => options.tools === undefined || options.tools.includes(tool.name))
    .filter((tool) => !options.excludeTools.includes(tool.name))
    .filter((tool) => !options.readOnly || tool.readOnly === true)
    .map((tool) => tool.name);
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

/** What commands get: the process's environment, and which session and model they run for. */
function commandEnvironment(
  env: Environment,
  session: Session,
  model: Model | undefined,
): Record<string, string | undefined> {
  return {
    ...env,
    BOUGH_SESSION_ID: session.id,
    BOUGH_SESSION_FILE: session.file,
    ...(model ? { BOUGH_MODEL: `${model.facts.provider}/${model.facts.id}` } : {}),
  };
}
