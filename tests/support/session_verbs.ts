/** Session verbs of the binary, over sessions that a test has written. */
import * as fs from "node:fs";
import * as path from "node:path";
import { binaryPath, runBinary } from "./binary.ts";
import type { FinishedProcess, ProcessOptions } from "./process.ts";
import { noPtyReason, TerminalProcess } from "./pty.ts";
import { TempDirectory } from "./temp.ts";
import { type WrittenSession, writtenSession } from "./written_session.ts";

export class SessionVerbs implements Disposable {
  readonly temp = new TempDirectory();
  readonly sessions = this.temp.make("home/sessions");

  /** Writes a session of the directory that verbs start in, unless it has another. */
  write(name: string, session: WrittenSession): string {
    const cwd = session.cwd ?? this.temp.cwd;
    return this.temp.write(`home/sessions/${name}.jsonl`, writtenSession({ ...session, cwd }));
  }

  /** Runs a verb to its end. */
  async run(words: readonly string[], options: Omit<ProcessOptions, "temp"> = {}) {
    return await runBinary(["session", ...words], { temp: this.temp, ...options });
  }

  /** What a verb prints; throws if it fails. */
  async text(...words: string[]): Promise<string> {
    const { stdout, stderr, code } = await this.run(words);
    if (code !== 0) throw new Error(`session ${words.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** What a verb prints with `--json`. */
  async json(...words: string[]): Promise<unknown> {
    return JSON.parse(await this.text(...words, "--json"));
  }

  /** The code and stderr of a verb that fails. */
  async failure(...words: string[]): Promise<{ code: FinishedProcess["code"]; stderr: string }> {
    const { stdout, code, stderr } = await this.run(words);
    if (stdout !== "") throw new Error(`session ${words.join(" ")} printed ${stdout}`);
    return { code, stderr };
  }

  /** What a verb shows on a terminal. */
  async screen(words: readonly string[], columns: number): Promise<string> {
    const command = await binaryPath();
    using process = new TerminalProcess(command, ["session", ...words], {
      temp: this.temp,
      columns,
    });
    const { stdout } = await process.finished;
    return stdout.replaceAll("\r\n", "\n");
  }

  /** Every file of the sessions, with its bytes and its time. */
  state(): string[] {
    return fs.readdirSync(this.sessions, { recursive: true, encoding: "utf8" }).sort().map(
      (name) => {
        const file = path.join(this.sessions, name);
        const stat = fs.statSync(file);
        return `${name} ${stat.mtimeMs} ${stat.isFile() ? fs.readFileSync(file, "utf8") : ""}`;
      },
    );
  }

  [Symbol.dispose](): void {
    this.temp[Symbol.dispose]();
  }
}

export { noPtyReason };
