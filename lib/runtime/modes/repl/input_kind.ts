/** What a line that was sent is. */
import { nearestNames } from "../../config/mod.ts";

export type Input =
  | { readonly kind: "nothing" }
  /** For the model. */
  | { readonly kind: "prompt"; readonly text: string }
  /** A command of the shell, which may be empty; `exclude` keeps it from the model. */
  | { readonly kind: "shell"; readonly command: string; readonly exclude: boolean }
  | { readonly kind: "command"; readonly name: string; readonly argument: string }
  /** It looks like a command, and is none. */
  | { readonly kind: "unknown"; readonly name: string; readonly near: string | undefined };

/** Reads a line. `own` are the REPL's commands, `others` what the conversation expands or runs. */
export function inputOf(
  line: string,
  names: { readonly own: readonly string[]; readonly others: readonly string[] },
): Input {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  const shell = /^(!!?)\s*([^]*)$/.exec(text);
  if (shell) {
    return { kind: "shell", command: shell[2] ?? "", exclude: shell[1] === "!!" };
  }
  if (text === "/") return { kind: "unknown", name: "", near: undefined };
  // A path or a comment is no command: their first word has more than letters after the slash.
  const call = /^\/([\p{L}\p{N}][\p{L}\p{N}._:-]*)(?:\s+([^]*))?$/u.exec(text);
  if (!call) return { kind: "prompt", text };
  const [, name = "", argument = ""] = call;
  if (names.own.includes(name)) return { kind: "command", name, argument: argument.trim() };
  if (names.others.includes(name)) return { kind: "prompt", text };
  return { kind: "unknown", name, near: nearestNames(name, [...names.own, ...names.others])[0] };
}
