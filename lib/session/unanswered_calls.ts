/** Tool calls that no result answers, on any branch below them. */
import type { SurveyedEntry } from "./survey.ts";
import type { EntryIndex } from "./tree.ts";

export interface UnansweredCalls {
  /** The position of the answer that made the calls. */
  position: number;
  calls: { id: string; name: string }[];
}

/**
 * The calls of each answer that have no result between it and the next question or answer, on no
 * branch. One that is answered on one branch and not on another is no damage: somebody went back to
 * that answer.
 */
export function unansweredCalls(
  entries: readonly SurveyedEntry[],
  index: EntryIndex,
): UnansweredCalls[] {
  const answered = new Map<number, Set<string>>();
  const askers = new Askers(entries, index);
  for (const [position, entry] of entries.entries()) {
    if (entry.answers === undefined) continue;
    const asker = askers.of(position);
    if (asker === undefined) continue;
    const ids = answered.get(asker) ?? new Set();
    answered.set(asker, ids.add(entry.answers));
  }
  return [...entries.entries()].flatMap(([position, { calls }]) => {
    const missing = calls?.filter(({ id }) => !answered.get(position)?.has(id)) ?? [];
    return missing.length > 0 ? [{ position, calls: missing }] : [];
  });
}

const NOBODY = -1;

/** Finds the nearest question or answer above an entry; each link is walked once. */
class Askers {
  readonly #entries: readonly SurveyedEntry[];
  readonly #index: EntryIndex;
  readonly #known = new Map<number, number>();

  constructor(entries: readonly SurveyedEntry[], index: EntryIndex) {
    this.#entries = entries;
    this.#index = index;
  }

  of(position: number): number | undefined {
    const passed: number[] = [];
    let asker = NOBODY;
    for (
      let at = this.#index.parent(position);
      at !== undefined;
      at = this.#index.parent(at)
    ) {
      const known = this.#known.get(at);
      if (known !== undefined) {
        asker = known;
        break;
      }
      passed.push(at);
      const role = this.#entries[at]?.head.role;
      if (role === "assistant" || role === "user") {
        asker = at;
        break;
      }
    }
    for (const at of passed) this.#known.set(at, asker);
    return asker === NOBODY ? undefined : asker;
  }
}
