/** What zod finds wrong, in our words. */
import type * as z from "zod";

/** Zod's words without its prefix: "expected number, received string". */
export function problemText(issue: z.core.$ZodIssue): string {
  const what = issue.message.replace(/^Invalid (?:input|option): /, "");
  return `${issue.path.map(String).join(".")}: ${what}`;
}
