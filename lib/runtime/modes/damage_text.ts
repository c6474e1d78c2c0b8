import type { Damage } from "../../session/mod.ts";

/** How many places are told one by one. */
const SHOWN_MAX = 5;

const WHAT: Record<Damage["kind"], string> = {
  unreadable: "cannot be read and is skipped",
  torn: "was cut off while it was written and is skipped",
  salvaged: "is damaged; what is whole in it is read",
  missing_parent: "hangs on an entry that is not there",
  cycle: "hangs on its own descendant",
  duplicate_id: "has the id of another entry",
  missing_target: "names an entry that is not there",
  header: "is no sound header",
};

/** What to tell a person of a session's damage, a line for each place, the rest counted. */
export function damageLines(damage: readonly Damage[], file: string): string[] {
  const lines = damage.slice(0, SHOWN_MAX).map(({ line, kind, reason }) =>
    `Line ${line} of ${file} ${WHAT[kind]}: ${reason}`
  );
  const more = damage.length - lines.length;
  if (more > 0) {
    lines.push(`${file} is damaged in ${more} more places; "bough session verify" shows them`);
  }
  return lines;
}
