import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { systemTimer } from "../../../lib/agent/mod.ts";
import { UsageError } from "../../../lib/runtime/modes/exit_codes.ts";
import { PrintTally } from "../../../lib/runtime/modes/print_tally.ts";
import { checkResultFile, writeResultFile } from "../../../lib/runtime/modes/result_file.ts";
import { TempDirectory } from "../../support/temp.ts";

const RESULT = new PrintTally(systemTimer).result({ kind: "pipe" });

test("writeResultFile() writes one line of JSON and leaves nothing else behind", () => {
  using temp = new TempDirectory();
  writeResultFile("r.json", temp.cwd, RESULT);
  expect(temp.read("work/r.json")).toBe(`${JSON.stringify(RESULT)}\n`);
  expect(fs.readdirSync(temp.cwd)).toEqual(["r.json"]);
});

test("writeResultFile() replaces what is there, and what a link means", () => {
  using temp = new TempDirectory();
  const target = temp.write("real/r.json", "old");
  fs.symlinkSync(target, temp.join("work/link.json"));
  writeResultFile("link.json", temp.cwd, RESULT);
  expect(temp.read("real/r.json")).toBe(`${JSON.stringify(RESULT)}\n`);
  expect(fs.lstatSync(temp.join("work/link.json")).isSymbolicLink()).toBe(true);
  expect(fs.readdirSync(temp.join("real"))).toEqual(["r.json"]);
});

test("writeResultFile() writes to a device instead of replacing it", () => {
  writeResultFile("/dev/null", "/", RESULT);
  expect(fs.statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("checkResultFile() finds out beforehand that the file cannot be written", () => {
  using temp = new TempDirectory();
  checkResultFile("r.json", temp.cwd);
  const check = (file: string) => () => checkResultFile(file, temp.cwd);
  expect(check("gone/r.json")).toThrow(UsageError);
  expect(check("gone/r.json")).toThrow(
    "Cannot write --result-file gone/r.json: its directory does not exist",
  );
  expect(check("..")).toThrow("Cannot write --result-file ..: EISDIR");
});

test("writeResultFile() keeps the permissions of what it replaces", () => {
  using temp = new TempDirectory();
  fs.chmodSync(temp.write("work/r.json", "old"), 0o600);
  writeResultFile("r.json", temp.cwd, RESULT);
  expect(fs.statSync(temp.join("work/r.json")).mode & 0o777).toBe(0o600);
});
