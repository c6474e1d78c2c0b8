import { expect, test } from "bun:test";
import { readCommand, tooLong } from "../../../../lib/runtime/modes/rpc/command.ts";

function read(line: string | Uint8Array) {
  return readCommand(typeof line === "string" ? new TextEncoder().encode(line) : line);
}

test.each([
  [{ type: "prompt", message: "look" }],
  [{
    id: 0,
    type: "prompt",
    message: "look",
    images: [{ type: "image", data: "AA==", mimeType: "image/png" }],
    streamingBehavior: "followUp",
  }],
  [{ id: "x", type: "abort" }],
  [{ type: "set_model", modelId: "m", provider: "p" }],
  [{ type: "navigate_tree", entryId: null, summarize: true }],
  [{ type: "set_label", entryId: "1" }],
  [{ type: "bash", command: "ls", excludeFromContext: false }],
])("readCommand() takes %j", (command) => {
  const { id, ...value } = { id: undefined, ...command };
  const expected: unknown = {
    ...(id === undefined ? {} : { id }),
    command: command.type,
    kind: "command",
    value,
  };
  expect<unknown>(read(JSON.stringify(command))).toEqual(expected);
});

test.each(["", " ", "\t", "\ufeff"])("readCommand() passes over the blank line %j", (line) => {
  expect(read(line)).toBeUndefined();
});

test("readCommand() drops a byte-order mark", () => {
  expect(read('\ufeff{"type":"abort"}')).toMatchObject({ kind: "command", command: "abort" });
});

test.each<[string | Uint8Array, string | null, string, RegExp]>([
  ["{", null, "bad_json", /^Cannot read a command: /],
  ["[]", null, "bad_json", /it is not a JSON object$/],
  ["null", null, "bad_json", /it is not a JSON object$/],
  ['"prompt"', null, "bad_json", /it is not a JSON object$/],
  [new Uint8Array([0x7b, 0xff, 0x7d]), null, "bad_json", /^Cannot read a command: /],
  ["{}", null, "unknown_command", /it has no "type"$/],
  ['{"type":7}', null, "unknown_command", /it has no "type"$/],
  ['{"type":"promt"}', "promt", "unknown_command", /did you mean "prompt"\?$/],
  ['{"type":"constructor"}', "constructor", "unknown_command", /the commands are prompt, steer/],
  ['{"type":"abort","id":{}}', "abort", "bad_arguments", /its id is neither a string nor a number/],
  ['{"type":"prompt"}', "prompt", "bad_arguments", /prompt: message: expected string/],
  [
    '{"type":"prompt","message":"x","mesage":"y"}',
    "prompt",
    "bad_arguments",
    /unknown argument mesage; it takes message, images, streamingBehavior$/,
  ],
  ['{"type":"abort","now":true}', "abort", "bad_arguments", /argument now; it takes none$/],
  [
    '{"type":"set_thinking_level","level":"huge"}',
    "set_thinking_level",
    "bad_arguments",
    /level: .*"off"\|"minimal"/,
  ],
  ['{"type":"prompt","message":""}', "prompt", "bad_arguments", /prompt: message: /],
  ['{"type":"fork","entryId":""}', "fork", "bad_arguments", /entryId: /],
  [
    '{"type":"prompt","message":"x","images":[{"type":"image","data":"A"}]}',
    "prompt",
    "bad_arguments",
    /images\.0\.mimeType: /,
  ],
])("readCommand() refuses %j", (line, command, code, message) => {
  expect<unknown>(read(line)).toEqual({
    command,
    kind: "refused",
    error: { code, message: expect.stringMatching(message) },
  });
});

test("readCommand() answers under the id of a command that it refuses", () => {
  expect(read('{"id":"7","type":"nonsense"}')).toMatchObject({ id: "7", command: "nonsense" });
});

test("tooLong() names the limit", () => {
  expect(tooLong(5)).toEqual({
    command: null,
    kind: "refused",
    error: {
      code: "too_long",
      message: "Cannot read a command: its line has more than 5 bytes",
    },
  });
});
