/** Skills: folders with a `SKILL.md` that the model reads when it needs to know how. */
import * as path from "node:path";
import { type FileSystem, nodeFileSystem } from "../../session/mod.ts";
import type { ConfigWarning } from "./errors.ts";
import { parseFrontMatter } from "./front_matter.ts";
import { nearestNames } from "./nearest.ts";
import { listDirectory, lookAt, readTextFile, realPathOf } from "./text_file.ts";

export interface Skill {
  readonly name: string;
  /** What it is for, in the words of its author; the model chooses by it. */
  readonly description: string;
  /** The absolute path of its `SKILL.md`. */
  readonly file: string;
  /** False: people can call it with `/skill:name`, but the prompt does not list it. */
  readonly listed: boolean;
}

const FILE_NAME = "SKILL.md";
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u;

function readSkill(folder: string, fs: FileSystem, warnings: ConfigWarning[]): Skill | undefined {
  const file = path.join(folder, FILE_NAME);
  const refuse = (reason: string) => {
    warnings.push({ file, message: `Cannot use the skill ${file}: ${reason}` });
    return undefined;
  };
  const read = readTextFile(file, { fs });
  if (read.kind === "absent") return undefined;
  if (read.kind === "unreadable") return refuse(read.reason);
  const { fields, problems } = parseFrontMatter(read.text);
  if (problems[0] !== undefined) return refuse(problems[0]);
  const name = fields.get("name") || path.basename(folder);
  const description = fields.get("description");
  if (!NAME.test(name)) {
    return refuse(`the name "${name}" has more than letters, digits, ".", "_" and "-"`);
  }
  if (!description) return refuse("its head has no description");
  return { name, description, file, listed: fields.get("disable-model-invocation") !== "true" };
}

/** A folder of skills, or the folder of one. */
function readFolder(folder: string, fs: FileSystem, warnings: ConfigWarning[]): Skill[] {
  if (lookAt(path.join(folder, FILE_NAME), fs)) {
    const skill = readSkill(folder, fs, warnings);
    return skill ? [skill] : [];
  }
  return listDirectory(folder, fs, warnings)
    .map((name) => readSkill(path.join(folder, name), fs, warnings))
    .filter((skill) => skill !== undefined);
}

/**
 * The skills in some folders. Where two have one name, the folder that comes first wins, with a
 * warning; what cannot be used is left out with a warning.
 */
export function loadSkills(
  { folders, fs = nodeFileSystem }: { folders: readonly string[]; fs?: FileSystem },
): { skills: Skill[]; warnings: ConfigWarning[] } {
  const warnings: ConfigWarning[] = [];
  const skills = new Map<string, Skill>();
  const seen = new Set<string>();
  for (const skill of folders.flatMap((folder) => readFolder(folder, fs, warnings))) {
    const real = realPathOf(skill.file, fs);
    if (seen.has(real)) continue;
    seen.add(real);
    const first = skills.get(skill.name);
    if (first) {
      const message = `The skill "${skill.name}" in ${skill.file} is hidden by ${first.file}`;
      warnings.push({ file: skill.file, message });
    } else {
      skills.set(skill.name, skill);
    }
  }
  return { skills: [...skills.values()], warnings };
}

/** What expanding gave: another text, the same one, or why it could not be done. */
export type Expansion =
  | { readonly kind: "expanded"; readonly text: string }
  | { readonly kind: "none" }
  | { readonly kind: "failed"; readonly reason: string };

function unknownSkill(wanted: string, skills: readonly Skill[]): string {
  const [near] = nearestNames(wanted, skills.map(({ name }) => name));
  const end = near === undefined ? "" : `; did you mean "${near}"?`;
  return `Cannot use the skill "${wanted}": there is none of that name${end}`;
}

/**
 * `/skill:name the rest` becomes the skill's text, with where it stands, followed by the rest. A text
 * that is no such call is `none`.
 */
export function expandSkill(
  text: string,
  skills: readonly Skill[],
  { fs = nodeFileSystem }: { fs?: FileSystem } = {},
): Expansion {
  const call = /^\/skill:(\S+)\s*([^]*)$/.exec(text);
  const wanted = call?.[1];
  if (!call || wanted === undefined) return { kind: "none" };
  const skill = skills.find(({ name }) => name === wanted);
  if (!skill) return { kind: "failed", reason: unknownSkill(wanted, skills) };
  const read = readTextFile(skill.file, { fs });
  if (read.kind !== "text") {
    const reason = read.kind === "absent" ? "the file is gone" : read.reason;
    return { kind: "failed", reason: `Cannot read the skill ${skill.file}: ${reason}` };
  }
  const { body } = parseFrontMatter(read.text);
  const opening = `<skill name="${skill.name}" location="${skill.file}">`;
  const about = `Relative paths in this skill start at ${path.dirname(skill.file)}.`;
  const expanded = `${opening}\n${about}\n\n${body.trim()}\n</skill>`;
  const rest = call[2]?.trim();
  return { kind: "expanded", text: rest ? `${expanded}\n\n${rest}` : expanded };
}
