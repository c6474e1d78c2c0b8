import { expect, test } from "bun:test";
import { projectDirectory } from "../../../lib/runtime/config/project.ts";
import { TempDirectory } from "../../support/temp.ts";

test("projectDirectory() is the nearest marked directory within the repository", () => {
  using temp = new TempDirectory();
  const { home } = temp;
  temp.make(".bough");
  temp.make("repo/.git");
  const deep = temp.make("repo/a/b");
  const found = () => projectDirectory({ cwd: deep, home });
  expect(found()).toBe(deep);
  temp.make("repo/.agents/skills");
  expect(found()).toBe(temp.join("repo"));
  temp.make("repo/a/.bough");
  expect(found()).toBe(temp.join("repo/a"));
});

test("projectDirectory() outside of a repository is the directory itself", () => {
  using temp = new TempDirectory();
  temp.make("above/.bough");
  const cwd = temp.make("above/here");
  expect(projectDirectory({ cwd, home: temp.home })).toBe(cwd);
});

test("projectDirectory() does not take the user's own directory for a project's", () => {
  using temp = new TempDirectory();
  const home = temp.make(".bough");
  temp.make(".git");
  const cwd = temp.make("docs");
  expect(projectDirectory({ cwd: temp.path, home })).toBeUndefined();
  expect(projectDirectory({ cwd, home })).toBe(cwd);
});
