/** `session stats`: tokens and cost, of one session or over many. */
import {
  addUsage,
  nodeFileSystem,
  noUsage,
  type SessionSummary,
  type Spending,
  spendingsIn,
  type Usage,
} from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { localDate } from "../ages.ts";
import { textColumns } from "../text_columns.ts";
import { costText } from "./list.ts";
import { directoryOf, sinceOf, withCatalog } from "./sessions.ts";
import { optionValue, printJson, printText, sessionFileOf, type SessionVerb } from "./verb.ts";

type By = "day" | "model" | "cwd";

/** Calls that belong together. */
interface Sum {
  key: string;
  sessions: number;
  calls: number;
  usage: Usage;
}

/** A session whose calls count. */
type Counted = Pick<SessionSummary, "path" | "id" | "cwd">;

const KINDS: readonly By[] = ["day", "model", "cwd"];

export async function stats(verb: SessionVerb): Promise<ExitCode> {
  const by = optionValue(verb, "by", byOf, `it must be one of ${KINDS.join(", ")}`);
  const { since = 0 } = sinceOf(verb);
  const sums = new Sums();
  for (const session of await counted(verb)) {
    if (verb.ports.signal.aborted) return 1;
    for (const spending of spendingsIn(nodeFileSystem, session.path)) {
      const time = Date.parse(spending.timestamp) || 0;
      if (time >= since) sums.add(by && keyOf(by, session, spending, time), session, spending);
    }
    // Signals get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (verb.json) {
    const { total } = sums;
    printJson(verb, { by: by ?? null, rows: by ? sums.rows().map(told) : [], total: told(total) });
  } else await printText(verb, [table(verb, by, sums)]);
  return 0;
}

function byOf(text: string): By | undefined {
  return KINDS.find((kind) => kind === text);
}

/** The sessions, the oldest first: what a fork took over counts for its source. */
async function counted(verb: SessionVerb): Promise<Counted[]> {
  if (verb.call.operands.length > 0) {
    if (verb.call.flags.has("all")) {
      throw new UsageError("Cannot use --all with a session: it adds up those of all directories");
    }
    const file = await sessionFileOf(verb);
    const session = await verb.repo.open(file, { access: "read" });
    const { id, header } = session;
    await session.close();
    return [{ path: file, id, cwd: header.cwd }];
  }
  const found = await withCatalog(
    verb,
    "Reading sessions",
    (catalog) => catalog.list({ ...directoryOf(verb), ...sinceOf(verb) }),
  );
  return found.sort((a, b) => a.created < b.created ? -1 : a.created > b.created ? 1 : 0);
}

function keyOf(by: By, { cwd }: Counted, { model }: Spending, time: number): string {
  switch (by) {
    case "day":
      return localDate(time);
    case "cwd":
      return cwd;
    case "model":
      return model ? `${model.provider}/${model.modelId}` : "unknown";
  }
}

class Sums {
  /** A fork has the entries of its source: each call counts once. */
  readonly #seen = new Set<string>();
  readonly #sums = new Map<string, Sum & { in: Set<string> }>();
  readonly #total = emptySum("total");

  add(key: string | undefined, session: Counted, spending: Spending): void {
    const call = `${spending.entryId} ${spending.timestamp}`;
    if (this.#seen.has(call)) return;
    this.#seen.add(call);
    count(this.#total, session, spending);
    if (key === undefined) return;
    let sum = this.#sums.get(key);
    if (!sum) {
      sum = emptySum(key);
      this.#sums.set(key, sum);
    }
    count(sum, session, spending);
  }

  get total(): Sum {
    return this.#total;
  }

  /** By their keys: days in their order, names in the alphabet's. */
  rows(): Sum[] {
    return [...this.#sums.values()].sort((a, b) => a.key < b.key ? -1 : 1);
  }
}

function emptySum(key: string): Sum & { in: Set<string> } {
  return { key, sessions: 0, calls: 0, usage: noUsage(), in: new Set() };
}

function count(sum: Sum & { in: Set<string> }, { path }: Counted, { usage }: Spending): void {
  sum.in.add(path);
  sum.sessions = sum.in.size;
  sum.calls++;
  sum.usage = addUsage(sum.usage, usage);
}

function told({ key, sessions, calls, usage }: Sum) {
  return { key, sessions, calls, usage };
}

function table(verb: SessionVerb, by: By | undefined, sums: Sums): string {
  const heading = by === "cwd" ? "directory" : by ?? "";
  const rows = by ? [...sums.rows(), sums.total] : [sums.total];
  return textColumns(
    [
      { heading, givesWay: true },
      { heading: "sessions", align: "right" },
      { heading: "calls", align: "right" },
      { heading: "input", align: "right" },
      { heading: "cache read", align: "right" },
      { heading: "cache write", align: "right" },
      { heading: "output", align: "right" },
      { heading: "cost", align: "right" },
    ],
    rows.map(({ key, sessions, calls, usage }) => [
      key,
      String(sessions),
      String(calls),
      String(usage.input),
      String(usage.cacheRead),
      String(usage.cacheWrite),
      String(usage.output),
      costText(usage.cost.total),
    ]),
    verb.width,
  );
}
