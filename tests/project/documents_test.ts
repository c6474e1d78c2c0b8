import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { EXIT_CODES } from "../../lib/runtime/command_line/exit_code.ts";
import { ROOT } from "../support/binary.ts";
import { sourceFiles } from "../support/imports.ts";

function read(name: string): string {
  return fs.readFileSync(path.join(ROOT, name), "utf8");
}

/** The values of `type` in the unions of a file. */
function typesIn(file: string): string[] {
  return [...read(file).matchAll(/\btype: "(\w+)"/g)].map(([, type = ""]) => type);
}

function missingIn(document: string, types: readonly string[]): string[] {
  const text = read(document);
  return types.filter((type) => !text.includes(`\`${type}\``));
}

test("docs/events.md names each event", () => {
  const events = [...typesIn("lib/agent/event.ts"), ...typesIn("lib/runtime/event.ts")];
  expect(events.length).toBeGreaterThan(20);
  expect(missingIn("docs/events.md", events)).toEqual([]);
});

test("docs/library.md names each error code", () => {
  const unions = ["lib/session/errors.ts", "lib/agent/model.ts", "lib/compaction/errors.ts"].map(
    (file) => /export type \w+ErrorCode =([\s\S]*?);/.exec(read(file))?.[1] ?? "",
  );
  const codes = unions.map((union) => [...union.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code));
  expect(codes.map(({ length }) => length > 5)).toEqual([true, true, true]);
  expect(missingIn("docs/library.md", codes.flat())).toEqual([]);
});

test("docs/session-format.md names each entry type", () => {
  const types = typesIn("lib/session/entry.ts").filter((type) => type !== "session");
  expect(types.length).toBeGreaterThan(10);
  expect(missingIn("docs/session-format.md", types)).toEqual([]);
});

test("each document that is named is there", () => {
  const files = [...sourceFiles("lib"), "cli.ts", "mod.ts", "README.md", "ARCHITECTURE.md"];
  const named = files.flatMap((file) => read(file).match(/\bdocs\/[\w-]+\.\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((name) => !fs.existsSync(path.join(ROOT, name)))).toEqual([]);
});

const PAGES = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  ...markdownIn("docs"),
  "examples/README.md",
];

function markdownIn(folder: string): string[] {
  return fs.readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

/** The links of a page to files and headings of the project, as they are written. */
function linksOf(page: string): string[] {
  const text = read(page).replace(/```[^]*?```/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

/** What a heading is linked by. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
}

test("README.md leads to every page", () => {
  const linked = linksOf("README.md");
  expect(PAGES.filter((page) => page !== "README.md" && !linked.includes(page))).toEqual([]);
});

test("each link of a page leads to a file or a heading that is there", () => {
  const dead = PAGES.flatMap((page) =>
    linksOf(page).filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? page : path.join(path.dirname(page), file);
      if (!fs.existsSync(path.join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    }).map((link) => `${page}: ${link}`)
  );
  expect(dead).toEqual([]);
});

test("the pages tell the exit codes as --help does", () => {
  const signals = Object.keys(EXIT_CODES).filter((code) => Number(code) > 128);
  const rows = [
    ...Object.entries(EXIT_CODES).filter(([code]) => Number(code) <= 128),
    [signals.join(", "), "SIGHUP, SIGINT, SIGPIPE, SIGTERM"],
  ];
  for (const page of ["README.md", "docs/cli.md"]) {
    const [, section = ""] = read(page).split("## Exit codes\n");
    const told = [...section.matchAll(/^\| ([\d, ]+?) +\| (.+?) +\|$/gm)]
      .map(([, code = "", what = ""]) => [code, what]);
    expect([page, told]).toEqual([page, rows]);
  }
});
