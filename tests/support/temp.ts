/** A directory of a test's own, gone when the test ends. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/**
 * A temporary directory with a home for Bough in it. Use it with `using`, so that it is removed
 * whatever happens:
 *
 *     using temp = new TempDirectory();
 *     await runBinary(["--version"], { temp });
 */
export class TempDirectory implements Disposable {
  /** Absolute, with links resolved. */
  readonly path: string;
  /** `BOUGH_HOME`. */
  readonly home: string;
  /** Where a test's program starts, unless it says otherwise. */
  readonly cwd: string;

  constructor() {
    this.path = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bough-test-")));
    this.home = this.make("home");
    this.cwd = this.make("work");
  }

  /** The path of something in the directory. */
  join(...parts: string[]): string {
    return path.join(this.path, ...parts);
  }

  /** Makes a directory in it (its parents too) and returns its path. */
  make(...parts: string[]): string {
    const directory = this.join(...parts);
    fs.mkdirSync(directory, { recursive: true });
    return directory;
  }

  /** Writes a file in it (its directory is made) and returns its path. */
  write(name: string, content: string | Uint8Array): string {
    const file = this.join(name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    return file;
  }

  /** The text of a file in it. */
  read(name: string): string {
    return fs.readFileSync(this.join(name), "utf8");
  }

  /**
   * An environment for a child process: the path, this home, and nothing else of the machine, so
   * that no key and no setting of the person who runs the tests gets in.
   */
  env(more: Readonly<Record<string, string | undefined>> = {}): Record<string, string | undefined> {
    return {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: this.make("user"),
      TMPDIR: this.make("tmp"),
      LANG: "C.UTF-8",
      BOUGH_HOME: this.home,
      ...more,
    };
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.path, { recursive: true, force: true });
  }
}
