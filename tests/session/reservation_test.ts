import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { JsonlSessionRepo } from "../../lib/session/mod.ts";
import { user } from "../support/session_disk.ts";
import { TempDirectory } from "../support/temp.ts";

function twoRepos(temp: TempDirectory): [JsonlSessionRepo, JsonlSessionRepo] {
  const options = { sessionsDir: temp.join("sessions"), flat: true };
  return [new JsonlSessionRepo(options), new JsonlSessionRepo(options)];
}

const KEY = { cwd: "/project", id: "key", reserve: true };

test("create() with reserve keeps the id until the session's file is there", async () => {
  using temp = new TempDirectory();
  const [one, two] = twoRepos(temp);
  const session = await one.create(KEY);
  await expect(two.create(KEY)).rejects.toMatchObject({
    code: "busy",
    holder: { pid: process.pid },
    message: expect.stringMatching(/^Cannot begin session key: process \d+ /),
  });
  await (await two.create({ ...KEY, id: "other" })).close();
  expect(await two.findKey("key", "/project")).toBeUndefined();
  await session.appendMessage(user("first"));
  expect(await two.findKey("key", "/project")).toBe(session.file ?? "");
  await expect(two.create(KEY)).rejects.toMatchObject({
    code: "busy",
    message: "Cannot begin session key: it has just been begun. Try again.",
  });
  await session.close();
  expect(fs.readdirSync(temp.join("sessions"))).toEqual([
    (session.file ?? "").split("/").pop() ?? "",
  ]);
});

test("create() with reserve leaves nothing behind when nothing was said", async () => {
  using temp = new TempDirectory();
  const [one, two] = twoRepos(temp);
  await (await one.create(KEY)).close();
  expect(fs.readdirSync(temp.join("sessions"))).toEqual([]);
  const session = await two.create(KEY);
  await session.close();
});

test("create() with reserve takes over what a killed process reserved", async () => {
  using temp = new TempDirectory();
  temp.write("sessions/.key.new", "");
  const [one] = twoRepos(temp);
  const session = await one.create(KEY);
  await session.appendMessage(user("first"));
  await session.close();
  expect(fs.readdirSync(temp.join("sessions")).length).toBe(1);
});
