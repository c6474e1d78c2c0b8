/**
 * What a sound file would hold in place of a damaged one: the same entries in the same order, and
 * the tree that the reader makes of the damaged file, now written down. Pure.
 */
import type { SurveyedEntry } from "./survey.ts";
import type { UnansweredCalls } from "./unanswered_calls.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** One line of the new file: an entry as it stands, one that is changed, or one that is made. */
export type PlannedLine =
  | { kind: "copy"; offset: number; length: number }
  | { kind: "change"; offset: number; length: number; change: (entry: JsonObject) => JsonObject }
  | { kind: "add"; entry: JsonObject };

/** What a repair did about one thing. */
export interface RepairChange {
  /** The line in the damaged file. */
  line?: number;
  entryId?: string;
  did: string;
}

export interface RepairPlan {
  lines: PlannedLine[];
  changes: RepairChange[];
}

export interface PlanOptions {
  /** An id that no entry has. */
  freshId: () => string;
  /** ISO 8601. */
  now: string;
}

/** The field in which a changed entry keeps what stood there before. */
const KEPT = "repaired";

/** Plans the entries of a sound file. */
export function planRepair(diagnosis: Diagnosis, options: PlanOptions): RepairPlan {
  return new Planner(diagnosis, options).plan();
}

class Planner {
  readonly #entries: readonly SurveyedEntry[];
  readonly #diagnosis: Diagnosis;
  readonly #options: PlanOptions;
  readonly #lines: PlannedLine[] = [];
  readonly #changes: RepairChange[] = [];
  /** The id of each entry in the new file. */
  readonly #ids: string[] = [];
  /** What an id means at this point of the file: the nearest entry before that has it. */
  readonly #meaning = new Map<string, string>();
  /** The last of the results that were added to an answer: its children hang there. */
  readonly #lastResult = new Map<number, string>();
  readonly #ignoredLeaves: ReadonlySet<number>;
  readonly #duplicates: ReadonlySet<number>;
  readonly #misplaced: ReadonlySet<number>;
  readonly #duplicateIds: ReadonlySet<string>;

  constructor(diagnosis: Diagnosis, options: PlanOptions) {
    this.#diagnosis = diagnosis;
    this.#entries = diagnosis.survey.entries;
    this.#options = options;
    const withFlaw = (...kinds: string[]) =>
      new Set(
        diagnosis.index.flaws.filter(({ kind }) => kinds.includes(kind))
          .map(({ position }) => position),
      );
    this.#ignoredLeaves = withFlaw("missing_target");
    this.#duplicates = withFlaw("duplicate_id");
    this.#misplaced = withFlaw("missing_parent", "cycle");
    this.#duplicateIds = new Set(
      [...this.#duplicates].map((position) => diagnosis.index.head(position).id),
    );
  }

  plan(): RepairPlan {
    const unanswered = new Map(
      this.#diagnosis.unanswered.map(({ position, calls }) => [position, calls]),
    );
    this.#giveIds();
    for (const { position } of this.#diagnosis.unanswered) {
      this.#lastResult.set(position, this.#options.freshId());
    }
    let leaf: number | undefined;
    for (const [position, entry] of this.#entries.entries()) {
      this.#entry(position, entry, leaf);
      this.#meaning.set(entry.head.id, this.#id(position));
      const calls = unanswered.get(position);
      if (calls && !this.#isRepeated(position)) this.#answer(position, entry, calls);
      if (!this.#ignoredLeaves.has(position)) leaf = this.#diagnosis.index.nodeAt(position);
    }
    return { lines: this.#lines, changes: this.#changes };
  }

  #id(position: number): string {
    return this.#ids[position] ?? "";
  }

  /** An entry that stands twice in a row is one entry; the second one is read. */
  #isRepeated(position: number): boolean {
    return this.#repeats(position + 1);
  }

  /** The same line in another place of the tree (after damage) is another entry. */
  #repeats(position: number): boolean {
    const { index } = this.#diagnosis;
    return this.#entries[position]?.repeats === true &&
      index.parent(position) === index.parent(position - 1);
  }

  #giveIds(): void {
    for (const [position, { head }] of this.#entries.entries()) {
      if (this.#repeats(position)) this.#ids.push(this.#id(position - 1));
      else this.#ids.push(this.#duplicates.has(position) ? this.#options.freshId() : head.id);
    }
  }

  #note(entry: SurveyedEntry, did: string): void {
    this.#changes.push({ line: entry.line, entryId: entry.head.id, did });
  }

  #entry(position: number, entry: SurveyedEntry, leaf: number | undefined): void {
    const { offset, length } = entry.head;
    if (this.#isRepeated(position)) {
      this.#note(entry, "left out: the next line is the same entry once more");
      return;
    }
    const set: JsonObject = {};
    const kept: JsonObject = {};
    if (this.#id(position) !== entry.head.id) {
      set["id"] = this.#id(position);
      kept["id"] = entry.head.id;
      this.#note(entry, `given the id ${this.#id(position)}, since an earlier entry has its own`);
    }
    if (entry.head.type === "leaf") this.#leaf(position, entry, { set, kept, leaf });
    else this.#parent(position, entry, { set, kept });
    if (entry.badText) this.#note(entry, "written as UTF-8, with U+FFFD for what was none");
    const isLost = this.#target(position, entry, { set, kept });
    const isSame = Object.keys(set).length === 0 && !entry.badText && !isLost;
    this.#lines.push(
      isSame ? { kind: "copy", offset, length } : {
        kind: "change",
        offset,
        length,
        change: (value) => changed(value, { set, kept, isLost }),
      },
    );
  }

  /** Writes down where the reader hangs an entry. */
  #parent(
    position: number,
    entry: SurveyedEntry,
    { set, kept }: { set: JsonObject; kept: JsonObject },
  ): void {
    const parent = this.#diagnosis.index.parent(position);
    const parentId = parent === undefined ? null : this.#lastResult.get(parent) ?? this.#id(parent);
    if (parentId === entry.head.parentId) return;
    set["parentId"] = parentId;
    if (!this.#misplaced.has(position)) return;
    kept["parentId"] = entry.head.parentId;
    this.#note(
      entry,
      parentId === null
        ? `made a root: its parent ${entry.head.parentId} does not exist`
        : `hung on ${parentId}, the entry before the damage`,
    );
  }

  /** A leaf entry that sets nothing becomes one that leaves the leaf where it is. */
  #leaf(
    position: number,
    entry: SurveyedEntry,
    { set, kept, leaf }: { set: JsonObject; kept: JsonObject; leaf: number | undefined },
  ): void {
    const { targetId, parentId } = entry.head;
    if (this.#ignoredLeaves.has(position)) {
      set["targetId"] = set["parentId"] = leaf === undefined ? null : this.#id(leaf);
      kept["targetId"] = targetId ?? null;
      kept["parentId"] = parentId;
      this.#note(entry, "pointed at the leaf of that moment: its target does not exist");
      return;
    }
    const target = this.#diagnosis.index.nodeAt(position);
    const meant = target === undefined ? null : this.#id(target);
    if (meant !== targetId) set["targetId"] = meant;
    // Pi follows the parent of a leaf entry, so this one must exist, too.
    if (parentId !== null && this.#meaning.get(parentId) !== parentId) set["parentId"] = meant;
  }

  /** What a label, an edit or a compaction names. @returns whether the entry has lost its sense. */
  #target(
    position: number,
    entry: SurveyedEntry,
    { set, kept }: { set: JsonObject; kept: JsonObject },
  ): boolean {
    const { target, head } = entry;
    if (target === undefined) return false;
    const field = head.type === "compaction" ? "firstKeptEntryId" : "targetId";
    const exists = this.#diagnosis.index.find(target) !== undefined;
    if (exists) {
      const meant = this.#onPath(position, target) ?? this.#meaning.get(target) ?? target;
      if (meant !== target) set[field] = meant;
      return false;
    }
    if (head.type !== "compaction") {
      this.#note(entry, "kept as a custom entry: its target does not exist");
      return true;
    }
    set[field] = set["id"] ?? head.id;
    kept[field] = target;
    this.#note(entry, "keeps nothing from before it: what it kept does not exist");
    return false;
  }

  /** Of several entries with an id, the one above this entry: that is what the context takes. */
  #onPath(position: number, id: string): string | undefined {
    if (!this.#duplicateIds.has(id)) return undefined;
    const { index } = this.#diagnosis;
    let at = index.parent(position);
    while (at !== undefined && index.head(at).id !== id) at = index.parent(at);
    return at === undefined ? undefined : this.#id(at);
  }

  /** Adds the results that a request would get anyway, so that the calls are answered for good. */
  #answer(position: number, entry: SurveyedEntry, calls: UnansweredCalls["calls"]): void {
    let parentId = this.#id(position);
    for (const [at, { id: toolCallId, name: toolName }] of calls.entries()) {
      const last = this.#lastResult.get(position);
      const id = at === calls.length - 1 && last ? last : this.#options.freshId();
      const timestamp = this.#options.now;
      const message = {
        role: "toolResult",
        toolCallId,
        toolName,
        content: [{ type: "text", text: "No result was recorded for this call." }],
        isError: true,
        timestamp: Date.parse(timestamp),
      };
      this.#lines.push({
        kind: "add",
        entry: { type: "message", id, parentId, timestamp, message },
      });
      this.#note(entry, `its call ${toolCallId} was given a result: that none was recorded`);
      parentId = id;
    }
  }
}

interface Alteration {
  set: JsonObject;
  kept: JsonObject;
  isLost: boolean;
}

function changed(value: JsonObject, { set, kept, isLost }: Alteration): JsonObject {
  const before = isRecord(value[KEPT]) ? value[KEPT] : {};
  const note = Object.keys(kept).length > 0 ? { [KEPT]: { ...before, ...kept } } : {};
  if (!isLost) return { ...value, ...set, ...note };
  const { id, parentId, timestamp } = value;
  return {
    type: "custom",
    id,
    parentId,
    timestamp,
    ...set,
    ...note,
    customType: "bough.repair",
    data: { entry: value },
  };
}
