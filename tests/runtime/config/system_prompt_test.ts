import { expect, test } from "bun:test";
import { buildSystemPrompt } from "../../../lib/runtime/config/system_prompt.ts";

const PARTS = {
  cwd: "/project/größe",
  date: "2030-01-02",
  tools: ["read", "bash", "edit", "write", "grep", "find", "ls"],
  contextFiles: [
    { file: "/home/AGENTS.md", text: "Be kind.\n" },
    { file: "/project/AGENTS.md", text: "Use tabs." },
  ],
  skills: [
    { name: "pdf", description: "Reads\nPDFs", file: "/s/pdf/SKILL.md", listed: true },
    { name: "hidden", description: "x", file: "/s/hidden/SKILL.md", listed: false },
  ],
};

test("buildSystemPrompt() is a pure function of its parts", () => {
  expect(buildSystemPrompt(PARTS)).toMatchInlineSnapshot(`
    "You are Bough, a coding agent. You work on the user's files with the tools that you are given, until what was asked is done; then you say briefly what you did and what is left.

    Your tools: read, bash, edit, write, grep, find, ls.
    - Read a file before you change it or speak about what is in it.
    - Change existing files with edit, in small pieces; write is for new files and rewrites.
    - Search with grep, find and ls rather than with bash: they know what git ignores.
    - After a change, run what shows that it works: the tests, the build, the program.
    - Say so when something failed or was not checked. Do not invent results, files or paths.
    - Be concise. Name files by their paths.

    Instructions from the user and the project; where they disagree, the later ones hold.

    <instructions file="/home/AGENTS.md">
    Be kind.
    </instructions>

    <instructions file="/project/AGENTS.md">
    Use tabs.
    </instructions>

    Skills: when a task fits one, first read its file and follow it. Relative paths in it start at the file's folder.

    - pdf: Reads PDFs (/s/pdf/SKILL.md)

    Today is 2030-01-02. The working directory is /project/größe"
  `);
});

test("buildSystemPrompt() speaks only of tools that are on", () => {
  const bare = { ...PARTS, contextFiles: [], skills: PARTS.skills };
  const none = buildSystemPrompt({ ...bare, tools: [] });
  const looking = buildSystemPrompt({ ...bare, tools: ["grep", "ls"] });
  expect(none).toContain("You have no tools: answer with text.");
  expect(looking).toContain("- You can look at files and change nothing.");
  for (const prompt of [none, looking]) expect(prompt).not.toMatch(/bash|edit|Skills/);
});

test("buildSystemPrompt() replaces what is said of the program, and adds after it", () => {
  const skills = { ...PARTS, contextFiles: [], skills: [] };
  const prompts = [
    buildSystemPrompt({ ...skills, replacement: "Only this.\n", additions: ["And this.", ""] }),
    buildSystemPrompt({ ...skills, replacement: "" }),
    buildSystemPrompt({ ...PARTS, skills: [], replacement: "Mine." }),
  ];
  expect(prompts).toEqual([
    "Only this.\n\nAnd this.",
    "",
    "Mine.\n\nInstructions from the user and the project; where they disagree, the later ones hold." +
    '\n\n<instructions file="/home/AGENTS.md">\nBe kind.\n</instructions>' +
    '\n\n<instructions file="/project/AGENTS.md">\nUse tabs.\n</instructions>',
  ]);
});
