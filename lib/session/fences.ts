/**
 * Data and files that stand in front of what was said, each between marks of its own:
 * `<stdin>`, `</stdin>`, `<file path="...">`, `</file>`.
 */
const FENCES = /^(?:<(stdin|file)(?: path="[^"\n]*")?>\n[^]*?\n<\/\1>\s*)+/;
const OPENING = /^<(stdin|file)(?: path="[^"\n]*")?>\n/;

/** What was said, without what stands in front of it; empty if nothing was. */
export function saidIn(message: string): string {
  return message.replace(FENCES, "").trim();
}

/**
 * A message shortened to a number of characters, with an ellipsis where something is missing. Of data
 * in front of it more is left out than of what was said, and the marks are kept.
 */
export function shortenMessage(message: string, lengthMax: number): string {
  if (message.length <= lengthMax) return message;
  const [opening = "", name] = OPENING.exec(message) ?? [];
  const said = saidIn(message);
  if (name === undefined || said === "" || said === message.trim()) return cut(message, lengthMax);
  const end = `\n</${name}>\n\n${cut(said, Math.floor(lengthMax / 2))}`;
  const room = lengthMax - opening.length - end.length;
  const data = message.slice(opening.length, message.indexOf(`\n</${name}>`));
  return room < 1 ? cut(said, lengthMax) : `${opening}${cut(data, room)}${end}`;
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}
