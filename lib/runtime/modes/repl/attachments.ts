/** `@path` in what a person says: files that go in front of it, as on the command line. */
import * as fs from "node:fs";
import * as path from "node:path";
import { assemblePrompts, type Prompt } from "../prompt_input.ts";

/** The paths that a text names and that are files; a name that is none is just text. */
export function filesIn(text: string, cwd: string): string[] {
  const names = text.matchAll(/(?:^|\s)@([^\s@]+)/g);
  const files = Array.from(names, ([, name = ""]) => {
    const whole = isFile(name, cwd) ? name : name.replace(/[.,;:!?)]+$/, "");
    return isFile(whole, cwd) ? whole : undefined;
  });
  return [...new Set(files.filter((file) => file !== undefined))];
}

function isFile(name: string, cwd: string): boolean {
  if (name === "") return false;
  try {
    return fs.statSync(path.resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // Too long for a name, or behind a door that is shut: then it is just text.
    return false;
  }
}

/** The message of a text and the files that it names. Throws a `UsageError` for one that is unfit. */
export async function withFiles(
  text: string,
  { cwd, maxFileBytes }: { cwd: string; maxFileBytes: number },
): Promise<Prompt> {
  const files = filesIn(text, cwd);
  if (files.length === 0) return { text, images: [] };
  const [prompt] = await assemblePrompts({ prompts: [text], files, cwd, maxFileBytes });
  return prompt ?? { text, images: [] };
}
