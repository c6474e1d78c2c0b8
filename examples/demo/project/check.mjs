import { countWords } from "./words.mjs";

const cases = [
  ["one two three", 3],
  ["one  two", 2],
  ["one\ntwo\n", 2],
  ["", 0],
];

let failed = 0;
for (const [text, expected] of cases) {
  const actual = countWords(text);
  if (actual === expected) continue;
  failed += 1;
  console.log(`countWords(${JSON.stringify(text)}) is ${actual}, not ${expected}`);
}
console.log(`${cases.length - failed} of ${cases.length} cases are right`);
process.exitCode = failed > 0 ? 1 : 0;
