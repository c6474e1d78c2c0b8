import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../support/binary.ts";
import { bashCall, completion, LocalRun, readLines } from "../support/local_run.ts";
import type { PlannedAnswer } from "../support/scripted_server.ts";

const EXAMPLES = path.join(ROOT, "examples");
const ANSWER = completion("An answer.");

function missing(...programs: string[]): string | undefined {
  const absent = programs.find((name) => spawnSync(name, ["--version"]).status !== 0);
  return absent === undefined ? undefined : `(${absent} is not installed)`;
}

const noGit = missing("git");
const noMake = missing("make") ?? noGit;

/** Makes the working directory a repository with one commit, and another that is staged. */
function repository(local: LocalRun): void {
  const git = (...args: string[]) => {
    const run = spawnSync("git", args, { cwd: local.temp.cwd, env: gitEnv(local) });
    if (run.status !== 0) throw new Error(`${run.stderr}`);
  };
  git("init", "--quiet", "--initial-branch", "main");
  local.temp.write("work/boat.txt", "a boat\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "A boat");
  local.temp.write("work/boat.txt", "a red boat\n");
  git("add", ".");
}

function gitEnv(local: LocalRun, more: Record<string, string> = {}) {
  return local.temp.env({
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
    GIT_CONFIG_NOSYSTEM: "1",
    ...more,
  });
}

test("examples/README.md lists what there is", () => {
  const page = fs.readFileSync(path.join(EXAMPLES, "README.md"), "utf8");
  const linked = [...page.matchAll(/\]\(([a-z][\w/.-]*)\)/g)].map(([, name = ""]) => name);
  const whole = ["demo", "extensions"];
  const files = fs.readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" })
    .filter((name) => name !== "README.md" && fs.statSync(path.join(EXAMPLES, name)).isFile())
    .map((name) => whole.find((folder) => name.startsWith(`${folder}${path.sep}`)) ?? name);
  expect([...new Set(linked.map((name) => name.replace(/\/$/, "")))].sort())
    .toEqual([...new Set(files)].sort());
});

describe("cron/daily.sh", () => {
  const script = path.join(EXAMPLES, "cron/daily.sh");

  /** Runs it on a day, as cron does: with next to nothing in the environment. */
  async function daily(local: LocalRun, day: string) {
    const date = `#!/bin/sh\nexec /bin/date --date=${day} "$@"\n`;
    fs.chmodSync(local.temp.write("days/date", date), 0o755);
    return await local.shell(
      `PATH="${local.temp.join("days")}:$PATH" ${script} "$PWD" "What is new?"`,
    );
  }

  const dates = spawnSync("date", ["--date=2030-01-07", "+%G-W%V"], { encoding: "utf8" });
  const isGnu = dates.stdout?.trim() === "2030-W02";

  test.skipIf(!isGnu)("goes on with a week's session, and begins another in the next", async () => {
    await using local = await LocalRun.start([ANSWER]);
    for (const day of ["2030-01-07", "2030-01-08", "2030-01-14"]) {
      expect(await daily(local, day)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    }
    const headers = local.sessionFiles().map((file) => readLines(file)[0]?.["id"]);
    expect(headers.sort()).toEqual(["daily-2030-W02", "daily-2030-W03"]);
    const messages = local.server.bodies().map(({ messages }) =>
      Array.isArray(messages) ? messages.length : 0
    );
    // The second day's request has what was said on the first.
    expect(messages).toEqual([2, 4, 2]);
    expect(local.temp.read("user/bough-daily.md")).toBe(
      ["07", "08", "14"].map((day) => `## 2030-01-${day}\n\nAn answer.\n\n`).join(""),
    );
  });

  test("says what is missing, and ends as bough does", async () => {
    await using local = await LocalRun.start([ANSWER]);
    local.temp.write("home/models.json", "{}");
    const { code, stderr } = await local.shell(`${script} "$PWD" "What is new?"`);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^bough: Cannot use the model "local\/m"/);
    expect(stderr).toMatch(/^ERROR +model /m);
    expect(fs.existsSync(local.temp.join("user/bough-daily.md"))).toBe(false);
  });
});

describe.skipIf(noGit !== undefined)(`the git hooks ${noGit ?? ""}`, () => {
  async function withHook(name: string, plan: Parameters<typeof LocalRun.start>[0]) {
    const local = await LocalRun.start(plan);
    repository(local);
    const hook = path.join(local.temp.cwd, ".git/hooks", name);
    fs.mkdirSync(path.dirname(hook), { recursive: true });
    fs.copyFileSync(path.join(EXAMPLES, "git", name), hook);
    fs.chmodSync(hook, 0o755);
    return local;
  }

  async function git(local: LocalRun, args: string, more: Record<string, string> = {}) {
    const env = gitEnv(local, { GIT_EDITOR: "true", ...more });
    // `shell` puts the directory with bough in front.
    return await local.shell(`git ${args} && git log -1 --format=%B`, {
      env: { ...env, PATH: `${local.temp.join("bin")}:${env["PATH"]}` },
    });
  }

  test("prepare-commit-msg suggests a message of what is staged", async () => {
    await using local = await withHook("prepare-commit-msg", [completion("Paint the boat")]);
    const { code, stdout } = await git(local, "commit --quiet");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Paint the boat\n\n" });
    expect(local.lastMessages()[0]).toContain("+a red boat");
    expect(local.sessionFiles()).toEqual([]);
  });

  test("prepare-commit-msg leaves a given message alone, and asks nobody", async () => {
    await using local = await withHook("prepare-commit-msg", [ANSWER]);
    expect((await git(local, "commit --quiet -m Mine")).stdout).toBe("Mine\n\n");
    expect(local.server.requests).toEqual([]);
  });

  test("prepare-commit-msg does not stand in the way when there is no answer", async () => {
    await using local = await withHook("prepare-commit-msg", [{ status: 400, json: {} }]);
    const { code, stdout } = await git(local, "commit --quiet", {
      GIT_EDITOR: "sh -c 'echo Typed > \"$0\"'",
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Typed\n\n" });
  });

  test.each([
    ["lets a good one pass", completion('{"ok": true, "problems": []}'), {}, 0, 1],
    ["stops a bug", completion('{"ok":false,"problems":["boat.txt:1 is red"]}'), {}, 1, 1],
    ["lets it pass when there is no answer", { status: 400, json: {} }, {}, 0, 1],
    ["can be left out", ANSWER, { BOUGH_HOOKS: "off" }, 0, 0],
  ])("pre-push %s", async (
    _: string,
    answer: PlannedAnswer,
    more: Record<string, string>,
    code: number,
    requests: number,
  ) => {
    await using local = await withHook("pre-push", [answer]);
    const there = local.temp.join("there.git");
    await local.shell(`git init --quiet --bare "${there}" && git remote add origin "${there}"`);
    const run = await git(local, "push --quiet origin main", more);
    expect(run.code).toBe(code);
    expect(local.server.requests).toHaveLength(requests);
    if (requests > 0) expect(local.lastMessages()[0]).toContain("+a boat");
    if (code !== 0) {
      expect(run.stderr).toContain(
        'pre-push: {"ok":false,"problems":["boat.txt:1 is red"]}',
      );
    }
    const { stdout } = await local.shell(`git -C "${there}" branch`);
    expect(stdout.trim()).toBe(code === 0 ? "main" : "");
  });
});

describe("shell/bough.sh", () => {
  const source = `. ${path.join(EXAMPLES, "shell/bough.sh")}`;

  test("ask goes on with the shell's own conversation", async () => {
    await using local = await LocalRun.start([ANSWER]);
    const run = await local.shell(`${source}; ask how are you; ask "and now?"`);
    expect(run).toMatchObject({ code: 0, stdout: "An answer.\nAn answer.\n", stderr: "" });
    expect(local.lastMessages()).toEqual(["how are you", "and now?"]);
    expect(local.sessionFiles()).toHaveLength(1);
  });

  test("why runs the command as it is, and asks only if it fails", async () => {
    await using local = await LocalRun.start([ANSWER]);
    const good = await local.shell(`${source}; why echo fine`);
    const bad = await local.shell(`${source}; why sh -c 'echo broken; exit 4'`);
    expect(good).toMatchObject({ code: 0, stdout: "fine\n", stderr: "" });
    expect(bad).toMatchObject({ code: 4, stdout: "broken\n", stderr: "An answer.\n" });
    expect(local.lastMessages()).toEqual([expect.stringContaining("broken\n")]);
    expect(local.lastMessages()[0]).toContain("ended with 4");
  });

  test("reword is a filter", async () => {
    await using local = await LocalRun.start([ANSWER]);
    const run = await local.shell(`${source}; echo some text | reword "as a list" | tr a-z A-Z`);
    expect(run).toMatchObject({ code: 0, stdout: "AN ANSWER.\n", stderr: "" });
    expect(local.lastMessages()[0]).toBe(
      "<stdin>\nsome text\n</stdin>\n\nRewrite the text as a list. The text alone.",
    );
  });
});

describe.skipIf(noMake !== undefined)(`make/bough.mk ${noMake ?? ""}`, () => {
  async function make(local: LocalRun, args: string) {
    return await local.shell(`make -s -f ${path.join(EXAMPLES, "make/bough.mk")} ${args}`);
  }

  test("review tells what is wrong with the change", async () => {
    await using local = await LocalRun.start([ANSWER]);
    repository(local);
    expect(await make(local, "review")).toMatchObject({ code: 0, stdout: "An answer.\n" });
    expect(local.lastMessages()[0]).toContain("+a red boat");
  });

  test("NOTES.md is made of the commits, once", async () => {
    await using local = await LocalRun.start([ANSWER]);
    repository(local);
    for (let time = 0; time < 2; time++) {
      expect((await make(local, "NOTES.md")).code).toBe(0);
    }
    expect(local.temp.read("work/NOTES.md")).toBe("An answer.\n");
    expect(local.lastMessages()).toEqual([expect.stringContaining("A boat")]);
  });

  test("a run that fails stops make, and leaves no half file", async () => {
    await using local = await LocalRun.start([{ status: 400, json: {} }]);
    repository(local);
    expect((await make(local, "NOTES.md")).code).toBe(2);
    expect(fs.existsSync(local.temp.join("work/NOTES.md"))).toBe(false);
  });

  test("fix-tests asks only if they fail, and says whether they pass then", async () => {
    await using local = await LocalRun.start([bashCall("touch fixed"), completion("Mended.")]);
    repository(local);
    const test = `TEST="sh -c 'test -e fixed || { echo broken; exit 1; }'"`;
    expect(await make(local, `fix-tests ${test}`)).toMatchObject({ code: 0, stdout: "Mended.\n" });
    expect(local.lastMessages()[0]).toContain("broken");
    expect(await make(local, `fix-tests ${test}`)).toMatchObject({ code: 0, stdout: "" });
    expect(local.server.requests).toHaveLength(2);
  });
});

describe.skipIf(noGit !== undefined)(`github/review.yml ${noGit ?? ""}`, () => {
  const text = fs.readFileSync(path.join(EXAMPLES, "github/review.yml"), "utf8");
  const workflow: Workflow = Object(Bun.YAML.parse(text));

  interface Workflow {
    on: string;
    permissions: Record<string, string>;
    jobs: Record<string, { steps: { name?: string; run?: string }[] }>;
  }

  test("may read alone", () => {
    expect({ on: workflow.on, permissions: workflow.permissions }).toEqual({
      on: "pull_request",
      permissions: { contents: "read" },
    });
  });

  test("its last step reviews what the branch adds, as GitHub runs it", async () => {
    await using local = await LocalRun.start([ANSWER]);
    repository(local);
    const run = workflow.jobs["review"]?.steps.at(-1)?.run ?? "";
    const summary = local.temp.join("summary.md");
    const env = gitEnv(local, {
      GITHUB_BASE_REF: "main",
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: local.temp.path,
    });
    const { code, stdout } = await local.shell(
      `git update-ref refs/remotes/origin/main HEAD; git commit --quiet -m Red\n` +
        `set -eo pipefail\n${run}`,
      { env: { ...env, PATH: `${local.temp.join("bin")}:${env["PATH"]}` } },
    );
    expect(code).toBe(0);
    expect(stdout).toContain("A run can work.\nAn answer.\n");
    expect(fs.readFileSync(summary, "utf8")).toBe("An answer.\n");
    expect(local.lastMessages()[0]).toContain("+a red boat");
    expect(JSON.parse(local.temp.read("review.json"))).toMatchObject({ ok: true });
  });
});
