/** What an extension has registered, and the API by which it does. */
import { type CustomMessage, isRecord } from "../../session/mod.ts";
import { nearestNames } from "../config/nearest.ts";
import type {
  Delivery,
  ExecOptions,
  ExecResult,
  ExtensionApi,
  ExtensionCommand,
  ExtensionEventName,
  ExtensionHandler,
  ExtensionMessage,
  ExtensionTool,
  HandlerOptions,
} from "./api.ts";
import { ExtensionError } from "./errors.ts";
import * as helpers from "./helpers.ts";
import { isExtensionMessage } from "./results.ts";
import type { SessionDoor } from "./session_door.ts";

export interface Handler<E extends ExtensionEventName> {
  readonly run: ExtensionHandler<E>;
  readonly failClosed: boolean;
}

export type Handlers = { readonly [E in ExtensionEventName]: Handler<E>[] };

/** One extension that was loaded. */
export interface Registered {
  readonly name: string;
  /** Its file; the name again where it has none. */
  readonly file: string;
  readonly handlers: Handlers;
  readonly tools: ExtensionTool[];
  readonly commands: Map<string, ExtensionCommand>;
  readonly providers: Map<string, Record<string, unknown>>;
  /** Registrations are taken until the default export has returned. */
  isOpen: boolean;
}

export interface ApiPorts {
  door: SessionDoor;
  exec(program: string, args: readonly string[], options: ExecOptions): Promise<ExecResult>;
  /** Milliseconds since the epoch. */
  now(): number;
}

const NAME = /^[A-Za-z0-9][\w.:-]*$/;
const DELIVERIES: readonly Delivery[] = ["now", "nextPrompt", "steer", "followUp"];

/** An extension that has registered nothing yet. */
export function unregistered(name: string, file: string): Registered {
  return {
    name,
    file,
    handlers: noHandlers(),
    tools: [],
    commands: new Map(),
    providers: new Map(),
    isOpen: true,
  };
}

function noHandlers(): Handlers {
  return {
    session_start: [],
    session_shutdown: [],
    session_before_switch: [],
    session_before_fork: [],
    session_before_compact: [],
    session_compact: [],
    session_compact_failed: [],
    session_before_tree: [],
    session_tree: [],
    input: [],
    before_agent_start: [],
    context: [],
    agent_start: [],
    agent_end: [],
    agent_before_settle: [],
    turn_start: [],
    turn_end: [],
    message_end: [],
    tool_call: [],
    tool_result: [],
    model_select: [],
    user_bash: [],
  };
}

/** The API of one extension. What it is given is checked: an extension may be plain JavaScript. */
export function apiOf(extension: Registered, ports: ApiPorts): ExtensionApi {
  const { door } = ports;
  const registering = (what: string) => {
    door.assertNotStale();
    if (extension.isOpen) return;
    throw new ExtensionError(
      "not_now",
      `Cannot register ${what} now: do it in the default export, before it returns.`,
    );
  };
  return {
    name: extension.name,
    helpers,
    on(event, handler, options = {}) {
      registering(`a handler of ${event}`);
      addHandler(extension.handlers, event, handler, options);
    },
    registerTool(tool) {
      registering("a tool");
      assertTool(tool);
      extension.tools.push(tool);
    },
    registerCommand(name, command) {
      registering(`the command ${name}`);
      assertCommand(name, command);
      extension.commands.set(name, command);
    },
    registerProvider(name, description) {
      registering(`the provider ${name}`);
      extension.providers.set(name, description);
    },
    appendEntry: async (customType, data) => await door.session.appendCustomEntry(customType, data),
    sendMessage: async (message, options = {}) => {
      const deliver = options.deliver ?? "now";
      if (!DELIVERIES.includes(deliver)) {
        throw new TypeError(`Cannot send a message "${deliver}": use ${DELIVERIES.join(", ")}.`);
      }
      await door.session.addMessage(customMessage(message, extension.name, ports.now()), {
        deliver,
      });
    },
    setLabel: async (entryId, label = "") => await door.session.setLabel(entryId, label),
    setSessionName: async (name) => await door.session.setSessionName(name),
    exec: async (program, args = [], options = {}) => {
      door.assertNotStale();
      return await ports.exec(program, args, options);
    },
  };
}

function addHandler<E extends ExtensionEventName>(
  handlers: Handlers,
  event: E,
  run: ExtensionHandler<E>,
  { failClosed = false }: HandlerOptions,
): void {
  if (!Object.hasOwn(handlers, event)) {
    const [near] = nearestNames(event, Object.keys(handlers));
    throw badRegistration(
      `a handler of "${event}": there is no such event` +
        (near === undefined ? "" : `; did you mean "${near}"?`),
    );
  }
  if (typeof run !== "function") throw badRegistration(`a handler of ${event}: it is no function`);
  handlers[event].push({ run, failClosed });
}

function badRegistration(what: string): ExtensionError {
  return new ExtensionError("bad_registration", `Cannot register ${what}.`);
}

function assertTool(tool: unknown): void {
  const name = isRecord(tool) ? tool["name"] : undefined;
  if (!isRecord(tool) || typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw badRegistration('a tool: its "name" must be 1 to 64 letters, digits, "_" or "-"');
  }
  if (typeof tool["description"] !== "string") {
    throw badRegistration(`the tool ${name}: its "description" must be a text`);
  }
  if (!isRecord(tool["parameters"])) {
    throw badRegistration(`the tool ${name}: its "parameters" must be a JSON Schema of an object`);
  }
  if (typeof tool["execute"] !== "function") {
    throw badRegistration(`the tool ${name}: its "execute" must be a function`);
  }
}

function assertCommand(name: unknown, command: unknown): void {
  if (typeof name !== "string" || !NAME.test(name)) {
    throw badRegistration(`the command "${name}": a name has no blanks and no "/"`);
  }
  const isCommand = isRecord(command) && typeof command["description"] === "string" &&
    typeof command["run"] === "function";
  if (!isCommand) {
    throw badRegistration(`the command ${name}: expected { description, run(args, context) }`);
  }
}

/** A message as it is kept. Throws a `TypeError` for what is none. */
export function customMessage(
  message: string | ExtensionMessage,
  extension: string,
  timestamp: number,
): CustomMessage {
  const sent = typeof message === "string" ? { customType: extension, content: message } : message;
  if (!isExtensionMessage(sent)) {
    throw new TypeError("Cannot send this message: expected a text or { customType, content }.");
  }
  const { customType, content, display = true, details } = sent;
  return {
    role: "custom",
    customType,
    content,
    display,
    ...(details === undefined ? {} : { details }),
    timestamp,
  };
}
