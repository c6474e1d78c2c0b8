import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { expandSkill, loadSkills } from "../../../lib/runtime/config/skills.ts";
import { TempDirectory } from "../../support/temp.ts";

function skillText(name: string, description: string, more = ""): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\nDo it well.\n`;
}

test("loadSkills() reads the folders in order, and a folder that is itself a skill", () => {
  using temp = new TempDirectory();
  const pdf = temp.write("a/pdf/SKILL.md", skillText("pdf", "Reads PDFs"));
  const folderName = temp.write("a/größe/SKILL.md", "---\ndescription: By folder name\n---\n");
  const quiet = temp.write(
    "b/SKILL.md",
    skillText("quiet", "Q", "disable-model-invocation: true\n"),
  );
  temp.write("a/README.md", "no skill");
  temp.make("a/empty");
  const folders = [temp.join("missing"), temp.join("a"), temp.join("b")];
  expect(loadSkills({ folders })).toEqual({
    skills: [
      { name: "größe", description: "By folder name", file: folderName, listed: true },
      { name: "pdf", description: "Reads PDFs", file: pdf, listed: true },
      { name: "quiet", description: "Q", file: quiet, listed: false },
    ],
    warnings: [],
  });
});

test("loadSkills() takes the first of one name and warns, but not of the same file twice", () => {
  using temp = new TempDirectory();
  const first = temp.write("a/one/SKILL.md", skillText("same", "First"));
  const second = temp.write("b/two/SKILL.md", skillText("same", "Second"));
  fs.symlinkSync(temp.join("a"), temp.join("link"));
  const loaded = loadSkills({ folders: ["a", "link", "b"].map((name) => temp.join(name)) });
  expect(loaded).toEqual({
    skills: [{ name: "same", description: "First", file: first, listed: true }],
    warnings: [{ file: second, message: `The skill "same" in ${second} is hidden by ${first}` }],
  });
});

const BAD: [name: string, content: string | Uint8Array, reason: string][] = [
  ["no head", "Just text", "its head has no description"],
  ["no description", "---\nname: x\n---\n", "its head has no description"],
  ["an open head", "---\nname: x\n", 'the head has no closing line of "---"'],
  [
    "a name with blanks",
    skillText("two words", "d"),
    'the name "two words" has more than letters, digits, ".", "_" and "-"',
  ],
  ["binary content", new Uint8Array([0, 1]), "it is not UTF-8 text"],
];

for (const [name, content, reason] of BAD) {
  test(`loadSkills() leaves out a skill with ${name} and says why`, () => {
    using temp = new TempDirectory();
    const file = temp.write("skills/x/SKILL.md", content);
    expect(loadSkills({ folders: [temp.join("skills")] })).toEqual({
      skills: [],
      warnings: [{ file, message: `Cannot use the skill ${file}: ${reason}` }],
    });
  });
}

test("expandSkill() puts the skill's text in front of what was said", () => {
  using temp = new TempDirectory();
  const file = temp.write("skills/pdf/SKILL.md", skillText("pdf", "d"));
  const { skills } = loadSkills({ folders: [temp.join("skills")] });
  const block = `<skill name="pdf" location="${file}">\n` +
    `Relative paths in this skill start at ${temp.join("skills/pdf")}.\n\nDo it well.\n</skill>`;
  expect([
    expandSkill("/skill:pdf", skills),
    expandSkill("/skill:pdf  read $1\nand this ", skills),
    expandSkill("/skill:pd", skills),
    expandSkill("say /skill:pdf", skills),
  ]).toEqual([
    { kind: "expanded", text: block },
    { kind: "expanded", text: `${block}\n\nread $1\nand this` },
    {
      kind: "failed",
      reason: 'Cannot use the skill "pd": there is none of that name; did you mean "pdf"?',
    },
    { kind: "none" },
  ]);
  fs.rmSync(file);
  expect(expandSkill("/skill:pdf", skills)).toEqual({
    kind: "failed",
    reason: `Cannot read the skill ${file}: the file is gone`,
  });
});
