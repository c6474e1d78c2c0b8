/** From what was typed to what is sent: commands, hooks, templates. */
import type { SessionHooks, UserInput } from "./hooks.ts";

/** The input that is left; `taken` by a command or a hook, or `aborted` while they had it. */
export type ReceivedInput = UserInput | "taken" | "aborted";

/** Extension command, then `input` hooks, then `/skill:name` and templates. */
export async function receiveInput(
  typed: UserInput,
  hooks: SessionHooks,
  signal: AbortSignal,
): Promise<ReceivedInput> {
  if (signal.aborted) return "aborted";
  const command = await hooks.command?.(typed.text, signal) ?? false;
  if (signal.aborted) return "aborted";
  if (command === true) return "taken";
  const said = command ? { ...typed, text: command.prompt } : typed;
  const input = await hooks.input?.(said, signal) ?? said;
  if (signal.aborted) return "aborted";
  if (input === "taken") return input;
  return { text: await hooks.expand?.(input.text) ?? input.text, images: input.images };
}

/** Puts what came with the input (files, stdin) in front of it. */
export function withPreface(input: UserInput, preface: string | undefined): UserInput {
  if (preface === undefined) return input;
  return { ...input, text: input.text === "" ? preface : `${preface}\n\n${input.text}` };
}
