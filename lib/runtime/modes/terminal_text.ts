/** Text from elsewhere, made fit for a terminal or for one line. */

/**
 * All of C0 but tab and LF, DEL, and C1: what a terminal may take for a command. And what turns the
 * direction of writing: text after it may read as what it is not.
 */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return code < 0x100 ? `\\x${code.toString(16)}` : `\\u${code.toString(16)}`;
}

/**
 * Text from a model, a tool or a file, so that a terminal shows its control sequences instead of
 * obeying them: each control character becomes its picture (ESC becomes ␛). Tabs and line ends stay.
 */
export function harmless(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROLS, picture);
}

/** JSON of the same value, without a character that a terminal may obey. */
export function harmlessJson(json: string): string {
  return json.replace(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Harmless text on one line, blanks run together, cut to `max` characters where that is given. */
export function oneLine(text: string, max = Infinity): string {
  const line = harmless(text.replace(/[^\S ]\s*| \s+/g, " ").trim());
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}
