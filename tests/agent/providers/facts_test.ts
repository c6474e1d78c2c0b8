import { expect, test } from "bun:test";
import { checkImage, costOf, loadCatalogue } from "../../../lib/agent/mod.ts";
import { isStrictSchema } from "../../../lib/agent/providers/schema.ts";
import { ToolIds } from "../../../lib/agent/providers/tool_ids.ts";

test("loadCatalogue() reads every model with whole facts", async () => {
  const models = await loadCatalogue();
  expect(models.length).toBe(65);
  expect(models.find(({ id }) => id === "claude-haiku-5-5")).toEqual({
    provider: "anthropic",
    id: "claude-haiku-5-5",
    name: "Claude Haiku 5.5",
    api: "anthropic-messages",
    contextWindow: 1_000_000,
    maxTokens: 128_000,
    reasoning: true,
    input: ["text", "image"],
    cost: {
      input: 0.1,
      output: 0.5,
      cacheRead: 0.01,
      cacheWrite: 0.125,
      tiers: [
        { inputTokensAbove: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
      ],
    },
  });
  const broken = models.filter(({ id, name, contextWindow, maxTokens, cost }) =>
    id === "" || name === "" || !(contextWindow > 0) || !(maxTokens > 0) ||
    [cost, ...cost.tiers ?? []].some((price) =>
      [price.input, price.output, price.cacheRead, price.cacheWrite].some(Number.isNaN)
    )
  );
  expect(broken).toEqual([]);
});

test("costOf() takes the dearest tier that the input passes, for all tokens", () => {
  const tier = { output: 1, cacheRead: 1, cacheWrite: 1 };
  const cost = {
    ...tier,
    input: 1,
    tiers: [
      { inputTokensAbove: 2_000, input: 30, ...tier },
      { inputTokensAbove: 1_000, input: 20, ...tier },
    ],
  };
  const inputCost = (input: number, cacheRead: number) =>
    costOf({ cost }, { input, cacheRead, cacheWrite: 0, output: 0, totalTokens: 0 }).input;
  expect(inputCost(1_000, 0)).toBeCloseTo(0.001, 10);
  expect(inputCost(500, 501)).toBeCloseTo(0.01, 10);
  expect(inputCost(2_001, 0)).toBeCloseTo(0.06003, 10);
});

test("ToolIds makes ids valid, unique and the same each time", () => {
  const names = () => {
    const ids = new ToolIds(40);
    return [
      ids.call("call_0"),
      ids.result("call_0"),
      ids.call("call_0"),
      ids.result("call_0"),
      ids.call("call_1|fc_1"),
      ids.result("call_1|fc_1"),
      ids.call(`x${"y".repeat(60)}`),
      ids.call(`x${"y".repeat(61)}`),
      ids.call("ö:1"),
      ids.call("ü:1"),
    ];
  };
  const given = names();
  expect(given.slice(0, 6)).toEqual([
    "call_0",
    "call_0",
    "call_0_2",
    "call_0_2",
    "call_1",
    "call_1",
  ]);
  expect(new Set(given.slice(6)).size).toBe(4);
  expect(given.every((name) => /^[a-zA-Z0-9_-]{1,40}$/.test(name))).toBe(true);
  expect(names()).toEqual(given);
});

test("isStrictSchema() asks every object to be closed and complete", () => {
  const closed = { type: "object", additionalProperties: false };
  const inner = { ...closed, properties: { a: { type: "string" } }, required: ["a"] };
  expect(isStrictSchema({ ...closed, properties: { x: inner }, required: ["x"] })).toBe(true);
  expect(isStrictSchema({ ...closed, properties: { x: inner }, required: [] })).toBe(false);
  expect(isStrictSchema({ ...closed, properties: {}, additionalProperties: true })).toBe(false);
  expect(isStrictSchema({ type: "array", items: { type: "object" } })).toBe(false);
});

/** The smallest pictures that are whole, and a bound on each kind. */
function base64(...bytes: number[]): string {
  return btoa(String.fromCharCode(...bytes));
}

function ascii(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function png(width: number): string {
  const side = [width >> 24 & 255, width >> 16 & 255, width >> 8 & 255, width & 255];
  return base64(
    0x89,
    ...ascii("PNG"),
    13,
    10,
    26,
    10,
    0,
    0,
    0,
    13,
    ...ascii("IHDR"),
    ...side,
    0,
    0,
    0,
    1,
    8,
    6,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    ...ascii("IEND"),
    0,
    0,
    0,
    0,
  );
}

const JPEG = [
  0xff,
  0xd8,
  0xff,
  0xe0,
  0,
  4,
  1,
  2,
  0xff,
  0xc0,
  0,
  11,
  8,
  0,
  5,
  0,
  6,
  1,
  1,
  0x11,
  0,
  0xff,
  0xd9,
];

test("checkImage() goes by the content and finds what would be refused (C100)", () => {
  const check = (mimeType: string, data: string) => {
    const found = checkImage({ type: "image", mimeType, data });
    return found.ok ? found.image.mimeType : found.problem;
  };
  const gif = base64(...ascii("GIF89a"), 1, 0, 1, 0, ...new Array(15).fill(0), 0x3b);
  const webp = base64(
    ...ascii("RIFF"),
    24,
    0,
    0,
    0,
    ...ascii("WEBPVP8X"),
    10,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    9,
    0,
    0,
    9,
    0,
    0,
    0,
    0,
  );
  expect(check("image/png", png(10))).toBe("image/png");
  expect(check("image/jpg", base64(...JPEG))).toBe("image/jpeg");
  expect(check("image/png", base64(...JPEG))).toBe("image/jpeg");
  expect(check("image/jpeg", base64(...JPEG.slice(0, -2)))).toBe("its data is cut off or broken");
  expect(check("image/gif", gif)).toBe("image/gif");
  expect(check("image/webp", webp)).toBe("image/webp");
  expect(check("image/png", png(9_000))).toBe("it is 9000x1, the limit is 8000");
  expect(check("image/png", png(0))).toBe("its data is cut off or broken");
  expect(check("image/svg+xml", btoa("<svg/>"))).toBe("image/svg+xml is not accepted");
  expect(check("image/png", btoa("<svg/>"))).toBe("its data is no PNG, JPEG, GIF or WebP");
  expect(check("image/png", "")).toBe("its data is not base64");
  expect(check("image/png", btoa("x".repeat(5_000_001))))
    .toBe("it has 5000001 bytes, the limit is 3932160");
});
