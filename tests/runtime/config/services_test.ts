import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { ConfigError } from "../../../lib/runtime/config/errors.ts";
import {
  loadServices,
  type Services,
  type ServicesOptions,
} from "../../../lib/runtime/config/services.ts";
import { setTrust } from "../../../lib/runtime/config/trust.ts";
import { closeDirectories } from "../../support/denied_files.ts";
import { TempDirectory } from "../../support/temp.ts";

const CLOCK = { now: () => new Date(2030, 0, 2, 23, 59).getTime() };

function load(temp: TempDirectory, options: Partial<ServicesOptions> = {}): Promise<Services> {
  const { home, cwd } = temp;
  return loadServices({ cwd, home, env: { HOME: temp.path }, clock: CLOCK, ...options });
}

/** A home and a project that bring along one of everything. */
function fill(temp: TempDirectory): void {
  const skill = (text: string) => `---\ndescription: ${text}\n---\n${text}\n`;
  temp.write("home/settings.json", '{"hideThinking":true,"retry":{"maxRetries":1}}');
  temp.write("home/AGENTS.md", "user instructions");
  temp.write("home/skills/shared/SKILL.md", skill("user skill"));
  temp.write("home/prompts/fix.md", "User fix of $1");
  temp.write("home/extensions/one.ts", "");
  temp.write("home/extensions/types.d.ts", "");
  temp.write("home/extensions/folder/index.js", "");
  temp.write("work/AGENTS.md", "project instructions");
  temp.write("work/.bough/settings.json", '{"retry":{"maxRetries":2},"extensions":["../more.ts"]}');
  temp.write("work/more.ts", "");
  temp.write("work/.bough/extensions/two.mts", "");
  temp.write("work/.bough/prompts/fix.md", "Project fix of $1");
  temp.write("work/.agents/skills/shared/SKILL.md", skill("project skill"));
}

/** What differs between trust and no trust. */
function summary(services: Services) {
  const { settings, contextFiles, skills, templates, extensionPaths, cwd } = services;
  return {
    retries: settings.retry.maxRetries,
    hideThinking: settings.hideThinking,
    context: contextFiles.map(({ text }) => text),
    skills: skills.map(({ description }) => description),
    templates: templates.map(({ body }) => body),
    extensions: extensionPaths.map((file) =>
      file.replace(cwd, "work").replace(services.home, "home")
    ),
    trusted: services.trusted,
    warnings: services.warnings.map(({ message }) => message),
  };
}

const OF_USER = {
  retries: 1,
  hideThinking: true,
  context: ["user instructions", "project instructions"],
  skills: ["user skill"],
  templates: ["User fix of $1"],
  extensions: ["home/extensions/folder/index.js", "home/extensions/one.ts"],
};

const OF_BOTH = {
  retries: 2,
  hideThinking: true,
  context: ["user instructions", "project instructions"],
  skills: ["project skill"],
  templates: ["Project fix of $1"],
  extensions: [
    "home/extensions/folder/index.js",
    "home/extensions/one.ts",
    "work/.bough/extensions/two.mts",
    "work/more.ts",
  ],
};

function hidden(temp: TempDirectory): string[] {
  return [
    `The skill "shared" in ${temp.join("home/skills/shared/SKILL.md")} is hidden by ` +
    temp.join("work/.agents/skills/shared/SKILL.md"),
    `The prompt template "/fix" in ${temp.join("home/prompts/fix.md")} is hidden by ` +
    temp.join("work/.bough/prompts/fix.md"),
  ];
}

test("loadServices() without a decision skips what the project brings along, with one warning", async () => {
  using temp = new TempDirectory();
  fill(temp);
  const services = await load(temp);
  expect(summary(services)).toEqual({
    ...OF_USER,
    trusted: undefined,
    warnings: [
      `The settings, extensions, skills and prompt templates of ${temp.cwd} are skipped: the project ` +
      "is not trusted. Use them once with --trust, or always with /trust; --bare skips them " +
      "without this warning",
    ],
  });
});

test("loadServices() uses what the project brings along if it is trusted, once or always", async () => {
  using temp = new TempDirectory();
  fill(temp);
  const expected = { ...OF_BOTH, trusted: true, warnings: hidden(temp) };
  expect(summary(await load(temp, { trust: true }))).toEqual(expected);
  await setTrust({ home: temp.home, directory: temp.path }, true);
  expect(summary(await load(temp))).toEqual(expected);
});

test("loadServices() skips without a word what the user decided not to trust", async () => {
  using temp = new TempDirectory();
  fill(temp);
  await setTrust({ home: temp.home, directory: temp.cwd }, false);
  expect(summary(await load(temp))).toEqual({ ...OF_USER, trusted: false, warnings: [] });
  expect(summary(await load(temp, { trust: true })).retries).toBe(2);
});

test("loadServices() says nothing of trust where there is nothing to trust", async () => {
  using temp = new TempDirectory();
  temp.write("work/AGENTS.md", "text");
  temp.make("work/.bough/extensions");
  temp.write("home/trust.json", "not needed, so not read");
  const { warnings, trusted, projectDirectory } = await load(temp);
  expect([warnings, trusted, projectDirectory]).toEqual([[], undefined, temp.cwd]);
});

test("loadServices() with bare takes models and keys, and nothing else", async () => {
  using temp = new TempDirectory();
  fill(temp);
  temp.write("home/settings.json", "broken");
  temp.write(
    "home/models.json",
    '{"providers":{"lab":{"baseUrl":"http://l","models":[{"id":"m"}]}}}',
  );
  const services = await load(temp, { bare: true, extensions: ["more.ts"], trust: true });
  expect(summary(services)).toEqual({
    retries: 3,
    hideThinking: false,
    context: [],
    skills: [],
    templates: [],
    extensions: ["work/more.ts"],
    trusted: undefined,
    warnings: [],
  });
  expect((await services.models.choose({})).facts.id).toBe("m");
});

test("loadServices() takes the user's own directory for no project", async () => {
  using temp = new TempDirectory();
  const home = temp.write(".bough/settings.json", '{"hideThinking":true}').replace(
    "/settings.json",
    "",
  );
  const services = await load(temp, { home, cwd: temp.path });
  expect([services.settings.hideThinking, services.warnings, services.projectDirectory]).toEqual([
    true,
    [],
    undefined,
  ]);
});

test("loadServices() finds its directory without HOME and BOUGH_HOME", async () => {
  using temp = new TempDirectory();
  const { home } = await loadServices({ cwd: temp.cwd, env: {}, bare: true });
  expect(home).toEndWith("/.bough");
});

test("loadServices() reports wrong keys without stopping", async () => {
  using temp = new TempDirectory();
  const file = temp.write("home/auth.json", '{"openai":');
  const services = await load(temp, { env: { ANTHROPIC_API_KEY: "k" } });
  expect(services.warnings).toEqual([{
    file,
    message:
      `Cannot read the keys in ${file}: line 1, column 11: expected a value, found the end ` +
      "of the file; correct or remove the file",
  }]);
  expect((await services.models.choose({})).facts.provider).toBe("anthropic");
  await expect(
    services.models.check({ ...(await services.models.list())[0], provider: "openai" } as never),
  )
    .rejects.toThrow(`Cannot read the keys in ${file}`);
});

test("systemPrompt() has the day, the directory, the context files and the skills, and is stable", async () => {
  using temp = new TempDirectory();
  fill(temp);
  const services = await load(temp);
  const prompt = services.systemPrompt(["read", "bash"]);
  expect(prompt).toBe(services.systemPrompt(["read", "bash"]));
  expect(prompt).toEndWith(`Today is 2030-01-02. The working directory is ${temp.cwd}`);
  expect(prompt).toContain("user instructions");
  expect(prompt).toContain(`- shared: user skill (${temp.join("home/skills/shared/SKILL.md")})`);
  expect(services.systemPrompt(["bash"])).not.toContain("user skill");
});

test("systemPrompt() takes texts and files, relative to where the program was called", async () => {
  using temp = new TempDirectory();
  temp.write("elsewhere/prompt.md", "From a file.\n");
  const services = await load(temp, {
    bare: true,
    systemPrompt: "prompt.md",
    appendSystemPrompts: ["no-such-file.md", "Two\nlines", "x".repeat(10_000)],
    invocationDirectory: temp.join("elsewhere"),
  });
  expect(services.systemPrompt(["read"])).toBe(
    `From a file.\n\nno-such-file.md\n\nTwo\nlines\n\n${"x".repeat(10_000)}`,
  );
});

test("loadServices() refuses options that cannot be followed", async () => {
  using temp = new TempDirectory();
  const binary = temp.write("work/prompt", new Uint8Array([0]));
  const failures = [
    load(temp, { systemPrompt: "prompt" }),
    load(temp, { extensions: ["missing.ts"] }),
  ].map((promise) => promise.then(() => undefined, (error: unknown) => error));
  const errors = await Promise.all(failures);
  expect(errors.map((error) => error instanceof ConfigError && [error.code, error.message]))
    .toEqual([
      ["bad_prompt", `Cannot read ${binary} (--system-prompt): it is not UTF-8 text`],
      [
        "bad_extension",
        `Cannot load the extension ${temp.join("work/missing.ts")}: there is no such file or ` +
        "directory; check what --extension names",
      ],
    ]);
});

test("expand() expands skills and templates, and leaves the rest", async () => {
  using temp = new TempDirectory();
  fill(temp);
  const { expand } = await load(temp);
  expect(expand("/fix 'it all'")).toBe("User fix of it all");
  expect(expand("/skill:shared now")).toEndWith("user skill\n</skill>\n\nnow");
  expect(expand("/unknown and /fix")).toBe("/unknown and /fix");
  fs.rmSync(temp.join("home/skills/shared/SKILL.md"));
  expect(() => expand("/skill:shared")).toThrow("Cannot read the skill ");
});

test("loadServices() of two projects share nothing", async () => {
  using temp = new TempDirectory();
  fill(temp);
  temp.write("other/.bough/settings.json", '{"retry":{"maxRetries":9}}');
  temp.write("other/AGENTS.md", "other instructions");
  const first = await load(temp, { trust: true });
  const second = await load(temp, { trust: true, cwd: temp.join("other") });
  const again = await load(temp, { trust: true });
  expect(summary(again)).toEqual(summary(first));
  expect([second.settings.retry.maxRetries, second.skills, second.extensionPaths.length]).toEqual([
    9,
    [expect.objectContaining({ description: "user skill" })],
    2,
  ]);
  expect(second.contextFiles.map(({ text }) => text)).toEqual([
    "user instructions",
    "other instructions",
  ]);
});

test("loadServices() copes with directories that are closed to it, and names those it needed", async () => {
  using temp = new TempDirectory();
  fill(temp);
  const closed = ["home/skills", "home/prompts", "home/extensions"].map((name) => temp.join(name));
  const fs = closeDirectories(temp.join("work/.bough"), temp.join("work/.agents"), ...closed);
  const cwd = temp.make("work/deep/er");
  temp.make("work/.git");
  const { contextFiles, warnings } = await load(temp, { cwd, fs });
  expect(contextFiles.map(({ text }) => text)).toEqual([
    "user instructions",
    "project instructions",
  ]);
  expect(warnings).toEqual(closed.map((file) => ({
    file,
    message: `Cannot read the directory ${file}: permission denied`,
  })));
});
