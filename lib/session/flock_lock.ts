/**
 * `flock(2)` on an open file: through `bun:ffi` in Bun, `Deno.FsFile` in Deno. The kernel ties it to
 * the open file, not to a path or a process, and lets go of it when the process ends in any way; so
 * no stale lock exists, two openers in one process exclude each other too, and closing another
 * descriptor of the same file does not lose it (as it would with POSIX locks).
 */
import type { FileSystem } from "./file_system.ts";

/** `unsupported`: the file system or the runtime has no flock. `replaced`: path and fd differ. */
export type FlockOutcome = { unlock(): void } | "busy" | "unsupported" | "replaced";

/** Tries once, without waiting. */
export type Flock = (file: string, fd: number) => FlockOutcome;

const LOCK_EXCLUSIVE_NOW = 2 | 4;
const UNLOCK = 8;

/** Errors of flock by what they mean here; numbers differ between Linux and macOS. */
const ERRNO = {
  linux: { interrupted: 4, wouldBlock: 11, unsupported: [22, 37, 38, 95] },
  darwin: { interrupted: 4, wouldBlock: 35, unsupported: [22, 45, 77, 78, 102] },
};

const LIBRARIES = {
  linux: [
    "libc.so.6",
    "libc.so",
    `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
  ],
  darwin: ["libSystem.B.dylib"],
};

interface Ffi {
  dlopen(
    library: string,
    symbols: Record<string, { args: readonly string[]; returns: string }>,
  ): { symbols: Record<string, (...args: number[]) => number> };
  read: { i32(pointer: number, offset: number): number };
}

function isFfi(module: unknown): module is Ffi {
  return typeof module === "object" && module !== null && "dlopen" in module &&
    typeof module.dlopen === "function" && "read" in module;
}

/** flock through the C library, or undefined where this runtime cannot call it. */
function openBunFlock(): Flock | undefined {
  const { platform } = process;
  if (platform !== "linux" && platform !== "darwin") return undefined;
  const ffi: unknown = process.getBuiltinModule("bun:ffi");
  if (!isFfi(ffi)) return undefined;
  const errnoLocation = platform === "linux" ? "__errno_location" : "__error";
  for (const library of LIBRARIES[platform]) {
    try {
      const { symbols } = ffi.dlopen(library, {
        flock: { args: ["i32", "i32"], returns: "i32" },
        [errnoLocation]: { args: [], returns: "ptr" },
      });
      const { flock, [errnoLocation]: location } = symbols;
      if (!flock || !location) continue;
      return bunFlock(flock, () => ffi.read.i32(location(), 0), ERRNO[platform]);
    } catch {
      // Another C library (or linker script) of that name; the next one, else the link lock.
      continue;
    }
  }
  return undefined;
}

function bunFlock(
  flock: (fd: number, operation: number) => number,
  errno: () => number,
  codes: { interrupted: number; wouldBlock: number; unsupported: readonly number[] },
): Flock {
  return (file, fd) => {
    while (flock(fd, LOCK_EXCLUSIVE_NOW) !== 0) {
      const code = errno();
      if (code === codes.interrupted) continue;
      if (code === codes.wouldBlock) return "busy";
      if (codes.unsupported.includes(code)) return "unsupported";
      throw new Error(`Cannot lock ${file}: flock failed with error ${code}`);
    }
    return { unlock: () => void flock(fd, UNLOCK) };
  };
}

interface DenoFile {
  tryLockSync(exclusive: boolean): boolean;
  statSync(): { ino: number | null };
  close(): void;
}

interface DenoFiles {
  openSync(path: string, options: { read: boolean }): DenoFile;
}

function isDeno(value: unknown): value is DenoFiles {
  return typeof value === "object" && value !== null && "openSync" in value &&
    typeof value.openSync === "function";
}

/** Deno locks files that it opened itself; so the lock has a descriptor of its own. */
function denoFlock(deno: DenoFiles, fs: FileSystem): Flock {
  return (file, fd) => {
    const own = deno.openSync(file, { read: true });
    const outcome = tryDenoLock(own, fs.stat(fd)?.ino);
    if (typeof outcome === "string") own.close();
    return outcome;
  };
}

function tryDenoLock(own: DenoFile, ino: number | undefined): FlockOutcome {
  if (own.statSync().ino !== ino) return "replaced";
  try {
    return own.tryLockSync(true) ? { unlock: () => own.close() } : "busy";
  } catch {
    // Every failure but "busy" means that this file system has no lock to give.
    return "unsupported";
  }
}

/** This runtime's flock, or undefined where there is none (Windows, an unknown C library, Node). */
export function openFlock(fs: FileSystem): Flock | undefined {
  const deno: unknown = Reflect.get(globalThis, "Deno");
  // On Windows Deno's lock would keep others from reading the file, too.
  if (isDeno(deno)) return process.platform === "win32" ? undefined : denoFlock(deno, fs);
  return openBunFlock();
}
