/** Makes a session ready to go live: reads the services of its directory and joins them. */
import { codingTools, type Model, type ProcessGroups, type Tool } from "../agent/mod.ts";
import type { ModelRef, Session } from "../session/mod.ts";
import { AgentSession } from "./agent_session.ts";
import { type ChoicePorts, chooseSettings } from "./choose_settings.ts";
import type { RunOptions } from "./command_line/run_options.ts";
import {
  type Environment,
  loadServices,
  nearestNames,
  type Secrets,
  type Services,
} from "./config/mod.ts";
import type { ExtensionUi } from "./extensions/api.ts";
import type { ExtensionRunner } from "./extensions/runner.ts";
import { UsageError } from "./modes/exit_codes.ts";
import type { Prepared } from "./runtime.ts";
import { shellWith } from "./user_shell.ts";

export interface PreparePorts extends ChoicePorts {
  env: Environment;
  home: string;
  startDirectory: string;
  secrets: Secrets;
  processes: ProcessGroups;
  outputSchema?: { name: string; schema: Record<string, unknown> };
  /** How extensions reach a person. */
  ui: ExtensionUi;
  signal?: AbortSignal;
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
  const environment = () => commandEnvironment(env, session, live?.model);
  const extensions = await extensionsOf(services, environment, ports);
  try {
    const settings = await chooseSettings(session, options, { services, ports });
    const made = joinWith(extensions, { session, services, environment, ports });
    const activeTools = chooseTools(made.tools, options);
    return {
      async start() {
        live = new AgentSession({
          ...settings,
          ...made,
          activeTools,
          ...(ports.outputSchema ? { outputSchema: ports.outputSchema } : {}),
        });
        if (ports.live) await takeQueue(ports.live, live);
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
  } catch (error) {
    await extensions?.discard();
    throw error;
  }
}

/** What waits to be heard goes on with its session. */
async function takeQueue(from: AgentSession, to: AgentSession): Promise<void> {
  for (const deliver of ["steer", "followUp"] as const) {
    const queue = deliver === "steer" ? from.agent.steering : from.agent.followUps;
    for (const message of queue.waiting) await to.addMessage(message, { deliver });
  }
}

/** What a conversation has of its directory: the tools, the shell, the models there are. */
function joinWith(
  extensions: ExtensionRunner | undefined,
  { environment, ports: { processes }, services, session }: {
    environment: () => Environment;
    ports: PreparePorts;
    services: Services;
    session: Session;
  },
) {
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
  const { models } = services;
  return {
    session,
    tools: extensions?.toolsWith(builtIn) ?? builtIn,
    systemPrompt: services.systemPrompt,
    hooks: { ...extensions?.hooks, expand: async (text: string) => services.expand(text) },
    findModel: async (ref: ModelRef) => {
      const facts = await models.find(ref);
      return facts && models.create(facts);
    },
    checkModel: (model: Model) => models.check(model.facts),
    scopedModels: async () => (await models.enabled()).map((facts) => models.create(facts)),
    shell: shellWith(environment, { processes, ...shell }),
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
