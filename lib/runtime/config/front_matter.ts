/**
 * The head of a Markdown file between two lines of `---`: the part of YAML that skills and templates
 * use, which is names with text values, plain, quoted, or as an indented block.
 */

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, string>;
  /** What follows the head. */
  readonly body: string;
  /** What in the head could not be read. */
  readonly problems: readonly string[];
}

const FIELD = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/;
const INDENTED = /^[ \t]+\S/;

function quoted(text: string): string | undefined {
  if (text.startsWith("'")) {
    const end = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(text);
    return end?.[1]?.replaceAll("''", "'");
  }
  const end = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/.exec(text);
  if (end?.[1] === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(end[1]);
    return typeof value === "string" ? value : undefined;
  } catch {
    // An escape that YAML has and JSON has not; the caller reports the field.
    return undefined;
  }
}

/** A block after `|` keeps its line ends, one after `>` is joined to one line a paragraph. */
function block(lines: readonly string[], folded: boolean): string {
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)),
  );
  const texts = lines.map((line) => line.slice(Math.min(indent, line.length)).trimEnd());
  const joined = folded
    ? texts.join("\n").replace(/(\S)\n(?=\S)/g, "$1 ").replace(/\n\n/g, "\n")
    : texts.join("\n");
  return joined.trim();
}

function value(first: string, more: readonly string[]): string | undefined {
  const style = /^([|>])[+-]?\d?\s*(?:#.*)?$/.exec(first);
  if (style) return block(more, style[1] === ">");
  const whole = [first, ...more.map((line) => line.trim())].join(" ").trim();
  if (/^["']/.test(whole)) return quoted(whole);
  return whole.replace(/(?:^|\s)#.*$/, "").trim();
}

function readFields(lines: readonly string[]): Pick<FrontMatter, "fields" | "problems"> {
  const fields = new Map<string, string>();
  const problems: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at++] ?? "";
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const more: string[] = [];
    while (at < lines.length && (INDENTED.test(lines[at] ?? "") || lines[at]?.trim() === "")) {
      more.push(lines[at++] ?? "");
    }
    // A list below a name may stand without an indent; no field that we read is a list.
    while (lines[at]?.startsWith("- ")) at++;
    const field = FIELD.exec(line);
    const name = field?.[1];
    const text = value(field?.[2]?.trim() ?? "", more);
    if (name === undefined) problems.push(`line ${at} is not "name: value"`);
    else if (text === undefined) problems.push(`the value of "${name}" has unpaired quotes`);
    else fields.set(name, text);
  }
  return { fields, problems };
}

/** Reads a file's head; without one, the whole text is the body. */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return { fields: new Map(), body: text, problems: [] };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end < 0) {
    const problems = ['the head has no closing line of "---"'];
    return { fields: new Map(), body: text, problems };
  }
  const body = lines.slice(end + 1).join("\n").replace(/^\n+/, "");
  return { ...readFields(lines.slice(1, end)), body };
}
