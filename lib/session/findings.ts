/** Everything that can be wrong with a session file, and what it means for its tree. Pure, but for modes. */
import type { Damage } from "./entry.ts";
import type { FileSystem } from "./file_system.ts";
import { headerProblems } from "./header_problems.ts";
import { describeHolder } from "./holder.ts";
import type { LockState } from "./lock.ts";
import { describeMode, wrongModes } from "./permissions.ts";
import type { Survey, SurveyedEntry } from "./survey.ts";
import type { EntryIndex } from "./tree.ts";
import type { UnansweredCalls } from "./unanswered_calls.ts";

/** What can be wrong with a session file. */
export type FindingKind =
  | Damage["kind"]
  | "bad_text"
  | "unanswered_call"
  | "permissions"
  | "lock";

/** One thing that is wrong with a session file. */
export interface Finding {
  kind: FindingKind;
  /** 1 for the first line; absent where it is not about a line. */
  line?: number;
  /** The byte at which the line, or the entry in it, begins. */
  offset?: number;
  entryId?: string;
  /** What is wrong. */
  problem: string;
  /** What it means for the session as it is read. */
  effect: string;
}

const LINE_EFFECTS: Record<Damage["kind"], string> = {
  unreadable: "it is skipped",
  torn: "a write was cut short there; it is skipped, and the next one begins on a line of its own",
  salvaged: "what is whole in it is read, the rest is skipped",
  header: "it is skipped",
  missing_parent: "",
  cycle: "",
  duplicate_id: "",
  missing_target: "",
};

export function lineFindings({ problems }: Survey): Finding[] {
  return problems.map(({ kind, reason, line, offset, length }) => ({
    kind,
    line,
    offset,
    problem: reason,
    effect: kind === "unreadable" || kind === "torn"
      ? `${LINE_EFFECTS[kind]} (${length} bytes)`
      : LINE_EFFECTS[kind],
  }));
}

export function headerFindings({ header, entries, size }: Survey): Finding[] {
  const at = (line: number, offset: number, problem: string, effect: string): Finding => ({
    kind: "header",
    line,
    offset,
    problem,
    effect,
  });
  if (size === 0) return [at(1, 0, "the file is empty", "it is not a session")];
  if (!header) {
    const effect = entries.length === 0
      ? "it is not a session"
      : "it does not open as a session, though it holds entries";
    return [at(1, 0, "there is no header", effect)];
  }
  const late = header.late
    ? [
      at(
        header.line,
        header.offset,
        "the header is not the first line",
        "what stands before it is not read",
      ),
    ]
    : [];
  return [
    ...late,
    ...headerProblems(header.value).map((problem) =>
      at(header.line, header.offset, `the header is damaged: ${problem}`, "it cannot be relied on")
    ),
  ];
}

function entryFinding(
  entry: SurveyedEntry,
  kind: FindingKind,
  problem: string,
  effect: string,
): Finding {
  const { line, head } = entry;
  return { kind, line, offset: head.offset, entryId: head.id, problem, effect };
}

export function treeFindings(entries: readonly SurveyedEntry[], index: EntryIndex): Finding[] {
  const texts = entries.filter((entry) => entry.badText).map((entry) =>
    entryFinding(entry, "bad_text", "its text is not UTF-8", "what is wrong reads as U+FFFD")
  );
  const flaws = index.flaws.flatMap(({ position, kind, reason }) => {
    const entry = entries[position];
    // What follows the semicolon is the outcome, which the effect tells in full.
    const [problem = reason] = reason.split("; ");
    return entry ? [entryFinding(entry, kind, problem, flawEffect(position, kind, index))] : [];
  });
  return [...texts, ...flaws];
}

function flawEffect(position: number, kind: Damage["kind"], index: EntryIndex): string {
  switch (kind) {
    case "duplicate_id":
      return "both are read; later entries that name the id mean the nearest one before them";
    case "missing_target":
      return "it does not move the leaf";
    case "missing_parent":
    case "cycle": {
      const parent = index.parent(position);
      return parent === undefined
        ? "it is read as a root: what came before it is not on its branch"
        : `it is read as the child of ${index.head(parent).id}`;
    }
    case "unreadable":
    case "torn":
    case "salvaged":
    case "header":
      return LINE_EFFECTS[kind];
  }
}

const TARGET_EFFECTS: Record<string, string> = {
  label: "it labels nothing",
  context_edit: "it changes nothing",
  compaction: "nothing from before the compaction is in the context but its summary",
};

export function targetFindings(entries: readonly SurveyedEntry[], index: EntryIndex): Finding[] {
  return entries.flatMap((entry) => {
    const { target, head } = entry;
    if (target === undefined || index.find(target) !== undefined) return [];
    const what = head.type === "compaction" ? "the first entry that it keeps" : "its target";
    const problem = `${what}, ${target || "(none named)"}, does not exist`;
    return [entryFinding(entry, "missing_target", problem, TARGET_EFFECTS[head.type] ?? "")];
  });
}

export function callFindings(
  entries: readonly SurveyedEntry[],
  unanswered: readonly UnansweredCalls[],
  isWriting: boolean,
): Finding[] {
  const lastAnswer = entries.findLastIndex(({ head }) => head.role === "assistant");
  return unanswered.flatMap(({ position, calls }) => {
    const entry = entries[position];
    // Its tools may be running right now.
    if (!entry || (isWriting && position === lastAnswer)) return [];
    return calls.map(({ id, name }) =>
      entryFinding(
        entry,
        "unanswered_call",
        `its call ${id} (${name}) has no result`,
        "a model is told that no result was recorded",
      )
    );
  });
}

export function permissionFindings(fs: FileSystem, file: string): Finding[] {
  return wrongModes(fs, fs.realPath(file) ?? file).map((mode) => ({
    kind: "permissions",
    problem: describeMode(mode),
    effect: "other users of this machine may get at it",
  }));
}

export function lockFindings(lock: LockState): Finding[] {
  const finding = (problem: string, effect: string): Finding[] => [
    { kind: "lock", problem, effect },
  ];
  switch (lock.state) {
    case "free":
    case "held":
      return [];
    case "stale":
      return finding(
        `${lock.path} was left by ${describeHolder(lock.holder)}, which no longer writes it`,
        "it keeps nobody out",
      );
    case "elsewhere":
      return finding(
        `${lock.path} belongs to ${describeHolder(lock.holder)}`,
        "whether that process still runs cannot be seen from here",
      );
    case "unreadable":
      return finding(
        `${lock.path} is not a lock of ours`,
        "where the system has no flock, nobody can write the session",
      );
  }
}
