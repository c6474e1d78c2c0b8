/** What a directory and its user set up: settings, models, keys, prompts, trust. Reached from cli.ts. */
export { listProviders, removeKey, setKey } from "./auth.ts";
export { type ContextFile } from "./context_files.ts";
export { ConfigError, type ConfigErrorCode, type ConfigWarning } from "./errors.ts";
export { boughHome, type Environment, expandTilde, userHome } from "./home.ts";
export { type KeySource, type KeyStatus } from "./keys.ts";
export { type ModelChoice, type ModelRegistry, type ModelWish } from "./models.ts";
export { nearestNames } from "./nearest.ts";
export { type PromptTemplate } from "./prompt_templates.ts";
export { Secrets } from "./secrets.ts";
export { loadServices, type Services, type ServicesOptions } from "./services.ts";
export { loadSettings, type LoadSettingsOptions, updateSettings } from "./settings.ts";
export {
  type CompactionOverride,
  type CompactionSettings,
  defaultSettings,
  type RetrySettings,
  type Settings,
  type SettingsPatch,
} from "./settings_defaults.ts";
export { type Skill } from "./skills.ts";
export { setTrust, type TrustDecision, trustDecision } from "./trust.ts";
