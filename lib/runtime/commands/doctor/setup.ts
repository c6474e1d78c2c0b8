/** What is configured: settings, the project, the model and its key. */
import type { ModelFacts } from "../../../agent/mod.ts";
import { reasonOf, type ThinkingLevel } from "../../../session/mod.ts";
import type { RunOptions } from "../../command_line/run_options.ts";
import { ConfigError, loadServices, type Services } from "../../config/mod.ts";
import { askOnce } from "../ask_once.ts";
import { describeKey } from "../auth.ts";
import type { VerbPorts } from "../ports.ts";
import { type Check, type CheckName, failed, ok, warning } from "./check.ts";

export interface Setup {
  readonly options: RunOptions;
  readonly ports: VerbPorts;
  readonly home: string;
  /** Where a run would work. */
  readonly cwd: string;
  /** Where the paths on the command line start. */
  readonly startDirectory: string;
  /** Whether to ask the provider. */
  readonly online: boolean;
}

/** Reads the services as a run would. Without them there is nothing more to say of the model. */
export async function checkSetup(
  setup: Setup,
): Promise<{ checks: Check[]; services: Services | undefined }> {
  const { options, ports, home, cwd, startDirectory } = setup;
  try {
    const services = await loadServices({
      cwd,
      home,
      env: ports.env,
      bare: options.bare,
      trust: options.trust,
      extensions: options.extensions,
      invocationDirectory: startDirectory,
    });
    const checks = [
      ...checkSettings(services),
      checkProject(services),
      ...await checkModel(services, setup),
      ...await checkFallbacks(services, setup),
    ];
    return { checks, services };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { checks: [failed("settings", error.message)], services: undefined };
  }
}

/** Whether a warning of the services is that the project is not trusted. */
function isAboutTrust(services: Services, file: string | undefined): boolean {
  return file !== undefined && file === services.projectDirectory;
}

function checkSettings(services: Services): Check[] {
  const doubts = services.warnings.filter(({ file }) => !isAboutTrust(services, file));
  return doubts.length === 0
    ? [ok("settings", `the settings and models in ${services.home} are sound`)]
    : doubts.map(({ message }) => warning("settings", message));
}

function checkProject(services: Services): Check {
  const { trusted, projectDirectory, warnings } = services;
  const skipped = warnings.find(({ file }) => isAboutTrust(services, file));
  if (skipped) return warning("project", skipped.message);
  switch (trusted) {
    case true:
      return ok("project", `${projectDirectory} is trusted`);
    case false:
      return ok("project", `${projectDirectory} is not trusted: what it brings along is not used`);
    case undefined:
      return ok("project", "it brings nothing along that would need trust");
  }
}

async function checkModel({ models }: Services, setup: Setup): Promise<Check[]> {
  const { model, provider, apiKey, baseUrl, thinking } = setup.options;
  let facts: ModelFacts;
  let level: ThinkingLevel | undefined;
  try {
    ({ facts, thinkingLevel: level } = await models.choose({
      ...(model === undefined ? {} : { model }),
      ...(provider === undefined ? {} : { provider }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    }));
  } catch (error) {
    return [failedConfig("model", error)];
  }
  const chosen = describeModel(facts, thinking ?? level ?? "off");
  try {
    await models.check(facts);
  } catch (error) {
    return [chosen, failedConfig("key", error)];
  }
  if (facts.provider === "replay") return [chosen, ok("key", "a replay needs none")];
  const key = ok("key", describeKey(models.keyStatus(facts.provider)));
  return [chosen, key, ...setup.online ? [await checkOnline(models, facts, setup)] : []];
}

function describeModel({ provider, id, reasoning }: ModelFacts, level: ThinkingLevel): Check {
  if (level === "off") return ok("model", `${provider}/${id}`);
  return reasoning
    ? ok("model", `${provider}/${id}, thinking ${level}`)
    : warning("model", `${provider}/${id} cannot think: the level ${level} is passed over`);
}

async function checkOnline(
  models: Services["models"],
  facts: ModelFacts,
  { ports }: Setup,
): Promise<Check> {
  const asked = await askOnce(models.create(facts), ports);
  return asked.kind === "answered"
    ? ok("online", `${facts.provider} answered in ${(asked.durationMs / 1000).toFixed(1)} s`)
    : failed("online", asked.error.message);
}

async function checkFallbacks({ models, settings }: Services, setup: Setup): Promise<Check[]> {
  const { fallbackModels } = setup.options;
  const names = fallbackModels.length > 0 ? fallbackModels : settings.retry.fallbackModels;
  const checks: Check[] = [];
  for (const model of names) {
    try {
      const { facts } = await models.choose({ model });
      await models.check(facts);
      checks.push(ok("fallback", `${facts.provider}/${facts.id} can be asked`));
    } catch (error) {
      checks.push(failedConfig("fallback", error));
    }
  }
  return checks;
}

function failedConfig(name: CheckName, error: unknown): Check {
  if (!(error instanceof ConfigError)) throw error;
  return failed(name, reasonOf(error));
}
