/** Who else may get at a session: its file is to be 0600, a directory that we made 0700. */
import * as path from "node:path";
import type { FileSystem } from "./file_system.ts";

/** Something that others have a right to, which they should not. */
export interface WrongMode {
  what: "the file" | "its directory";
  path: string;
  mode: number;
  right: number;
}

const OTHERS = 0o077;
/** A directory made for the sessions of one working directory; others belong to the user. */
const OWN_DIRECTORY = /^--.*--$/;

/** What of a session file (its real path) is open to others; nothing where there are no modes. */
export function wrongModes(fs: FileSystem, file: string): WrongMode[] {
  if (process.platform === "win32") return [];
  const directory = path.dirname(file);
  const candidates = [
    { what: "the file" as const, path: file, right: 0o600 },
    ...OWN_DIRECTORY.test(path.basename(directory))
      ? [{ what: "its directory" as const, path: directory, right: 0o700 }]
      : [],
  ];
  return candidates.flatMap((candidate) => {
    const mode = (fs.stat(candidate.path)?.mode ?? 0) & 0o777;
    return (mode & OTHERS) === 0 ? [] : [{ ...candidate, mode }];
  });
}

/** "the file has mode 0644, not 0600" */
export function describeMode({ what, mode, right }: WrongMode): string {
  const octal = (bits: number) => bits.toString(8).padStart(4, "0");
  return `${what} has mode ${octal(mode)}, not ${octal(right)}`;
}
