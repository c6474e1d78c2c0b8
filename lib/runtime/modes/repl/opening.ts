/** What is shown when a session is opened. */
import type { Environment, Services } from "../../config/mod.ts";
import type { AgentSessionRuntime } from "../../runtime.ts";
import type { Session } from "../../../session/mod.ts";
import { damageLines } from "../damage_text.ts";
import { VERSION } from "../../version.ts";
import { lastExchangeRows } from "./message_rows.ts";
import { modelName } from "./numbers.ts";
import { cutRow, type Row, row, span } from "./styled.ts";

/** Version, model, directory; the session, if something was said in it, with its last exchange. */
export async function openingRows(
  { session: live }: AgentSessionRuntime<Services>,
  options: { columns: number; raw: boolean; env: Environment; isFirst: boolean },
): Promise<Row[]> {
  const { columns, env, isFirst } = options;
  const { session } = live;
  const level = live.thinkingLevel === "off" ? "" : `:${live.thinkingLevel}`;
  const about = `${modelName(live.model.facts)}${level} · ${shortPath(session.cwd, env)}`;
  const head: Row = isFirst
    ? [span("bough", { bold: true }), span(` ${VERSION} · ${about}`)]
    : row(about);
  const exchange = lastExchangeRows(await session.getBranch(), options);
  const name = session.name === undefined ? "" : `"${session.name}" `;
  const second = exchange.length === 0
    ? row(isFirst ? "/help shows the commands, Ctrl-D leaves" : "A new session", { dim: true })
    : row(`Session ${name}${session.id}`, { dim: true });
  return [
    cutRow(head, columns),
    cutRow(second, columns),
    ...damageRows(session).map((each) => cutRow(each, columns)),
    ...(exchange.length === 0 ? [] : [[], ...exchange]),
  ];
}

function damageRows({ damage, file, id }: Pick<Session, "damage" | "file" | "id">): Row[] {
  return damageLines(damage, file ?? id).map((text) => row(text, { colour: "yellow" }));
}

/** The home directory as `~`. */
function shortPath(path: string, env: Environment): string {
  const home = env["HOME"];
  if (!home || (path !== home && !path.startsWith(`${home}/`))) return path;
  return `~${path.slice(home.length)}`;
}
