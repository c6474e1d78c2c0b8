/** What the model is told before everything else. */
import type { ContextFile } from "./context_files.ts";
import type { Skill } from "./skills.ts";

export interface SystemPromptParts {
  /** The session's directory. */
  readonly cwd: string;
  /** The day as `YYYY-MM-DD`. No time of day: the prompt must not change from one request to the next. */
  readonly date: string;
  /** Names of the tools that are on, in their order. */
  readonly tools: readonly string[];
  readonly contextFiles: readonly ContextFile[];
  readonly skills: readonly Skill[];
  /** Stands in for all that is said here of the program, the tools, the date and the directory. */
  readonly replacement?: string;
  /** Comes after that. */
  readonly additions?: readonly string[];
}

const READERS = ["read", "grep", "find", "ls"];

/** One piece of advice, and the tools without which it makes no sense. */
const ADVICE: readonly { readonly needs: readonly string[]; readonly text: string }[] = [
  { needs: ["read"], text: "Read a file before you change it or speak about what is in it." },
  {
    needs: ["edit", "write"],
    text: "Change existing files with edit, in small pieces; write is for new files and rewrites.",
  },
  {
    needs: ["grep", "bash"],
    text: "Search with grep, find and ls rather than with bash: they know what git ignores.",
  },
  {
    needs: ["bash"],
    text: "After a change, run what shows that it works: the tests, the build, the program.",
  },
];

function base({ tools }: SystemPromptParts): string {
  const lines = [
    "You are Bough, a coding agent. You work on the user's files with the tools that you are " +
    "given, until what was asked is done; then you say briefly what you did and what is left.",
    "",
    tools.length > 0 ? `Your tools: ${tools.join(", ")}.` : "You have no tools: answer with text.",
  ];
  const advice = ADVICE.filter(({ needs }) => needs.every((name) => tools.includes(name)));
  lines.push(...advice.map(({ text }) => `- ${text}`));
  const changes = tools.some((name) => !READERS.includes(name));
  if (tools.length > 0 && !changes) lines.push("- You can look at files and change nothing.");
  lines.push(
    "- Say so when something failed or was not checked. Do not invent results, files or paths.",
    "- Be concise. Name files by their paths.",
  );
  return lines.join("\n");
}

function contextSection(files: readonly ContextFile[]): string {
  const texts = files.map(({ file, text }) =>
    `<instructions file="${file}">\n${text.trim()}\n</instructions>`
  );
  return "Instructions from the user and the project; where they disagree, the later ones hold.\n\n" +
    texts.join("\n\n");
}

function skillSection(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description, file }) =>
    `- ${name}: ${description.replace(/\s+/g, " ")} (${file})`
  );
  return "Skills: when a task fits one, first read its file and follow it. Relative paths in it " +
    "start at the file's folder.\n\n" + lines.join("\n");
}

/**
 * The system prompt; a pure function of its parts, so that the same session gives the same request.
 * What changes least comes first.
 */
export function buildSystemPrompt(parts: SystemPromptParts): string {
  const { cwd, date, contextFiles, skills, tools, replacement, additions = [] } = parts;
  const listed = tools.includes("read") ? skills.filter((skill) => skill.listed) : [];
  return [
    replacement ?? base(parts),
    ...additions,
    ...(contextFiles.length > 0 ? [contextSection(contextFiles)] : []),
    ...(listed.length > 0 ? [skillSection(listed)] : []),
    ...(replacement === undefined ? [`Today is ${date}. The working directory is ${cwd}`] : []),
  ].map((section) => section.trim()).filter((section) => section !== "").join("\n\n");
}
