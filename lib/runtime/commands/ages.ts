/** Times as a person says them. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From here on the date says more than a number of days. */
const DATE_FROM = 30 * DAY;

/**
 * How long ago something was: a difference of instants, so that no time zone matters; a date (in the
 * user's zone) if it is a month or more. Both in ms since the epoch. What lies ahead is `just now`:
 * another machine's clock was ahead.
 */
export function ageOf(then: number, now: number): string {
  const age = now - then;
  if (age < MINUTE) return "just now";
  if (age < HOUR) return ago(age / MINUTE, "minute");
  if (age < DAY) return ago(age / HOUR, "hour");
  if (age < DATE_FROM) return ago(age / DAY, "day");
  return localDate(then);
}

function ago(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? "" : "s"} ago`;
}

/** `2026-03-02`, in the user's time zone. */
export function localDate(time: number): string {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part, at) => String(part).padStart(at === 0 ? 4 : 2, "0")).join("-");
}

/** `2026-03-02 09:00`, in the user's time zone. */
export function localTime(time: number): string {
  const date = new Date(time);
  const clock = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0"));
  return `${localDate(time)} ${clock.join(":")}`;
}
