import { expect, test } from "bun:test";
import * as os from "node:os";
import * as path from "node:path";
import { boughHome, expandTilde, userHome } from "../../../lib/runtime/config/home.ts";

test("boughHome() is BOUGH_HOME, made absolute, else .bough in the user's home", () => {
  const homes = [
    boughHome({ BOUGH_HOME: "/etc/bough", HOME: "/home/ada" }, "/project"),
    boughHome({ BOUGH_HOME: "here", HOME: "/home/ada" }, "/project"),
    boughHome({ BOUGH_HOME: "~/else", HOME: "/home/ada" }, "/project"),
    boughHome({ BOUGH_HOME: "", HOME: "/home/ada" }, "/project"),
    boughHome({ HOME: "/home/ada" }, "/project"),
  ];
  expect(homes).toEqual([
    "/etc/bough",
    "/project/here",
    "/home/ada/else",
    "/home/ada/.bough",
    "/home/ada/.bough",
  ]);
});

test("userHome() without HOME asks the operating system", () => {
  expect([userHome({}), userHome({ HOME: "" })]).toEqual([os.homedir(), os.homedir()]);
  expect(boughHome({}, "/project")).toBe(path.join(os.homedir(), ".bough"));
});

test("expandTilde() expands a leading ~ only", () => {
  const env = { HOME: "/home/ada" };
  const names = ["~", "~/x", "~ada/x", "a/~/x", "/x"];
  expect(names.map((name) => expandTilde(name, env))).toEqual([
    "/home/ada",
    "/home/ada/x",
    "~ada/x",
    "a/~/x",
    "/x",
  ]);
});
