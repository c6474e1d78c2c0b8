/**
 * The composition root: options → session → services → AgentSession. The options choose the session,
 * the session gives the directory, the directory gives settings, resources, models and tools; never
 * the other way round.
 */
import { ProcessGroups } from "../agent/mod.ts";
import {
  ForkedSession,
  JsonlSessionRepo,
  MemorySessionRepo,
  type ModelRef,
  nodeFileSystem,
  type Session,
  SessionError,
  type SessionRepo,
  waitForLock,
} from "../session/mod.ts";
import type { RunOptions } from "./command_line/run_options.ts";
import { boughHome, type Environment, Secrets } from "./config/mod.ts";
import { sessionPlace, workingDirectory } from "./config/session_place.ts";
import type { ExtensionUi } from "./extensions/api.ts";
import { damageLines } from "./modes/damage_text.ts";
import { discardCopy } from "./discard.ts";
import { heeding } from "./heeding.ts";
import { prepareConversation } from "./prepare.ts";
import { AgentSessionRuntime, type RuntimePorts } from "./runtime.ts";
import type { Services } from "./config/mod.ts";

/** Something to be told once, beside the run. */
export interface Warning {
  readonly message: string;
}

export interface OpenOptions {
  readonly signal: AbortSignal;
  readonly outputSchema?: { name: string; schema: Record<string, unknown> };
  /** Told at once, while opening takes its time (waiting for a busy session). */
  readonly onWait?: (message: string) => void;
  /** How extensions reach a person; without it, what they tell becomes a warning. */
  readonly ui?: ExtensionUi;
  /** This process's own if absent. */
  readonly env?: Environment;
  /** Where the process was started; its current directory if absent. */
  readonly startDirectory?: string;
}

/** A live session with all that belongs to it. */
export interface Opened {
  readonly runtime: AgentSessionRuntime<Services>;
  readonly repo: SessionRepo;
  /** The commands that tools are running. */
  readonly processes: ProcessGroups;
  readonly warnings: readonly Warning[];
}

/**
 * Opens or makes the session that the options name and makes it live. Throws a `SessionError`, a
 * `ConfigError` or a `UsageError`; then nothing was written.
 */
export async function openRuntime(options: RunOptions, more: OpenOptions): Promise<Opened> {
  const env = more.env ?? process.env;
  const startDirectory = more.startDirectory ?? process.cwd();
  const home = boughHome(env, startDirectory);
  const warnings: Warning[] = [];
  const repo = await openRepo(options, { env, home, startDirectory });
  const chosen = await chooseSession(options, { repo, startDirectory, warnings, ...more });
  const processes = new ProcessGroups();
  const secrets = new Secrets(env, { processes });
  let first: ModelRef | undefined;
  let runtime: AgentSessionRuntime<Services> | undefined;
  try {
    const ports: RuntimePorts<Services> = {
      repo,
      prepare: async (session, live) => {
        assertDirectory(session.cwd, session);
        return await prepareConversation(session, options, {
          env,
          home,
          startDirectory,
          secrets,
          processes,
          ...(first ? { first } : {}),
          ...(live ? { live } : {}),
          signal: more.signal,
          ui: more.ui ?? { notify: (message) => warnings.push({ message }) },
          ...(more.outputSchema ? { outputSchema: more.outputSchema } : {}),
          warn: (warning) => warnings.push(warning),
        });
      },
    };
    // A key command may take its time, and nobody else knows of it yet.
    const stop = () => void processes.stopAll();
    runtime = await heeding(more.signal, stop, () => AgentSessionRuntime.create(chosen, ports));
    const { provider, id } = runtime.session.model.facts;
    first = { provider, modelId: id };
    if (options.name !== undefined) await runtime.session.setSessionName(options.name);
    return { runtime, repo, processes, warnings };
  } catch (error) {
    await runtime?.dispose();
    if (chosen instanceof ForkedSession) await discardCopy(chosen, repo);
    else await chosen.close();
    throw error;
  }
}

/** Where sessions are: the option, else the user's setting, else `<home>/sessions`. */
export async function openRepo(
  options: Pick<RunOptions, "sessionDir" | "bare" | "session">,
  places: { env: Environment; home: string; startDirectory: string },
): Promise<SessionRepo> {
  if (options.session.kind === "none") return new MemorySessionRepo();
  const { sessionDir, bare } = options;
  const place = await sessionPlace({
    ...places,
    bare,
    ...sessionDir === undefined ? {} : { sessionDir },
  });
  return new JsonlSessionRepo(place);
}

interface Choosing extends OpenOptions {
  repo: SessionRepo;
  startDirectory: string;
  warnings: Warning[];
}

/** Opens the session that the options name, for writing; its directory is checked to be there. */
async function chooseSession(options: RunOptions, choosing: Choosing): Promise<Session> {
  const { repo, startDirectory } = choosing;
  const here = workingDirectory(startDirectory, options.cwd);
  const choice = options.session;
  const find = (text: string) => repo.find(text, { cwd: here, pathsFrom: startDirectory });
  switch (choice.kind) {
    case "new":
    case "none":
    case "resume":
      return await create(repo, here);
    case "continue": {
      const file = await repo.findRecent(here);
      if (file !== undefined) return await open(file, options, choosing);
      if (!options.strict) return await create(repo, here);
      throw new SessionError(
        "not_found",
        `Cannot continue: there is no session of ${here}. Leave out --strict to begin one.`,
      );
    }
    case "open":
      return await open(await find(choice.session), options, choosing);
    case "key":
      return await openKey(choice.id, here, options, choosing);
    case "fork": {
      const file = await find(choice.session);
      assertDirectory(here);
      return await fork(file, { ...choice, cwd: here }, choosing);
    }
  }
}

/** A fork of a file; what is damaged in the part that it takes over is told. */
async function fork(
  file: string,
  { at, cwd }: { at?: string; cwd: string },
  { repo, warnings }: Choosing,
): Promise<Session> {
  const source = await repo.open(file, { access: "read" });
  try {
    const entryId = at === undefined
      ? {}
      : { entryId: await (await import("./commands/entry_ref.ts")).resolveEntry(source, at) };
    const session = await repo.fork(source, { cwd, ...entryId });
    warnings.push(...damageLines(source.damage, file).map((message) => ({ message })));
    return session;
  } finally {
    await source.close();
  }
}

async function create(repo: SessionRepo, cwd: string): Promise<Session> {
  assertDirectory(cwd);
  return await repo.create({ cwd });
}

/** The session of a directory with exactly this id; it is begun if there is none. */
async function openKey(
  id: string,
  here: string,
  options: RunOptions,
  choosing: Choosing,
): Promise<Session> {
  const { repo, warnings } = choosing;
  return await heedingBusy(options, choosing, {
    async attempt() {
      const file = await repo.findKey(id, here);
      if (file !== undefined) return await openForWriting(file, options, choosing);
      if (options.strict) {
        throw new SessionError(
          "not_found",
          `Cannot continue: ${here} has no session ${id}. Leave out --strict to begin it.`,
        );
      }
      assertDirectory(here);
      return await repo.create({ cwd: here, id, reserve: true });
    },
    async fork(error) {
      const file = await repo.findKey(id, here);
      if (file !== undefined) return await forkBusy(file, error, options, choosing);
      const session = await create(repo, here);
      warnings.push({
        message: `The session is busy (${error.message}); going on in a new one, ${session.id}`,
      });
      return session;
    },
  });
}

/** Opens a file for writing; `--busy` says what to do when another process has it. */
async function open(file: string, options: RunOptions, choosing: Choosing): Promise<Session> {
  return await heedingBusy(options, choosing, {
    attempt: () => openForWriting(file, options, choosing),
    fork: (error) => forkBusy(file, error, options, choosing),
  });
}

function whereOf({ cwd }: RunOptions, { startDirectory }: Choosing): { cwd?: string } {
  return cwd === undefined ? {} : { cwd: workingDirectory(startDirectory, cwd) };
}

async function openForWriting(
  file: string,
  options: RunOptions,
  choosing: Choosing,
): Promise<Session> {
  const where = whereOf(options, choosing);
  const session = await choosing.repo.open(file, { access: "write", ...where });
  try {
    assertDirectory(session.cwd, session);
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}

async function forkBusy(
  file: string,
  error: SessionError,
  options: RunOptions,
  choosing: Choosing,
): Promise<Session> {
  const session = await choosing.repo.fork(file, whereOf(options, choosing));
  choosing.warnings.push({
    message: `The session is busy (${error.message}); going on in a fork of it, ${session.id}`,
  });
  return session;
}

/** Does as `--busy` says while another process has the session. */
async function heedingBusy(
  { busy }: RunOptions,
  { signal, onWait }: Choosing,
  ways: { attempt: () => Promise<Session>; fork: (error: SessionError) => Promise<Session> },
): Promise<Session> {
  switch (busy.kind) {
    case "fail":
      return await ways.attempt();
    case "wait": {
      return await waitForLock(ways.attempt, {
        signal,
        ...(busy.ms === undefined ? {} : { timeoutMs: busy.ms }),
        ...(onWait
          ? { onBusy: (error) => onWait(`Waiting for the session: ${error.message}`) }
          : {}),
      });
    }
    case "fork":
      try {
        return await ways.attempt();
      } catch (error) {
        if (!(error instanceof SessionError) || error.code !== "busy") throw error;
        return await ways.fork(error);
      }
  }
}

/** Tools never run anywhere but in the session's own directory. */
function assertDirectory(directory: string, session?: Session): void {
  if (nodeFileSystem.stat(directory)?.isDirectory) return;
  throw new SessionError(
    "directory_gone",
    session
      ? `Cannot go on with session ${session.id}: its directory ${directory} is gone. ` +
        "Make it again, or name another with --cwd."
      : `Cannot work in ${directory}: there is no such directory.`,
    session?.file === undefined ? {} : { file: session.file },
  );
}
