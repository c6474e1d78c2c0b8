import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import ignore from "ignore";
import { findRipgrep } from "../../../lib/agent/tools/ripgrep.ts";
import { ToolBench } from "../../support/tools.ts";

const ripgrep = findRipgrep(process.env);
const RUNS: [how: string, path: string | undefined][] = [
  ["without ripgrep", "/no-such-directory"],
  ...(ripgrep === undefined ? [] : [["with ripgrep", undefined] satisfies [string, undefined]]),
];

/** A repository with most of what makes searching hard. */
function repository(path: string | undefined): ToolBench {
  const bench: ToolBench = new ToolBench({
    env: () => bench.temp.env(path === undefined ? {} : { PATH: path }),
    ignore: async () => ignore,
  });
  const files: Record<string, string | Uint8Array> = {
    ".git/config": "needle in git\n",
    ".gitignore": "*.log\nbuild/\n/only-top.txt\n!keep.log\n",
    ".hidden": "needle hidden\n",
    "a.ts": "one\nneedle = 1;\nthree\nfour\nNEEDLE\nsix\nseven\nneedle two needle\n",
    "a/z.ts": "no\nneedle\n",
    "a-b/y.ts": "needle\r\nwith crlf needle\r\n",
    "b.log": "needle ignored\n",
    "keep.log": "needle kept\n",
    "build/out.ts": "needle built\n",
    "only-top.txt": "needle top\n",
    "sub/only-top.txt": "needle sub\n",
    "sub/.gitignore": "*.tmp\n!b.log\n",
    "sub/b.log": "needle back\n",
    "sub/x.tmp": "needle tmp\n",
    "binary.bin": new Uint8Array([110, 101, 101, 100, 108, 101, 10, 0, 1, 2]),
    "latin.txt": Buffer.from("caf\xe9 needle\n", "latin1"),
    "utf16.txt": Buffer.from("\ufeffneedle wide\n", "utf16le"),
    "bom.txt": "\ufeffneedle bom\n",
    "ümlaut/Ä.ts": "größe needle\n",
    "long.js": `${"x".repeat(3000)} needle ${"y".repeat(3000)}\n`,
    "no-newline.txt": "needle at the end",
    "empty.txt": "",
    "module/.git": "gitdir: elsewhere\n",
    "module/c.log": "needle in another repository\n",
  };
  for (const [name, content] of Object.entries(files)) bench.write(name, content);
  fs.symlinkSync("a.ts", bench.temp.join("work", "link.ts"));
  fs.symlinkSync(".", bench.temp.join("work", "loop"));
  return bench;
}

for (const [how, path] of RUNS) {
  describe(how, () => {
    test("grep gives path:line: text, in order, without what is ignored", async () => {
      using bench = repository(path);
      expect((await bench.call("grep", { pattern: "needle" })).text.split("\n")).toEqual([
        ".hidden:1: needle hidden",
        "a/z.ts:2: needle",
        "a-b/y.ts:1: needle",
        "a-b/y.ts:2: with crlf needle",
        "a.ts:2: needle = 1;",
        "a.ts:8: needle two needle",
        "bom.txt:1: needle bom",
        "keep.log:1: needle kept",
        "latin.txt:1: caf\ufffd needle",
        `long.js:1: …${"x".repeat(99)} needle ${"y".repeat(393)}…`,
        "module/c.log:1: needle in another repository",
        "no-newline.txt:1: needle at the end",
        "sub/b.log:1: needle back",
        "sub/only-top.txt:1: needle sub",
        "utf16.txt:1: needle wide",
        "ümlaut/Ä.ts:1: größe needle",
      ]);
    });

    test("grep shows lines around a match, and gaps", async () => {
      using bench = repository(path);
      const { text } = await bench.call("grep", {
        pattern: "needle|six",
        path: "a.ts",
        context: 1,
      });
      expect(text.split("\n")).toEqual([
        "a.ts-1- one",
        "a.ts:2: needle = 1;",
        "a.ts-3- three",
        "--",
        "a.ts-5- NEEDLE",
        "a.ts:6: six",
        "a.ts-7- seven",
        "a.ts:8: needle two needle",
      ]);
    });

    test("grep stops at its limit and says so, without lines of the next match", async () => {
      using bench = repository(path);
      const { text } = await bench.call("grep", {
        pattern: "needle",
        glob: "a.*",
        limit: 1,
        context: 2,
      });
      expect(text).toBe(
        "a.ts-1- one\na.ts:2: needle = 1;\na.ts-3- three\na.ts-4- four\n\n" +
          "[The first 1 matches are shown; there are more. Narrow the pattern, the path or the glob.]",
      );
    });

    const greps: [title: string, args: Record<string, unknown>, lines: string[]][] = [
      ["takes a glob of a path", { pattern: "needle", glob: "sub/**" }, [
        "sub/b.log:1: needle back",
        "sub/only-top.txt:1: needle sub",
      ]],
      ["takes a glob with choices that brings nothing ignored back", {
        pattern: "needle",
        glob: "*.{log,tmp}",
      }, [
        "keep.log:1: needle kept",
        "module/c.log:1: needle in another repository",
        "sub/b.log:1: needle back",
      ]],
      ["takes letters of either case", { pattern: "NEEDLE", ignoreCase: true, path: "a.ts" }, [
        "a.ts:2: needle = 1;",
        "a.ts:5: NEEDLE",
        "a.ts:8: needle two needle",
      ]],
      ["takes a glob that leaves out", { pattern: "needle", glob: "!*.{ts,js,txt}" }, [
        ".hidden:1: needle hidden",
        "keep.log:1: needle kept",
        "module/c.log:1: needle in another repository",
        "sub/b.log:1: needle back",
      ]],
      ["takes an inline flag", { pattern: "(?i)NEEDLE$", path: "a.ts" }, [
        "a.ts:5: NEEDLE",
        "a.ts:8: needle two needle",
      ]],
      ["matches the end of a CR LF line", { pattern: "needle$", path: "a-b" }, [
        "a-b/y.ts:1: needle",
        "a-b/y.ts:2: with crlf needle",
      ]],
      ["knows letters beyond ASCII as word characters", {
        pattern: "\\bgr\\w+e\\b",
        path: "ümlaut",
      }, [
        "ümlaut/Ä.ts:1: größe needle",
      ]],
      ["does not find a word edge inside a word", { pattern: "\\bße", path: "ümlaut" }, [
        "No matches.",
      ]],
      ["knows POSIX classes", { pattern: "^[[:upper:]]+$", path: "a.ts" }, ["a.ts:5: NEEDLE"]],
      ["knows look-ahead", { pattern: "needle(?= two)", path: "a.ts" }, [
        "a.ts:8: needle two needle",
      ]],
      ["takes a brace for itself", { pattern: "needle {0,1}= 1;{0}", path: "a.ts" }, [
        "a.ts:2: needle = 1;",
      ]],
      ["takes plain text", { pattern: "needle = 1;", literal: true }, ["a.ts:2: needle = 1;"]],
      ["takes a pattern that begins with a dash", { pattern: "-x|= 1", path: "a.ts" }, [
        "a.ts:2: needle = 1;",
      ]],
      ["searches an ignored file that is named", { pattern: "needle", path: "b.log" }, [
        "b.log:1: needle ignored",
      ]],
      ["finds nothing", { pattern: "haystack" }, ["No matches."]],
      ["finds nothing in a binary file that is named", { pattern: "needle", path: "binary.bin" }, [
        "No matches.",
      ]],
    ];
    for (const [title, args, lines] of greps) {
      test(`grep ${title}`, async () => {
        using bench = repository(path);
        expect((await bench.call("grep", args)).text.split("\n")).toEqual(lines);
      });
    }

    test("grep respects the .gitignore files above the directory that it searches", async () => {
      using bench = repository(path);
      bench.write("sub/deep/c.log", "needle deep\n");
      bench.write("sub/deep/c.txt", "needle deep\n");
      expect((await bench.call("grep", { pattern: "deep", path: "sub/deep" })).text).toBe(
        "sub/deep/c.txt:1: needle deep",
      );
    });

    test("grep says what is wrong with a pattern", async () => {
      using bench = repository(path);
      const { isError, text } = await bench.call("grep", { pattern: "a(b" });
      expect(isError).toBe(true);
      expect(text).toStartWith("Cannot search for this pattern:");
      expect(text).toEndWith("With literal: true it is taken as plain text.");
    });

    const finds: [title: string, args: Record<string, unknown>, lines: string[]][] = [
      ["gives all files in order", { pattern: "*" }, [
        ".gitignore",
        ".hidden",
        "a/z.ts",
        "a-b/y.ts",
        "a.ts",
        "binary.bin",
        "bom.txt",
        "empty.txt",
        "keep.log",
        "latin.txt",
        "long.js",
        "module/c.log",
        "no-newline.txt",
        "sub/.gitignore",
        "sub/b.log",
        "sub/only-top.txt",
        "utf16.txt",
        "ümlaut/Ä.ts",
      ]],
      ["takes a glob of a name at any depth", { pattern: "*.ts" }, [
        "a/z.ts",
        "a-b/y.ts",
        "a.ts",
        "ümlaut/Ä.ts",
      ]],
      ["takes a glob of a path", { pattern: "a*/**/*.ts" }, ["a/z.ts", "a-b/y.ts"]],
      ["gives paths relative to the session's directory", { pattern: "*.log", path: "sub" }, [
        "sub/b.log",
      ]],
      ["stops at its limit", { pattern: "*.ts", limit: 2 }, [
        "a/z.ts",
        "a-b/y.ts",
        "",
        "[The first 2 files are shown; there are more. Narrow the pattern or the path.]",
      ]],
      ["finds nothing", { pattern: "*.rs" }, ["No files match."]],
    ];
    for (const [title, args, lines] of finds) {
      test(`find ${title}`, async () => {
        using bench = repository(path);
        expect((await bench.call("find", args)).text.split("\n")).toEqual(lines);
      });
    }

    test("grep and find stop when the run is aborted", async () => {
      using bench = repository(path);
      const signal = AbortSignal.abort();
      const results = await Promise.all([
        bench.call("grep", { pattern: "needle" }, { signal }),
        bench.call("find", { pattern: "*" }, { signal }),
      ]);
      expect(results.map((result) => result.isError)).toEqual([true, true]);
    });

    test("grep bounds its result", async () => {
      using bench = repository(path);
      bench.write("many.txt", `${"n".repeat(400)}\n`.repeat(2000));
      const { text } = await bench.call("grep", { pattern: "nnn", path: "many.txt", limit: 5000 });
      expect(Buffer.byteLength(text)).toBeLessThan(52_000);
      expect(text).toEndWith("[The rest is left out: it is too long. Narrow the search.]");
    });
  });
}

test.each([
  ["that never ends", "^(a+)+$", `${"a".repeat(200)}b\n`.repeat(100)],
  ["of which the engine gives up one line", "^(a+)+$", `${"a".repeat(200)}b\n`],
  ["that takes for ever on one long line", "a.*b.*c.*d", "a".repeat(200_000)],
])("grep ends a search %s", async (_title, pattern, content) => {
  using bench = repository("/no-such-directory");
  bench.write("bad.txt", content);
  const { isError, text } = await bench.call("grep", { pattern, path: "bad.txt" });
  expect([isError, text]).toEqual([
    true,
    "Cannot search bad.txt: the pattern takes too long there. Make it simpler.",
  ]);
}, 20_000);

test("grep ends a search on one long line when the run is aborted", async () => {
  using bench = repository("/no-such-directory");
  bench.write("bad.txt", "a".repeat(200_000));
  const controller = new AbortController();
  const running = bench.call("grep", { pattern: "a.*b.*c.*d", path: "bad.txt" }, {
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(new Error("stopped")), 100);
  expect(await running).toMatchObject({ isError: true, text: "stopped" });
});

test.each([
  ["has no interpreter", "#!/no/such/interpreter\n"],
  ["is killed", "#!/bin/sh\nkill -9 $$\n"],
])("grep and find look for themselves where ripgrep %s", async (_title, program) => {
  using bench = repository("/no-such-directory");
  const bin = path.dirname(bench.temp.write(path.join("bin", "rg"), program));
  fs.chmodSync(path.join(bin, "rg"), 0o755);
  using own = new ToolBench({ cwd: bench.cwd, env: () => ({ PATH: bin }) });
  bench.write("only.txt", "a needle\n");
  const texts = [
    (await own.call("grep", { pattern: "a needle", path: "only.txt" })).text,
    (await own.call("find", { pattern: "only.*" })).text,
  ];
  expect(texts).toEqual(["only.txt:1: a needle", "only.txt"]);
});

test("find leaves out node_modules where there is nothing that reads .gitignore", async () => {
  using bench = new ToolBench({ env: () => ({ PATH: "/no-such-directory" }) });
  bench.write(".gitignore", "b.txt\n");
  bench.write("a.txt", "");
  bench.write("b.txt", "");
  bench.write("node_modules/c.txt", "");
  expect((await bench.call("find", { pattern: "*.txt" })).text).toBe("a.txt\nb.txt");
});
