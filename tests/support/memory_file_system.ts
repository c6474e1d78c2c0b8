/** A disk in memory: fast, and it can lose what was not synced, as a power failure does. */
import * as path from "node:path";
import type { Descriptor, FileStat, FileSystem } from "../../lib/session/file_system.ts";

interface Inode {
  number: number;
  data: Uint8Array;
  size: number;
  mode: number;
  /** What is on the disk for good. */
  synced: Uint8Array;
}

interface Open {
  inode: Inode;
  name: string;
  writable: boolean;
}

function systemError(code: string, file: string): Error {
  return Object.assign(new Error(`${code}: ${file}`), { code });
}

/**
 * Files by absolute path; directories are there by being made or by having a file in them. There
 * are no symbolic links.
 */
export class MemoryFileSystem implements FileSystem {
  #names = new Map<string, Inode>();
  #syncedNames = new Map<string, Inode>();
  readonly #directories = new Map<string, number>();
  readonly #open = new Map<Descriptor, Open>();
  #nextInode = 1;
  #nextDescriptor = 1000;

  /** Puts a file there, on the disk for good. */
  put(file: string, content: string | Uint8Array, mode = 0o600): void {
    const data = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
    const inode = {
      number: this.#nextInode++,
      data,
      size: data.length,
      mode,
      synced: data.slice(),
    };
    this.#names.set(file, inode);
    this.#syncedNames.set(file, inode);
  }

  /** The bytes of a file. */
  get(file: string): Uint8Array {
    const inode = this.#find(file);
    return inode.data.slice(0, inode.size);
  }

  /** The text of a file. */
  text(file: string): string {
    return new TextDecoder().decode(this.get(file));
  }

  /** The paths of all files, sorted. */
  get files(): string[] {
    return [...this.#names.keys()].sort();
  }

  /** How many descriptors are open. */
  get openCount(): number {
    return this.#open.size;
  }

  /** What was not synced is gone, and every file is closed. */
  failPower(): void {
    this.#open.clear();
    this.#names = new Map(this.#syncedNames);
    for (const inode of this.#names.values()) {
      inode.data = inode.synced.slice();
      inode.size = inode.data.length;
    }
  }

  #find(file: string): Inode {
    const inode = this.#names.get(file);
    if (!inode) throw systemError("ENOENT", file);
    return inode;
  }

  #opened(fd: Descriptor): Open {
    const open = this.#open.get(fd);
    if (!open) throw systemError("EBADF", `descriptor ${fd}`);
    return open;
  }

  open(file: string, mode: "r" | "a" | "ax" | "wx", permissions = 0o600): Descriptor {
    if (mode === "ax" || mode === "wx") {
      if (this.#names.has(file)) throw systemError("EEXIST", file);
      const none = new Uint8Array(0);
      this.#names.set(file, {
        number: this.#nextInode++,
        data: none,
        size: 0,
        mode: permissions,
        synced: none,
      });
    } else if (this.#isDirectory(file)) throw systemError("EISDIR", file);
    const fd = this.#nextDescriptor++;
    this.#open.set(fd, { inode: this.#find(file), name: file, writable: mode !== "r" });
    return fd;
  }

  close(fd: Descriptor): void {
    this.#opened(fd);
    this.#open.delete(fd);
  }

  read(
    fd: Descriptor,
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): number {
    const { inode } = this.#opened(fd);
    const end = Math.min(inode.size, position + length);
    if (end <= position) return 0;
    target.set(inode.data.subarray(position, end), offset);
    return end - position;
  }

  write(fd: Descriptor, bytes: Uint8Array): number {
    const { inode, writable, name } = this.#opened(fd);
    if (!writable) throw systemError("EBADF", name);
    const size = inode.size + bytes.length;
    if (size > inode.data.length) {
      const grown = new Uint8Array(Math.max(size, inode.data.length * 2));
      grown.set(inode.data.subarray(0, inode.size));
      inode.data = grown;
    }
    inode.data.set(bytes, inode.size);
    inode.size = size;
    return bytes.length;
  }

  sync(fd: Descriptor): void {
    const { inode } = this.#opened(fd);
    inode.synced = inode.data.slice(0, inode.size);
  }

  syncDirectory(directory: string): void {
    for (const file of new Set([...this.#names.keys(), ...this.#syncedNames.keys()])) {
      if (path.dirname(file) !== directory) continue;
      const inode = this.#names.get(file);
      if (inode) this.#syncedNames.set(file, inode);
      else this.#syncedNames.delete(file);
    }
  }

  truncate(fd: Descriptor, size: number): void {
    const { inode } = this.#opened(fd);
    inode.size = Math.min(inode.size, size);
  }

  #isDirectory(file: string): boolean {
    return this.#directories.has(file) ||
      [...this.#names.keys()].some((name) => name.startsWith(`${file}/`));
  }

  stat(target: string | Descriptor): FileStat | undefined {
    const inode = typeof target === "number" ? this.#opened(target).inode : this.#names.get(target);
    if (inode) {
      const { number, size, mode } = inode;
      return { size, dev: 1, ino: number, mode, mtimeMs: 0, isFile: true, isDirectory: false };
    }
    if (typeof target === "number" || !this.#isDirectory(target)) return undefined;
    const mode = this.#directories.get(target) ?? 0o700;
    return { size: 0, dev: 1, ino: 0, mode, mtimeMs: 0, isFile: false, isDirectory: true };
  }

  list(directory: string): string[] {
    const prefix = `${directory}/`;
    const names = [...this.#names.keys(), ...this.#directories.keys()]
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length).split("/")[0] ?? "");
    return [...new Set(names)];
  }

  makeDirectory(directory: string, permissions: number): void {
    if (!this.#directories.has(directory)) this.#directories.set(directory, permissions);
  }

  changeMode(target: string | Descriptor, permissions: number): void {
    if (typeof target === "string" && !this.#names.has(target)) {
      this.#directories.set(target, permissions);
    } else {
      const inode = typeof target === "number" ? this.#opened(target).inode : this.#find(target);
      inode.mode = permissions;
    }
  }

  rename(from: string, to: string): void {
    this.#names.set(to, this.#find(from));
    if (from !== to) this.#names.delete(from);
  }

  link(from: string, to: string): void {
    if (this.#names.has(to)) throw systemError("EEXIST", to);
    this.#names.set(to, this.#find(from));
  }

  remove(file: string): void {
    this.#names.delete(file);
  }

  realPath(file: string): string | undefined {
    return this.#names.has(file) || this.#isDirectory(file) ? file : undefined;
  }
}
