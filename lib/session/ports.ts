/** What the session layer takes from the world besides the disk: time, randomness and a lock. */

/** Tells the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Makes ids. */
export interface Ids {
  /** A UUIDv7. */
  sessionId(): string;
  /** Random lower-case hex digits. */
  entryId(width: 8 | 16): string;
}

/** A lock that is held until it is released, or until its process is gone. */
export interface HeldLock {
  release(): void;
}

/** Sees to it that one process at a time writes a session file. */
export interface SessionLock {
  /**
   * Takes the lock of `file`, which is open as `fd`, without waiting.
   *
   * @throws SessionError `busy` if another writer has it, with the holder where it can be read.
   */
  acquire(file: string, fd: number): HeldLock;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

function randomHex(bytes: number): string {
  let hex = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return hex;
}

/** Ids from the machine's randomness and clock. */
export const randomIds: Ids = {
  sessionId() {
    const time = Date.now().toString(16).padStart(12, "0");
    const random = randomHex(10);
    const variant = (8 + (Number.parseInt(random.charAt(3), 16) & 3)).toString(16);
    return [
      time.slice(0, 8),
      time.slice(8),
      `7${random.slice(0, 3)}`,
      variant + random.slice(4, 7),
      random.slice(7, 19),
    ].join("-");
  },
  entryId: (width) => randomHex(width / 2),
};
