/** The help. */
import type { Command, ReplContext } from "../context.ts";
import { nearestNames } from "../../../config/mod.ts";
import { type Row, row, span, wrapRow } from "../styled.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ["Enter", "sends; after a \\, or with Alt or Shift, begins a new line"],
  ["Tab", "completes commands, @paths, models, sessions, entries and labels"],
  ["Up, Down", "what was typed before; Ctrl-R searches it"],
  ["Ctrl-G", "edits the text in $EDITOR"],
  ["Ctrl-C", "stops the model; on an idle line clears it, twice leaves"],
  ["Ctrl-D", "leaves, on an empty line"],
  ["Ctrl-Z", "suspends; fg comes back"],
  ["!command", "runs a shell command, and the model sees it; !!command: it does not"],
  ["@path", "puts a file or an image in front of what you say"],
];

export const help: Command = {
  name: "help",
  parameters: "[command]",
  does: "Shows the commands and keys, or what one command does",
  anytime: true,
  completes: "command",
  async run(context, argument) {
    const { COMMANDS } = await import("./table.ts");
    const { dialog } = context;
    if (argument === "") return dialog.rows(overview(COMMANDS, context));
    const wanted = argument.replace(/^\//, "");
    const command = COMMANDS.find(({ name }) => name === wanted);
    if (command) return dialog.rows(oneCommand(command, dialog.columns));
    const other = otherCommands(context).find(({ name }) => name === wanted);
    if (other) return dialog.rows([usage(other), ...wrapped(other.does, dialog.columns)]);
    const names = [...COMMANDS, ...otherCommands(context)].map(({ name }) => name);
    const [near] = nearestNames(wanted, names);
    throw new Error(
      `Cannot show the help of /${wanted}: there is no such command` +
        (near === undefined ? "" : `; did you mean /${near}?`),
    );
  },
};

interface Named {
  readonly name: string;
  readonly parameters?: string;
  readonly does: string;
}

/** Templates, skills, and the commands of extensions. */
export function otherCommands({ runtime }: Pick<ReplContext, "runtime">): Named[] {
  const { templates, skills } = runtime.services;
  return [
    ...templates.map(({ name, description, argumentHint }) => ({
      name,
      does: description,
      ...(argumentHint === undefined ? {} : { parameters: argumentHint }),
    })),
    ...skills.map(({ name, description }) => ({ name: `skill:${name}`, does: description })),
    ...(runtime.conversation.commands ?? []).map(({ name, description }) => ({
      name,
      does: description,
    })),
  ];
}

function overview(commands: readonly Command[], context: ReplContext): Row[] {
  const { columns } = context.dialog;
  const others = otherCommands(context);
  const width = Math.min(24, Math.floor(columns / 2));
  const line = ([name, does]: readonly [string, string]): Row[] =>
    wrapRow(
      [span(name.padEnd(width - 1)), span(" "), span(does, { dim: true })],
      columns,
      [span(" ".repeat(width))],
    );
  const usages = (list: readonly Named[]) =>
    list.flatMap(({ name, parameters, does }) =>
      line([`/${name}${parameters === undefined ? "" : ` ${shortened(parameters)}`}`, does])
    );
  return [
    ...usages(commands),
    ...(others.length === 0 ? [] : [[], ...usages(others)]),
    [],
    ...KEYS.flatMap(line),
  ];
}

function shortened(parameters: string): string {
  return parameters.includes("|") ? `${parameters.split(" |")[0] ?? ""} …]` : parameters;
}

function oneCommand(command: Command, columns: number): Row[] {
  const { does, help: more, anytime } = command;
  const when = anytime ? "" : "\nNot while the model works.";
  return [
    usage(command),
    ...wrapped(`${does}.${more === undefined ? "" : `\n${more}`}${when}`, columns),
  ];
}

function usage({ name, parameters = "" }: Named): Row {
  return [span(`/${name}`, { bold: true }), span(` ${parameters}`)];
}

function wrapped(text: string, columns: number): Row[] {
  return text.split("\n").flatMap((line) => wrapRow(row(line), columns));
}
