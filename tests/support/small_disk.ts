/** A real disk of a few pages, to fill up. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import type { TempDirectory } from "./temp.ts";

/** A small tmpfs, mounted until it is disposed of. Needs root, on Linux. */
export class SmallDisk implements Disposable {
  readonly path: string;

  /** @param size In bytes. */
  constructor(temp: TempDirectory, size: number) {
    this.path = temp.make("disk");
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", this.path], {
      stdio: "ignore",
    });
  }

  /** Takes all that is free; removing the file that it returns gives it back. */
  fill(): string {
    const file = `${this.path}/fill`;
    const fd = fs.openSync(file, "w");
    const page = new Uint8Array(4096);
    try {
      // A full disk takes a part, or throws.
      while (fs.writeSync(fd, page) === page.length) { /* more */ }
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    } finally {
      fs.closeSync(fd);
    }
    return file;
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["--lazy", this.path], { stdio: "ignore" });
  }
}

/** Why there can be no small disk here; undefined if there can. */
export function whyNoSmallDisk(temp: TempDirectory): string | undefined {
  try {
    new SmallDisk(temp, 65536)[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return `a small tmpfs cannot be mounted: ${error instanceof Error ? error.message : error}`;
  }
}
