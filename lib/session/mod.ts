export * from "./message.ts";
export * from "./entry.ts";
export * from "./errors.ts";
export * from "./file_system.ts";
export { FileLock, type FileLockOptions, type LockState } from "./lock.ts";
export { waitForLock, type WaitOptions } from "./wait_for_lock.ts";
export { describeHolder } from "./holder.ts";
export * from "./ports.ts";
