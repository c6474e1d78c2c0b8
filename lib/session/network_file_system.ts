/**
 * Whether a file lies on a network file system. There a lock of one host may mean nothing on
 * another, and an append need not be whole.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { tryReadText } from "./processes.ts";

/** `statfs` types on Linux (linux/magic.h and the file systems' own headers). */
const LINUX_TYPES: Record<number, string> = {
  0x6969: "nfs",
  0x517b: "smb",
  0xff534d42: "cifs",
  0xfe534d42: "smb2",
  0x5346414f: "afs",
  0x6b414653: "afs",
  0x73757245: "coda",
  0x00c36400: "ceph",
  0x564c: "ncp",
  0x01161970: "gfs2",
  0x0bd00bd0: "lustre",
  0x7461636f: "ocfs2",
  0x19830326: "beegfs",
  0x47504653: "gpfs",
  0x786f4256: "vboxsf",
  0xbacbacbc: "vmhgfs",
};

/** Types that may be remote or not: their mount tells. */
const MOUNT_TELLS: Record<number, string> = { 0x65735546: "fuse", 0x01021997: "9p" };

/** FUSE file systems whose data lies on this machine; every other one is taken for a remote one. */
const LOCAL_FUSE = new Set([
  "fuseblk",
  "fuse.bindfs",
  "fuse.cryfs",
  "fuse.encfs",
  "fuse.ext4",
  "fuse.fuse-overlayfs",
  "fuse.gocryptfs",
  "fuse.mergerfs",
  "fuse.ntfs-3g",
  "fuse.securefs",
  "fuse.unionfs",
  "fuse.veracrypt",
  "fuse.zfs",
]);

interface Mount {
  at: string;
  type: string;
  local: boolean;
}

/** The mounts in the text of `/proc/self/mountinfo`. */
export function parseMountInfo(text: string): Mount[] {
  return text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const at = before.split(" ")[4];
    const [type, , options = ""] = after.split(" ");
    if (!at || !type) return [];
    const unescaped = at.replace(
      /\\([0-7]{3})/g,
      (_, octal: string) => String.fromCharCode(parseInt(octal, 8)),
    );
    return [{ at: unescaped, type, local: isLocal(type, options) }];
  });
}

/**
 * 9p over a descriptor is how a sandbox or a subsystem sees the disk of its own machine; over
 * anything else, others may have the files open, too.
 */
function isLocal(type: string, options: string): boolean {
  if (type === "9p") return options.split(",").includes("trans=fd");
  return LOCAL_FUSE.has(type) || !type.startsWith("fuse");
}

/** The mounts in what macOS's `mount` prints. */
export function parseMountOutput(text: string): Mount[] {
  return text.split("\n").flatMap((line) => {
    const match = /^.* on (.+) \(([^,)]+)(.*)\)$/.exec(line);
    const [, at, type, options = ""] = match ?? [];
    return at && type ? [{ at, type, local: options.split(", ").includes("local") }] : [];
  });
}

/** The mount that a path lies on: the last one of the longest name above it. */
export function mountOf(mounts: readonly Mount[], file: string): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const prefix = mount.at.endsWith("/") ? mount.at : `${mount.at}/`;
    if (!file.startsWith(prefix)) continue;
    if (!found || mount.at.length >= found.at.length) found = mount;
  }
  return found;
}

function linuxType(file: string): number | undefined {
  try {
    // Signed on some machines.
    return fs.statfsSync(path.dirname(file)).type >>> 0;
  } catch {
    // Deno without --allow-sys: the lock itself must do.
    return undefined;
  }
}

function macMounts(): Mount[] {
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return parseMountOutput(execFileSync("/sbin/mount", [], { encoding: "utf8" }));
  } catch {
    // Deno without --allow-run: the lock itself must do.
    return [];
  }
}

/**
 * The kind of network file system that a file (its real path) lies on; undefined for a local one,
 * and where the runtime's permissions do not let us see.
 */
export function networkFileSystemOf(file: string): string | undefined {
  if (process.platform === "win32") {
    return /^(\\\\|\/\/)(?![?.])/.test(file) ? "network share" : undefined;
  }
  if (process.platform === "darwin") {
    const mount = mountOf(macMounts(), file);
    return mount && !mount.local ? mount.type : undefined;
  }
  const type = linuxType(file);
  if (type === undefined) return undefined;
  const doubtful = MOUNT_TELLS[type];
  if (doubtful === undefined) return LINUX_TYPES[type];
  const mount = mountOf(parseMountInfo(tryReadText("/proc/self/mountinfo") ?? ""), file);
  return mount?.local ? undefined : mount?.type ?? doubtful;
}
