/** From a model's facts to its adapter: the key, the headers and the client. */
import type { Model, ModelFacts } from "../../agent/mod.ts";
import { headerProblem } from "./auth.ts";
import { connectModel } from "./clients.ts";
import { ConfigError } from "./errors.ts";
import type { Keys } from "./keys.ts";
import type { Provider } from "./providers.ts";
import type { Secrets } from "./secrets.ts";
import type { Settings } from "./settings_defaults.ts";

export interface ConnectOptions {
  readonly facts: ModelFacts;
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly secrets: Secrets;
  readonly settings: Settings;
}

async function resolveHeaders(
  { name, headers }: Provider,
  secrets: Secrets,
): Promise<Record<string, string>> {
  const resolved: [string, string][] = [];
  for (const [header, text] of Object.entries(headers)) {
    const secret = await secrets.resolve(text);
    const problem = secret.kind === "missing" ? secret.reason : headerProblem(secret.value.trim());
    if (secret.kind === "missing" || problem !== undefined) {
      const message = `Cannot ask ${name}: its header ${header} has no value to send; ${problem}`;
      throw new ConfigError("bad_models", message);
    }
    resolved.push([header, secret.value]);
  }
  return Object.fromEntries(resolved);
}

/** Makes the adapter. Throws `ConfigError` `no_key` or `bad_models`. */
export async function connect(options: ConnectOptions): Promise<Model> {
  const { facts, provider, baseUrl, keys, secrets, settings } = options;
  const apiKey = await keys.require(provider);
  return await connectModel({
    facts,
    baseUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
    headers: await resolveHeaders(provider, secrets),
    compat: provider.compat,
    idleTimeoutMs: settings.retry.provider.timeoutMs,
  });
}
