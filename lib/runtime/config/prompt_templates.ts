/** Prompt templates: Markdown files that `/name arguments` stands for. */
import * as path from "node:path";
import { type FileSystem, nodeFileSystem } from "../../session/mod.ts";
import type { ConfigWarning } from "./errors.ts";
import { parseFrontMatter } from "./front_matter.ts";
import type { Expansion } from "./skills.ts";
import { listDirectory, readTextFile } from "./text_file.ts";

export interface PromptTemplate {
  /** The file's name without `.md`. */
  readonly name: string;
  /** From its head, else its first line. */
  readonly description: string;
  /** What to type after the name, from its head. */
  readonly argumentHint?: string;
  readonly body: string;
  readonly file: string;
}

const DESCRIPTION_LENGTH_MAX = 80;

function firstLine(body: string): string {
  const line = body.split("\n").find((text) => text.trim() !== "")?.trim() ?? "";
  const letters = [...line];
  return letters.length <= DESCRIPTION_LENGTH_MAX
    ? line
    : letters.slice(0, DESCRIPTION_LENGTH_MAX - 1).join("") + "…";
}

function readTemplate(
  file: string,
  fs: FileSystem,
  warnings: ConfigWarning[],
): PromptTemplate | undefined {
  const refuse = (reason: string) => {
    warnings.push({ file, message: `Cannot use the prompt template ${file}: ${reason}` });
    return undefined;
  };
  const name = path.basename(file, ".md");
  if (/\s/.test(name)) return refuse("its name has a blank");
  const read = readTextFile(file, { fs });
  if (read.kind === "absent") return refuse("there is no such file");
  if (read.kind === "unreadable") return refuse(read.reason);
  const { fields, body, problems } = parseFrontMatter(read.text);
  if (problems[0] !== undefined) return refuse(problems[0]);
  const hint = fields.get("argument-hint");
  return {
    name,
    description: fields.get("description") || firstLine(body),
    ...(hint ? { argumentHint: hint } : {}),
    body,
    file,
  };
}

/**
 * The templates in some places, each a folder with `*.md` files or one file. Where two have one name,
 * the place that comes first wins, with a warning; what cannot be used is left out with a warning.
 */
export function loadPromptTemplates(
  { places, fs = nodeFileSystem }: { places: readonly string[]; fs?: FileSystem },
): { templates: PromptTemplate[]; warnings: ConfigWarning[] } {
  const warnings: ConfigWarning[] = [];
  const templates = new Map<string, PromptTemplate>();
  const files = places.flatMap((place) => {
    if (place.endsWith(".md")) return [place];
    const names = listDirectory(place, fs, warnings).filter((name) => name.endsWith(".md"));
    return names.map((name) => path.join(place, name));
  });
  for (const file of new Set(files)) {
    const template = readTemplate(file, fs, warnings);
    const first = template && templates.get(template.name);
    if (first) {
      const message =
        `The prompt template "/${template.name}" in ${file} is hidden by ${first.file}`;
      warnings.push({ file, message });
    } else if (template) {
      templates.set(template.name, template);
    }
  }
  return { templates: [...templates.values()], warnings };
}

/**
 * Splits arguments as a shell does: at blanks, but not within quotes; a backslash takes the next
 * character as it is (within single quotes it is itself). A quote that does not close reaches to
 * the end.
 */
export function splitArguments(text: string): string[] {
  const pieces = text.matchAll(
    /'([^']*)(?:'|$)|"((?:[^"\\]|\\[^])*)(?:"|\\?$)|\\([^])|(\s+)|([^])/g,
  );
  const words: string[] = [];
  let word: string | undefined;
  for (const [, single, double, escaped, blank, plain] of pieces) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? "") +
      (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "");
  }
  return word === undefined ? words : [...words, word];
}

const PLACEHOLDER =
  /\\\$|\$(\d+)|\$(@|ARGUMENTS\b)|\$\{(\d+)(?::-([^}]*))?\}|\$\{@(?::(\d+)(?::(\d+))?)?\}/g;

/**
 * Puts arguments into a template: `$1`, `$@` (`$ARGUMENTS` is the same), `${1:-default}` for one that
 * may be missing or empty, `${@:2}` for all from the second on, `${@:2:3}` for three of them. `\$` is
 * a dollar sign. What stands in an argument is not looked at again.
 */
export function fillTemplate(body: string, args: readonly string[]): string {
  const nth = (digits: string) => args[Number(digits) - 1] ?? "";
  return body.replace(PLACEHOLDER, (whole: string, ...groups: (string | undefined)[]) => {
    const [plain, all, braced, fallback, from, count] = groups;
    if (whole === "\\$") return "$";
    if (plain !== undefined) return plain === "0" ? whole : nth(plain);
    if (braced !== undefined) return nth(braced) || (fallback ?? "");
    if (all !== undefined || from === undefined) return args.join(" ");
    const start = Math.max(0, Number(from) - 1);
    return args.slice(start, count === undefined ? undefined : start + Number(count)).join(" ");
  });
}

/** `/name arguments` becomes the template's text; a text that calls no template is `none`. */
export function expandTemplate(text: string, templates: readonly PromptTemplate[]): Expansion {
  const call = /^\/(\S+)\s*([^]*)$/.exec(text);
  const template = templates.find(({ name }) => name === call?.[1]);
  if (!call || !template) return { kind: "none" };
  return { kind: "expanded", text: fillTemplate(template.body, splitArguments(call[2] ?? "")) };
}
