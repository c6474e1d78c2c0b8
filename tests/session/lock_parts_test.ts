import { expect, test } from "bun:test";
import { parseKernelLocks } from "../../lib/session/kernel_locks.ts";
import {
  mountOf,
  networkFileSystemOf,
  parseMountInfo,
  parseMountOutput,
} from "../../lib/session/network_file_system.ts";
import { MachineProcesses, parseProcessStat } from "../../lib/session/processes.ts";
import { RunningProcess } from "../support/process.ts";
import { TempDirectory } from "../support/temp.ts";

test("parseKernelLocks() finds the holders of a flock, not of other locks or waiting ones", () => {
  const text = [
    "1: FLOCK  ADVISORY  WRITE 7015 fe:00:2146727 0 EOF",
    "1: -> FLOCK  ADVISORY  WRITE 7016 fe:00:2146727 0 EOF",
    "2: POSIX  ADVISORY  WRITE 7017 fe:00:2146727 0 EOF",
    "3: FLOCK  ADVISORY  READ  7018 00:1a:2146727 0 EOF",
    "4: FLOCK  ADVISORY  WRITE 0 fe:00:2146727 0 EOF",
    "5: FLOCK  ADVISORY  WRITE 7019 fe:00:21467277 0 EOF",
    "",
  ].join("\n");
  expect(parseKernelLocks(text, 2146727)).toEqual([7015, 7018]);
});

test("parseProcessStat() reads past a command with blanks and parentheses", () => {
  const after = "S 1 4242 4242 0 -1 4194304 1 0 0 0 5 6 0 0 20 0 9 0 98765 100 200";
  expect(parseProcessStat(`12 (a) b (c)) ${after}\n`)).toEqual({ state: "S", startTicks: 98765 });
  expect(parseProcessStat("")).toBeUndefined();
});

const MOUNT_INFO = String.raw`22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:38 / /home/me/remote\040disk rw,nosuid - fuse.sshfs me@host:/ rw,user_id=0
41 22 0:39 / /home/me/vault rw - fuse.gocryptfs /home/me/.vault rw
42 41 0:40 / /home/me/vault/far rw shared:7 master:1 - fuse.rclone gdrive: rw
43 22 0:41 / /data rw - nfs4 server:/data rw
44 22 0:42 / /sandbox rw - 9p none rw,trans=fd,rfdno=4,wfdno=4
45 22 0:43 / /guest rw - 9p share rw,trans=virtio
`;

const LINUX_ROWS: [string, string, boolean][] = [
  ["/home/me/s.jsonl", "ext4", true],
  ["/home/me/remote disk/s.jsonl", "fuse.sshfs", false],
  ["/home/me/vault/s.jsonl", "fuse.gocryptfs", true],
  ["/home/me/vault/far/s.jsonl", "fuse.rclone", false],
  ["/home/me/vaulted/s.jsonl", "ext4", true],
  ["/sandbox/s.jsonl", "9p", true],
  ["/guest/s.jsonl", "9p", false],
];

for (const [file, type, local] of LINUX_ROWS) {
  test(`mountOf() finds ${file} on ${type}`, () => {
    const mount = mountOf(parseMountInfo(MOUNT_INFO), file);
    expect([mount?.type, mount?.local]).toEqual([type, local]);
  });
}

test("mountOf() takes the mount that hides an earlier one of the same place", () => {
  const text = "1 0 8:1 / /d rw - ext4 a rw\n2 0 0:9 / /d rw - fuse.sshfs b rw\n";
  expect(mountOf(parseMountInfo(text), "/d/s.jsonl")?.type).toBe("fuse.sshfs");
});

const MAC_MOUNTS = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
//me@nas/share on /Volumes/My Share (smbfs, nodev, nosuid, mounted by me)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
`;

test("parseMountOutput() tells local disks from network shares on macOS", () => {
  const mounts = parseMountOutput(MAC_MOUNTS);
  expect(mounts.map(({ at, type, local }) => [at, type, local])).toEqual([
    ["/", "apfs", true],
    ["/System/Volumes/Data", "apfs", true],
    ["/Volumes/My Share", "smbfs", false],
    ["/System/Volumes/Data/home", "autofs", false],
  ]);
  expect(mountOf(mounts, "/Volumes/My Share/s.jsonl")?.local).toBe(false);
});

test("networkFileSystemOf() finds this machine's temporary directory local", () => {
  using temp = new TempDirectory();
  expect(networkFileSystemOf(temp.join("s.jsonl"))).toBeUndefined();
});

test("MachineProcesses knows itself as running, and a killed child as gone", async () => {
  using temp = new TempDirectory();
  const processes = new MachineProcesses();
  const self = processes.self();
  expect(processes.fateOf(self)).toBe("running");
  expect(processes.fateOf({ pid: self.pid, host: self.host })).toBe("running");
  using child = new RunningProcess("sleep", ["60"], { temp });
  const other = { pid: child.pid, host: self.host };
  expect(processes.fateOf(other)).toBe("running");
  child.kill("SIGKILL");
  await child.finished;
  expect(processes.fateOf(other)).toBe("gone");
});

test("MachineProcesses does not judge what it cannot see", () => {
  const processes = new MachineProcesses();
  const self = processes.self();
  expect(processes.fateOf({ pid: self.pid, host: "another" })).toBe("elsewhere");
  expect(processes.fateOf({ ...self, host: "another", boot: "another" })).toBe("elsewhere");
  if (self.pidNamespace === undefined) return;
  expect(processes.fateOf({ ...self, pidNamespace: "pid:[1]" })).toBe("elsewhere");
  expect(processes.fateOf({ ...self, boot: "before" })).toBe("gone");
});
