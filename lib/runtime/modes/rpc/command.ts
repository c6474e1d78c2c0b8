/** The commands of `--mode rpc` (`docs/rpc.md`): one JSON object a line. */
import * as z from "zod";
import { isRecord, reasonOf, THINKING_LEVELS } from "../../../session/mod.ts";
import { nearestNames } from "../../config/nearest.ts";
import { problemText } from "../../config/file_schema.ts";

const text = z.string();
const name = z.string().min(1);
const flag = z.boolean().exactOptional();

const images = z.array(
  z.strictObject({ type: z.literal("image"), data: name, mimeType: name }),
).exactOptional();

/** The commands, each with its arguments. */
const SCHEMA = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("prompt"),
    message: name,
    images,
    streamingBehavior: z.enum(["steer", "followUp"]).exactOptional(),
  }),
  z.strictObject({ type: z.literal("steer"), message: name, images }),
  z.strictObject({ type: z.literal("follow_up"), message: name, images }),
  z.strictObject({ type: z.literal("abort") }),
  z.strictObject({ type: z.literal("get_state") }),
  z.strictObject({ type: z.literal("get_messages") }),
  z.strictObject({ type: z.literal("get_tree") }),
  z.strictObject({
    type: z.literal("set_model"),
    modelId: name,
    provider: name.exactOptional(),
  }),
  z.strictObject({ type: z.literal("set_thinking_level"), level: z.enum(THINKING_LEVELS) }),
  z.strictObject({ type: z.literal("compact"), customInstructions: text.exactOptional() }),
  z.strictObject({ type: z.literal("new_session"), cwd: name.exactOptional() }),
  z.strictObject({
    type: z.literal("switch_session"),
    session: name,
    cwd: name.exactOptional(),
  }),
  z.strictObject({
    type: z.literal("fork"),
    entryId: name,
    position: z.enum(["before", "at"]).exactOptional(),
  }),
  z.strictObject({ type: z.literal("clone") }),
  z.strictObject({
    type: z.literal("navigate_tree"),
    entryId: name.nullable(),
    summarize: flag,
    customInstructions: text.exactOptional(),
    label: text.exactOptional(),
  }),
  z.strictObject({ type: z.literal("set_label"), entryId: name, label: text.exactOptional() }),
  z.strictObject({ type: z.literal("set_session_name"), name: text }),
  z.strictObject({ type: z.literal("bash"), command: name, excludeFromContext: flag }),
  z.strictObject({
    type: z.literal("export"),
    format: z.enum(["jsonl", "md", "json"]).exactOptional(),
    path: name.exactOptional(),
  }),
  z.strictObject({ type: z.literal("shutdown") }),
]);

/** A command, checked. */
export type RpcCommand = z.infer<typeof SCHEMA>;

/** The name of a command. */
export type CommandName = RpcCommand["type"];

/** A command by its name. */
export type CommandOf<N extends CommandName> = Extract<RpcCommand, { type: N }>;

/** The names of the commands, each with those of its arguments. */
export const COMMANDS: ReadonlyMap<string, readonly string[]> = new Map(
  SCHEMA.options.map(({ shape }) => {
    const { type, ...fields } = shape;
    return [type.value, Object.keys(fields)];
  }),
);

/** Names an answer's question. */
export type CommandId = string | number;

/** Why a line is no command. */
export interface Refusal {
  readonly code: "bad_json" | "too_long" | "unknown_command" | "bad_arguments";
  readonly message: string;
}

/** A line as it was read: `command` and `id` as far as they could be made out. */
export type ReadLine =
  & { readonly command: string | null; readonly id?: CommandId }
  & ({ readonly kind: "command"; readonly value: RpcCommand } | {
    readonly kind: "refused";
    readonly error: Refusal;
  });

function refused(
  line: { command: string | null; id?: CommandId },
  code: Refusal["code"],
  message: string,
): ReadLine {
  return { ...line, kind: "refused", error: { code, message } };
}

/** A line that was longer than a line may be. */
export function tooLong(bytesMax: number): ReadLine {
  return refused(
    { command: null },
    "too_long",
    `Cannot read a command: its line has more than ${bytesMax} bytes`,
  );
}

/** Reads a line; undefined if it is blank. Never throws. */
export function readCommand(bytes: Uint8Array): ReadLine | undefined {
  const nobody = { command: null };
  let value: unknown;
  try {
    const line = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (line.trim() === "") return undefined;
    value = JSON.parse(line);
  } catch (error) {
    const reason = reasonOf(error);
    return refused(nobody, "bad_json", `Cannot read a command: ${reason}`);
  }
  if (!isRecord(value)) {
    return refused(nobody, "bad_json", "Cannot read a command: it is not a JSON object");
  }
  const { id, type } = value;
  const line = {
    command: typeof type === "string" ? type : null,
    ...(typeof id === "string" || typeof id === "number" ? { id } : {}),
  };
  if (id !== undefined && line.id === undefined) {
    return refused(
      line,
      "bad_arguments",
      `Cannot take the command ${line.command}: its id is neither a string nor a number`,
    );
  }
  return checked(value, line);
}

function checked(
  value: Record<string, unknown>,
  line: { command: string | null; id?: CommandId },
): ReadLine {
  const { command } = line;
  if (command === null) {
    return refused(line, "unknown_command", 'Cannot take a command: it has no "type"');
  }
  const names = COMMANDS.get(command);
  if (!names) {
    const [near] = nearestNames(command, COMMANDS.keys());
    const hint = near === undefined
      ? `the commands are ${[...COMMANDS.keys()].join(", ")}`
      : `did you mean "${near}"?`;
    return refused(line, "unknown_command", `Cannot take the command "${command}": ${hint}`);
  }
  const { id: _, ...fields } = value;
  const result = SCHEMA.safeParse(fields);
  if (result.success) return { ...line, kind: "command", value: result.data };
  const takes = names.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`;
  const problems = result.error.issues.map((issue) => problem(issue, takes)).join("; ");
  return refused(line, "bad_arguments", `Cannot take the command ${command}: ${problems}`);
}

function problem(issue: z.core.$ZodIssue, takes: string): string {
  return issue.code === "unrecognized_keys" && issue.path.length === 0
    ? `unknown argument ${issue.keys.join(", ")}; ${takes}`
    : problemText(issue);
}
