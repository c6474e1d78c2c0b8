import { parseArgs } from "node:util";
import { expect, test } from "bun:test";
import { type Token, tokensOf } from "../../../lib/runtime/command_line/tokens.ts";

const SPECS = [
  { name: "print", short: "p", takesValue: false },
  { name: "continue", short: "c", takesValue: false },
  { name: "model", short: "m", takesValue: true },
  { name: "output", takesValue: true },
];

const LOOKUP = {
  nameOf: (letter: string) => SPECS.find(({ short }) => short === letter)?.name,
  takesValue: (name: string) => SPECS.find((spec) => spec.name === name)?.takesValue === true,
};

const WORDS = [
  ...["-p", "-c", "-pc", "-pm", "-mx", "-pmx", "-m", "-m=x", "-p=", "-q", "-qp", "-pq", "-1"],
  ...["--model", "--model=", "--model=a=b", "--output", "--print", "--print=x", "--no-print"],
  ...["--", "-", "---", "--=", "--=x", "--x", "--x=1", "a", "", "x y"],
];

/** What `node:util` makes of the same words. */
function reference(args: string[]): Token[] {
  const options = Object.fromEntries(SPECS.map(({ name, short, takesValue }) => [name, {
    type: takesValue ? "string" as const : "boolean" as const,
    ...(short === undefined ? {} : { short }),
  }]));
  const { tokens } = parseArgs({
    args,
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? Infinity;
  return tokens.flatMap((token): Token[] => {
    switch (token.kind) {
      case "option-terminator":
        return [];
      case "positional":
        return [{ kind: "word", word: token.value, literal: token.index > end }];
      case "option": {
        const { name, rawName: raw, value, inlineValue } = token;
        const inline = inlineValue === true;
        return [{ kind: "option", name, raw, inline, ...(value === undefined ? {} : { value }) }];
      }
    }
  });
}

test("tokensOf() tells options from words as node:util does", () => {
  for (const first of WORDS) {
    for (const second of WORDS) {
      for (const third of WORDS) {
        const args = [first, second, third, "-p", "end"];
        expect(tokensOf(args, LOOKUP)).toEqual(reference(args));
      }
    }
  }
});

test("tokensOf() takes a whole character for an option", () => {
  expect(tokensOf(["-é😀"], LOOKUP)).toEqual([
    { kind: "option", name: "é", raw: "-é", inline: false },
    { kind: "option", name: "😀", raw: "-😀", inline: false },
  ]);
});
