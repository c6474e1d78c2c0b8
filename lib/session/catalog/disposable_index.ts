/** An index that may be missing, and may turn out to be broken at any time. */
import type { FileSystem } from "../file_system.ts";
import { isBroken, isDatabaseError, openIndexFile, removeIndex } from "./index_file.ts";
import { SessionIndex } from "./session_index.ts";

/** Nothing fails for the lack of an index: what it is used for has an answer without it. */
export class DisposableIndex {
  readonly #fs: FileSystem;
  readonly #file: string | undefined;
  #index: SessionIndex | undefined;

  private constructor(fs: FileSystem, file: string | undefined, index: SessionIndex | undefined) {
    this.#fs = fs;
    this.#file = file;
    this.#index = index;
  }

  /** Opens the index in a file, or makes it; without a file there is none. */
  static async open(fs: FileSystem, file: string | undefined): Promise<DisposableIndex> {
    const database = file === undefined ? undefined : await openIndexFile(fs, file);
    return new DisposableIndex(fs, file, database && new SessionIndex(database));
  }

  get isOpen(): boolean {
    return this.#index !== undefined;
  }

  /** Uses the index; undefined if there is none, or it cannot be used. A broken one is taken away. */
  use<T>(work: (index: SessionIndex) => T): T | undefined {
    if (!this.#index) return undefined;
    try {
      return work(this.#index);
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      if (isBroken(error) && this.#file !== undefined) {
        // It is made anew by the next one who wants it.
        this.close();
        removeIndex(this.#fs, this.#file);
      }
      return undefined;
    }
  }

  close(): void {
    this.#index?.close();
    this.#index = undefined;
  }
}
