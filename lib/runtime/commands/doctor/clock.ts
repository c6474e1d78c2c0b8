/** The machine's clock. */
import { type Check, ok, warning } from "./check.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Before this, the clock cannot be right. */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

/** `newest` is when a session was last written, in ms. */
export function checkClock(now: number, newest: number): Check {
  const date = new Date(now).toISOString();
  if (now < EARLIEST_MS) {
    return warning(
      "clock",
      `It says ${date}: providers refuse connections then, and the newest session is not found ` +
        "by --continue; set it right",
    );
  }
  if (newest > now + DAY_MS) {
    return warning(
      "clock",
      `It says ${date}, and a session was written at ${new Date(newest).toISOString()}; if the ` +
        "clock went back, --continue may not find the newest session",
    );
  }
  return ok("clock", date);
}
