/** `bough models`: the models that can be chosen. */
import type { ModelFacts } from "../../agent/mod.ts";
import type { ExitCode } from "../command_line/exit_code.ts";
import type { VerbCall } from "../command_line/parse.ts";
import { loadServices, type ModelRegistry } from "../config/mod.ts";
import { Report } from "../modes/report.ts";
import { type VerbPorts, widthOfTerminal } from "./ports.ts";
import { type TextColumn, textColumns } from "./text_columns.ts";

/** One model, as `--json` tells it. */
interface ListedModel extends ModelFacts {
  /** Whether it can be asked, as far as can be told without running a command. */
  readonly hasKey: boolean;
}

const COLUMNS: readonly TextColumn[] = [
  { heading: "model", givesWay: true },
  { heading: "window", align: "right" },
  { heading: "in / out, $ per 1M", align: "right" },
  { heading: "key" },
];

/** Lists the models whose name has all of the words in it. */
export async function listModels(call: VerbCall, ports: VerbPorts): Promise<ExitCode> {
  const { stdout, stderr, env } = ports;
  // Keys and models are the user's, whatever the project says.
  const { models, warnings } = await loadServices({ cwd: ports.cwd(), env, bare: true });
  const report = new Report(stderr, call.run);
  for (const { message } of warnings) report.note(message);
  const listed = await search(call.operands, models);
  if (call.flags.has("json")) {
    stdout.record(listed);
    return 0;
  }
  if (listed.length > 0) {
    stdout.show(textColumns(COLUMNS, listed.map(row), widthOfTerminal(ports)));
  } else {
    report.note(
      `No known model has "${call.operands.join(" ")}" in its name; any other id works with ` +
        "--base-url, or described in models.json",
    );
  }
  return 0;
}

async function search(words: readonly string[], models: ModelRegistry): Promise<ListedModel[]> {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/));
  return (await models.list())
    .filter(({ provider, id, name }) => {
      const text = `${provider}/${id} ${name}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    })
    .map((facts) => ({ ...facts, hasKey: models.usable(facts.provider) }));
}

function row({ provider, id, contextWindow, cost, hasKey }: ListedModel): string[] {
  const isPriced = cost.input > 0 || cost.output > 0;
  return [
    `${provider}/${id}`,
    tokens(contextWindow),
    isPriced ? `${price(cost.input)} / ${price(cost.output)}` : "-",
    hasKey ? "yes" : "no",
  ];
}

function tokens(count: number): string {
  return count >= 1_000_000
    ? `${Number((count / 1_000_000).toFixed(2))}M`
    : `${Math.round(count / 1000)}k`;
}

function price(dollars: number): string {
  return dollars.toFixed(2);
}
