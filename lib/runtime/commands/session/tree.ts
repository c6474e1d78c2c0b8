/** `session tree`: all branches, drawn. */
import type { Outline, OutlineEntry } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { isConversation, lineOf } from "../entry_line.ts";
import { cutTo } from "../text_columns.ts";
import { drawTree, type TreeLine } from "../tree_drawing.ts";
import { treeNodes } from "./tree_nodes.ts";
import { printJson, printText, readSession, type SessionVerb } from "./verb.ts";

const TEXT_LENGTH_MAX = 120;
/** Deeper branches are drawn as if they were less deep. */
const RAILS_SHARE = 0.5;

export async function tree(verb: SessionVerb): Promise<ExitCode> {
  const outline = await readSession(verb, (session) => session.getOutline());
  if (verb.json) printJson(verb, treeNodes(outline));
  else await printText(verb, drawing(verb, outline));
  return 0;
}

function* drawing(verb: SessionVerb, { entries, leaf }: Outline): Generator<string> {
  const isFull = verb.call.flags.has("full");
  const show = ({ excerpt, label }: OutlineEntry) =>
    isFull || label !== undefined || isConversation(excerpt);
  const lines = drawTree(entries, { leaf, show });
  const idWidth = Math.max(8, ...new Set(entries.map(({ excerpt }) => excerpt.id.length)));
  let text = "";
  for (const line of lines) {
    text += `${lineText(line, idWidth, verb.width)}\n`;
    if (text.length < 64 * 1024) continue;
    yield text;
    text = "";
  }
  yield text;
}

function lineText(
  { entry, rails, isActive, isLeaf }: TreeLine<OutlineEntry>,
  idWidth: number,
  width: number | undefined,
): string {
  const { who, text } = lineOf(entry.excerpt, TEXT_LENGTH_MAX);
  const label = entry.label === undefined ? "" : `  [${entry.label}]`;
  const end = `${label}${isLeaf ? "  <- leaf" : ""}`;
  const start = `${entry.excerpt.id.padEnd(idWidth)} ${isActive ? "*" : " "} `;
  const said = text === "" ? who : `${who}: ${text}`;
  if (width === undefined) return `${start}${rails}${said}${end}`;
  const railsMax = Math.floor((width - start.length) * RAILS_SHARE);
  const shownRails = rails.length > railsMax ? `…${rails.slice(-railsMax)}` : rails;
  const left = width - start.length - shownRails.length - end.length;
  return cutTo(`${start}${shownRails}${cutTo(said, Math.max(8, left))}${end}`, width);
}
