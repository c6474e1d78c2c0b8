import { expect, test } from "bun:test";
import { findJsonSyntaxError } from "../../../lib/runtime/config/json_syntax.ts";

const BROKEN: [text: string, line: number, column: number, reason: string][] = [
  ["", 1, 1, "expected a value, found the end of the file"],
  ['{"a": 1,}', 1, 9, 'expected a name in double quotes, found "}" (one comma too many)'],
  ["[1, 2,\n]", 2, 1, 'expected a value, found "]" (one comma too many)'],
  [
    '{"a": 1 "b": 2}',
    1,
    9,
    'expected "," or the end of the list or object, found "\\"" (a comma is missing)',
  ],
  [
    '{\n  "a": 1, // mine\n}',
    2,
    11,
    'expected a name in double quotes, found "/" (JSON has no comments)',
  ],
  [
    "{'a': 1}",
    1,
    2,
    'expected a name in double quotes or "}", found "\'" (JSON strings have double quotes)',
  ],
  ["{a: 1}", 1, 2, 'expected a name in double quotes or "}", found "a"'],
  ['{"a" 1}', 1, 6, 'expected ":", found "1"'],
  [
    '{"a":"x\ny"}',
    1,
    6,
    'expected a value, found "\\"" (the string does not end, or has a character that must be escaped)',
  ],
  ['{"a": [1', 1, 9, 'expected "," or the end of the list or object, found the end of the file'],
  ["[1}", 1, 3, 'expected "," or the end of the list or object, found "}"'],
  ["{} {}", 1, 4, 'expected the end of the file, found "{"'],
  ['{"é😀": wahr}', 1, 8, 'expected a value, found "w"'],
  ["[tru]", 1, 2, 'expected a value or "]", found "t"'],
];

for (const [text, line, column, reason] of BROKEN) {
  test(`findJsonSyntaxError() of ${JSON.stringify(text)} is at ${line}:${column}`, () => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonSyntaxError(text)).toEqual({ line, column, reason });
  });
}

const SOUND = [
  "{}",
  "[]",
  " null\r\n",
  '{"a": [1, -2.5e+10, "\\u00e9\\n", true, {"b": {}}], "": ""}',
  `{"long": "${"x".repeat(100_000)}"}`,
];

for (const text of SOUND) {
  test(`findJsonSyntaxError() finds nothing in JSON (${JSON.stringify(text.slice(0, 20))})`, () => {
    expect(findJsonSyntaxError(text)).toBeUndefined();
  });
}

test("findJsonSyntaxError() copes with any depth", () => {
  const text = "[".repeat(500_000);
  expect(findJsonSyntaxError(text)).toMatchObject({ line: 1, column: 500_001 });
});

test("findJsonSyntaxError() and JSON.parse agree on each beginning of a text", () => {
  const text = '{"a": [1.5e3, "\\"é\\u0041", null], "b": {"c": false}}';
  for (let end = 0; end <= text.length; end++) {
    const part = text.slice(0, end);
    let sound = true;
    try {
      JSON.parse(part);
    } catch {
      sound = false;
    }
    expect([part, findJsonSyntaxError(part) === undefined]).toEqual([part, sound]);
  }
});
