import { expect, test } from "bun:test";
import {
  MODEL_ERROR_FATE,
  type ModelError,
  modelErrorFrom,
  retryAfter,
} from "../../../lib/agent/mod.ts";
import { caseJson } from "../../support/cases.ts";
import { hear, requestFor, testModel, user, WIRE_FORMATS } from "../../support/models.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";

const ASKED = { provider: "openai", model: "gpt", baseUrl: "http://host/v1" };

interface Row {
  class: "overflow" | "retry" | "fatal";
  status: number | null;
  message: string;
}

function rows(): Row[] {
  return caseJson("C104", "errors.json") as Row[];
}

function classOf(error: ModelError | undefined): string {
  if (!error) return "none";
  if (error.code === "context_overflow") return "overflow";
  return MODEL_ERROR_FATE[error.code].retry ? "retry" : "fatal";
}

test("modelErrorFrom() sorts what providers say into overflow, retry and fatal (C104)", () => {
  const sorted = rows().map(({ status, message }) => {
    const cause = status === null
      ? new Error("Connection error.", { cause: new Error(message) })
      : Object.assign(new Error(`${status} ${message}`), { status, error: { message } });
    return { class: classOf(modelErrorFrom(cause, ASKED)), status, message };
  });
  expect(sorted).toEqual(rows());
});

for (const api of WIRE_FORMATS) {
  test(`stream() of ${api} sorts the failures that a server answers with (C104)`, async () => {
    for (const { class: wanted, status, message } of rows()) {
      if (status === null) continue;
      await using server = await ScriptedServer.start([{ status, json: { error: { message } } }]);
      const model = testModel(api, server.url);
      const heard = await hear(model, requestFor(model, [user("x")]));
      expect([message, classOf(heard.error), heard.error?.status]).toEqual([
        message,
        wanted,
        status,
      ]);
      expect(heard.message.errorMessage).toContain(message);
      expect(heard.message.errorMessage).toContain(`${status}`);
      expect(server.requests.length).toBe(1);
    }
  });
}

test("modelErrorFrom() knows an overflow in other words, and a rate limit that is none", () => {
  const codes: [number | undefined, string, string][] = [
    [500, "the request exceeds the available context size, try increasing it", "context_overflow"],
    [400, "Input is too long for requested model.", "context_overflow"],
    [400, "Please reduce the length of the messages or completion.", "context_overflow"],
    [400, "prompt token count of 1 exceeds the limit of 0", "context_overflow"],
    [undefined, "Context size has been exceeded.", "context_overflow"],
    [429, "Request exceeds the context limit per minute", "rate_limited"],
    [429, "insufficient_quota", "quota"],
    [400, "Your credit balance is too low to access the API", "quota"],
    [403, "Your region is not supported", "bad_key"],
    [404, "The model `gpt-5.9` does not exist", "unknown_model"],
    [404, "404 page not found", "bad_request"],
    [502, "Bad gateway", "overloaded"],
    [504, "Gateway timeout", "timed_out"],
  ];
  const found = codes.map(([status, message]) => {
    const cause = Object.assign(new Error(message), status === undefined ? {} : { status });
    return [status, message, modelErrorFrom(cause, { ...ASKED, started: true }).code];
  });
  expect(found).toEqual(codes);
});

test("modelErrorFrom() goes by the kind that a provider names", () => {
  const kinds = [
    ["overloaded_error", "overloaded"],
    ["rate_limit_error", "rate_limited"],
    ["authentication_error", "bad_key"],
    ["invalid_request_error", "bad_request"],
    ["billing_error", "quota"],
    ["something_new", "overloaded"],
  ];
  const found = kinds.map(([type]) => [
    type,
    modelErrorFrom({ type: "error", error: { type, message: "?" } }, { ...ASKED, started: true })
      .code,
  ]);
  expect(found).toEqual(kinds);
});

test("modelErrorFrom() writes one line with the provider's words, the status and what to do", () => {
  const refused = Object.assign(new Error('401 {"type":"error"}'), {
    status: 401,
    error: {
      type: "error",
      error: { type: "authentication_error", message: "invalid\nx-api-key" },
    },
  });
  expect(modelErrorFrom(refused, { provider: "anthropic", model: "c" }).message).toBe(
    "Cannot use anthropic: it refused the key (401): invalid x-api-key. " +
      "Check the key.",
  );
  const down = new Error("Connection error.", {
    cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" }),
  });
  expect(modelErrorFrom(down, ASKED).message).toBe(
    "Cannot reach openai at http://host/v1: connect ECONNREFUSED 127.0.0.1:9. " +
      "Check the network and the base URL.",
  );
  const reset = new Error("Connection error.", {
    cause: new Error(
      "The socket connection was closed unexpectedly. For more information, pass `verbose: true` " +
        "in the second argument to fetch()",
    ),
  });
  expect(modelErrorFrom(reset, { ...ASKED, started: true }).message).toBe(
    "Cannot get an answer from openai/gpt: The socket connection was closed unexpectedly.",
  );
  const page = Object.assign(new Error("502 <html><head><title>Bad\ngateway</title></html>"), {
    status: 502,
  });
  expect(modelErrorFrom(page, ASKED).message).toBe(
    "Cannot get an answer from openai/gpt: Bad gateway (HTTP 502).",
  );
});

test("retryAfter() reads seconds, milliseconds and dates, and no nonsense (C103)", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const rows: [Record<string, string>, number | undefined][] = [
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after-ms": "1500" }, 1500],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after-ms": "x", "retry-after": "9" }, 9000],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:03 GMT" }, 3000],
    [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "0" }, undefined],
    [{ "retry-after": "3600" }, 3_600_000],
    [{}, undefined],
  ];
  expect(rows.map(([headers]) => [headers, retryAfter(new Headers(headers), now)])).toEqual(rows);
});

test("stream() hands the server's wait on", async () => {
  for (const api of WIRE_FORMATS) {
    await using server = await ScriptedServer.start([
      { status: 429, headers: { "retry-after": "7" }, json: { error: { message: "slow down" } } },
    ]);
    const model = testModel(api, server.url);
    const { error } = await hear(model, requestFor(model, [user("x")]));
    expect([error?.code, error?.retryAfterMs]).toEqual(["rate_limited", 7000]);
  }
});

test("modelErrorFrom() tells no password and no key of a base URL", () => {
  const asked = { provider: "p", model: "m", baseUrl: "https://bob:pa55@host:8443/v1?key=abc" };
  const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
  expect(modelErrorFrom(refused, asked).message).toBe(
    "Cannot reach p at https://host:8443/v1: no. Check the network and the base URL.",
  );
});
