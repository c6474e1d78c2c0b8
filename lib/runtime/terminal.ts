/** Which descriptors are terminals. */
import * as fs from "node:fs";

const NULL_DEVICE = "/dev/null";

/**
 * Whether a descriptor is a terminal. `node:tty` brings all of the streams with it, which is a tenth
 * of a short run; so it is loaded only for what may be a terminal.
 */
export function isTerminal(fd: number): boolean {
  return mayBeTerminal(fd) && process.getBuiltinModule("node:tty").isatty(fd);
}

/** No for files, pipes, sockets and the null device; yes if in doubt. */
function mayBeTerminal(fd: number): boolean {
  if (process.platform === "win32") return true;
  try {
    const stat = fs.fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== fs.statSync(NULL_DEVICE).rdev;
  } catch {
    // A closed descriptor, or a system without the device: `isatty` decides.
    return true;
  }
}
