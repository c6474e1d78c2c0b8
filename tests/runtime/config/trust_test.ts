import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { setTrust, trustDecision } from "../../../lib/runtime/config/trust.ts";
import { TempDirectory } from "../../support/temp.ts";

test("trustDecision() is that of the nearest directory above that has one", async () => {
  using temp = new TempDirectory();
  const { home } = temp;
  const [project, inner] = [temp.make("project"), temp.make("project/inner/deep")];
  const decisions = () =>
    [project, inner, temp.path].map((directory) => trustDecision({ home, directory }));
  expect(decisions()).toEqual([undefined, undefined, undefined]);
  await setTrust({ home, directory: project }, true);
  await setTrust({ home, directory: temp.join("project/inner") }, false);
  expect(decisions()).toEqual([
    { trusted: true, directory: project },
    { trusted: false, directory: temp.join("project/inner") },
    undefined,
  ]);
  await setTrust({ home, directory: temp.join("project/inner") }, undefined);
  expect(decisions()[1]).toEqual({ trusted: true, directory: project });
  expect(fs.statSync(temp.join("home/trust.json")).mode & 0o777).toBe(0o600);
});

test("trustDecision() is about the directory that a link leads to", async () => {
  using temp = new TempDirectory();
  const { home } = temp;
  const project = temp.make("project");
  fs.symlinkSync(project, temp.join("link"));
  await setTrust({ home, directory: temp.join("link") }, true);
  expect(trustDecision({ home, directory: project })).toEqual({
    trusted: true,
    directory: project,
  });
});

test("trustDecision() reports a wrong file and never takes it for trust", async () => {
  using temp = new TempDirectory();
  const { home, cwd: directory } = temp;
  const file = temp.write("home/trust.json", JSON.stringify({ [directory]: "yes" }));
  expect(() => trustDecision({ home, directory })).toThrow(
    `Cannot read the trust decisions in ${file}: "${directory}": expected true or false`,
  );
  temp.write("home/trust.json", "{");
  expect(() => trustDecision({ home, directory })).toThrow("line 1, column 2");
  await expect(setTrust({ home, directory }, true)).rejects.toThrow("line 1, column 2");
  expect(temp.read("home/trust.json")).toBe("{");
});
