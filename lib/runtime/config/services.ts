/**
 * The services of a directory: everything that a conversation there is set up with. A runtime makes
 * them anew for each directory, so nothing of one project reaches another.
 */
import * as path from "node:path";
import { type Clock, type FileSystem, nodeFileSystem, systemClock } from "../../session/mod.ts";
import { readKeys } from "./auth.ts";
import { type ContextFile, loadContextFiles } from "./context_files.ts";
import { ConfigError, type ConfigWarning } from "./errors.ts";
import { findExtensions } from "./extension_paths.ts";
import { boughHome, type Environment } from "./home.ts";
import { Keys } from "./keys.ts";
import { ModelRegistry } from "./models.ts";
import { projectDirectory, type ProjectPlaces, projectPlaces } from "./project.ts";
import { promptText } from "./prompt_text.ts";
import { expandTemplate, loadPromptTemplates, type PromptTemplate } from "./prompt_templates.ts";
import { loadProviders } from "./providers.ts";
import { Secrets } from "./secrets.ts";
import { loadSettings } from "./settings.ts";
import type { Settings, SettingsPatch } from "./settings_defaults.ts";
import { expandSkill, loadSkills, type Skill } from "./skills.ts";
import { buildSystemPrompt } from "./system_prompt.ts";
import { listDirectory, lookAt } from "./text_file.ts";
import { trustDecision } from "./trust.ts";

export interface ServicesOptions {
  /** The session's directory. */
  readonly cwd: string;
  readonly env: Environment;
  /** Bough's own directory; `boughHome(env, cwd)` if absent. */
  readonly home?: string;
  /** Without settings files, context files, skills, templates and found extensions. */
  readonly bare?: boolean;
  /** What the project brings along may be used in this run, whatever was decided. */
  readonly trust?: boolean;
  /** Go before all settings files. */
  readonly settings?: SettingsPatch;
  /** A text, or the path of a file. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompts?: readonly string[];
  /** Files of extensions to load, also when `bare`. */
  readonly extensions?: readonly string[];
  /** Where the paths in these options start; `cwd` if absent. */
  readonly invocationDirectory?: string;
  /** Kept over several directories, so that each key command runs once a process. */
  readonly secrets?: Secrets;
  readonly fs?: FileSystem;
  readonly clock?: Clock;
}

/** What a directory gives to the conversations in it. */
export interface Services {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  /** What the trust decision is about. Undefined in the user's own home. */
  readonly projectDirectory: string | undefined;
  /** Whether what the project brings along is used; undefined: nobody decided, so it is not. */
  readonly trusted: boolean | undefined;
  readonly settings: Settings;
  readonly models: ModelRegistry;
  readonly contextFiles: readonly ContextFile[];
  readonly skills: readonly Skill[];
  readonly templates: readonly PromptTemplate[];
  /** Absolute, in the order in which they are to be loaded. */
  readonly extensionPaths: readonly string[];
  /** One line each, to be shown once. */
  readonly warnings: readonly ConfigWarning[];
  /** The system prompt for a run with these tools. */
  systemPrompt(toolNames: readonly string[]): string;
  /** Expands `/skill:name …` and `/template …`; any other text stays. Throws `ConfigError`. */
  expand(text: string): string;
}

/** The project's part, if it may be used. */
interface Project {
  readonly directory: string | undefined;
  readonly trusted: boolean | undefined;
  readonly places: ProjectPlaces | undefined;
}

/** The names of what a project brings along. */
function broughtAlong(places: ProjectPlaces, fs: FileSystem): string[] {
  // A folder that cannot be read is told of when it is to be used.
  const holds = (folder: string) => listDirectory(folder, fs, []).length > 0;
  return [
    ...(lookAt(places.settings, fs) ? ["settings"] : []),
    ...(holds(places.extensions) ? ["extensions"] : []),
    ...(places.skills.some(holds) ? ["skills"] : []),
    ...(holds(places.prompts) ? ["prompt templates"] : []),
  ];
}

function skippedWarning(directory: string, names: readonly string[]): ConfigWarning {
  const list = names.length === 1
    ? names.join("")
    : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
  const message = `The ${list} of ${directory} are skipped: the project is not trusted. Use them ` +
    "once with --trust, or always with /trust; --bare skips them without this warning";
  return { message, file: directory };
}

function findProject(
  { cwd, bare, trust }: ServicesOptions,
  { home, fs, warnings }: { home: string; fs: FileSystem; warnings: ConfigWarning[] },
): Project {
  const directory = projectDirectory({ cwd, home, fs });
  const unused = { directory, trusted: undefined, places: undefined };
  if (directory === undefined || bare) return unused;
  const places = projectPlaces(directory);
  if (trust) return { directory, trusted: true, places };
  const names = broughtAlong(places, fs);
  if (names.length === 0) return unused;
  const trusted = trustDecision({ home, directory, fs })?.trusted;
  if (trusted) return { directory, trusted, places };
  if (trusted === undefined) warnings.push(skippedWarning(directory, names));
  return { directory, trusted, places: undefined };
}

/** Resources of the project come before the user's: of two with one name, the first is taken. */
function loadResources(
  { cwd, bare, extensions = [], invocationDirectory = cwd }: ServicesOptions,
  { home, fs, places, settings }: {
    home: string;
    fs: FileSystem;
    places: ProjectPlaces | undefined;
    settings: Settings;
  },
) {
  const requested = extensions.map((file) => path.resolve(invocationDirectory, file));
  if (bare) {
    const found = findExtensions({ folders: [], configured: [], requested, fs });
    return { contextFiles: [], skills: [], templates: [], ...found };
  }
  const context = loadContextFiles({ home, cwd, fs });
  const skills = loadSkills({
    folders: [...(places?.skills ?? []), ...settings.skills, path.join(home, "skills")],
    fs,
  });
  const templates = loadPromptTemplates({
    places: [...(places ? [places.prompts] : []), ...settings.prompts, path.join(home, "prompts")],
    fs,
  });
  const found = findExtensions({
    folders: [path.join(home, "extensions"), ...(places ? [places.extensions] : [])],
    configured: settings.extensions,
    requested,
    fs,
  });
  return {
    contextFiles: context.contextFiles,
    skills: skills.skills,
    templates: templates.templates,
    extensionPaths: found.extensionPaths,
    warnings: [context, skills, templates, found].flatMap(({ warnings }) => warnings),
  };
}

/** A key may not be needed in this run, so a wrong file stops only what asks it for one. */
function checkKeys(home: string, fs: FileSystem): ConfigWarning[] {
  try {
    readKeys({ home, fs });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ message: error.message, ...(error.file === undefined ? {} : { file: error.file }) }];
  }
}

async function loadModels(
  { cwd, env, secrets = new Secrets(env) }: ServicesOptions,
  { home, fs, settings }: { home: string; fs: FileSystem; settings: Settings },
): Promise<{ models: ModelRegistry; warnings: ConfigWarning[] }> {
  const { providers, warnings } = await loadProviders({ home, fs });
  const keys = new Keys({ home, secrets, fs });
  const models = new ModelRegistry({
    providers,
    keys,
    settings,
    variable: (name) => secrets.variable(name),
    async connect(facts, provider, baseUrl) {
      const { connect } = await import("./connect.ts");
      return await connect({ facts, provider, baseUrl, keys, secrets, settings });
    },
    async connectReplay(facts) {
      const { connectReplay } = await import("./replay.ts");
      return await connectReplay(facts, { file: facts.id, directory: cwd });
    },
  });
  return { models, warnings: [...warnings, ...checkKeys(home, fs)] };
}

/**
 * The day, as `YYYY-MM-DD`, in UTC: the local one would need the time zones, whose loading is a
 * tenth of a short run.
 */
function today(clock: Clock): string {
  return new Date(clock.now()).toISOString().slice(0, 10);
}

/**
 * Loads the services of a directory. What is doubtful becomes a warning; a settings or models file
 * that is wrong, and an option that cannot be followed, a `ConfigError`.
 */
export async function loadServices(options: ServicesOptions): Promise<Services> {
  const { cwd, env, fs = nodeFileSystem, invocationDirectory = cwd, clock = systemClock } = options;
  const home = options.home ?? boughHome(env, invocationDirectory);
  const warnings: ConfigWarning[] = [];
  const project = findProject(options, { home, fs, warnings });
  const userFile = path.join(home, "settings.json");
  const { settings, warnings: settingsWarnings } = await loadSettings({
    files: options.bare ? [] : [userFile, ...(project.places ? [project.places.settings] : [])],
    env,
    options: options.settings ?? {},
    fs,
  });
  const models = await loadModels(options, { home, fs, settings });
  const resources = loadResources(options, { home, fs, places: project.places, settings });
  warnings.push(...settingsWarnings, ...models.warnings, ...resources.warnings);
  const text = (value: string, option: string) =>
    promptText(value, { option, directory: invocationDirectory, fs });
  const { systemPrompt, appendSystemPrompts = [] } = options;
  const promptParts = {
    cwd,
    date: today(clock),
    contextFiles: resources.contextFiles,
    skills: resources.skills,
    ...(systemPrompt === undefined ? {} : { replacement: text(systemPrompt, "--system-prompt") }),
    additions: appendSystemPrompts.map((value) => text(value, "--append-system-prompt")),
  };
  return {
    ...resources,
    cwd,
    home,
    env,
    projectDirectory: project.directory,
    trusted: project.trusted,
    settings,
    models: models.models,
    warnings,
    systemPrompt: (tools) => buildSystemPrompt({ ...promptParts, tools }),
    expand: (input) => expand(input, resources, fs),
  };
}

function expand(
  input: string,
  { skills, templates }: { skills: readonly Skill[]; templates: readonly PromptTemplate[] },
  fs: FileSystem,
): string {
  const skill = expandSkill(input, skills, { fs });
  const expansion = skill.kind === "none" ? expandTemplate(input, templates) : skill;
  switch (expansion.kind) {
    case "none":
      return input;
    case "expanded":
      return expansion.text;
    case "failed":
      throw new ConfigError("bad_prompt", expansion.reason);
  }
}
