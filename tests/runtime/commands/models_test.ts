import { expect, test } from "bun:test";
import { recordedSink } from "../../support/recorded_sink.ts";
import { TempDirectory } from "../../support/temp.ts";
import { verbRun } from "../../support/verb_run.ts";

const MODELS = {
  providers: {
    here: {
      baseUrl: "http://127.0.0.1:1/v1",
      models: [
        { id: "small", name: "Small One", contextWindow: 8_192, cost: { input: 0.5, output: 2 } },
        { id: "large", contextWindow: 1_500_000 },
      ],
    },
    away: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "AWAY_TEST_KEY", models: [{ id: "far" }] },
  },
};

function withModels(): TempDirectory {
  const temp = new TempDirectory();
  temp.write("home/models.json", JSON.stringify(MODELS));
  return temp;
}

test("models lists id, window, price and key: in columns on a terminal, else with tabs", async () => {
  using temp = withModels();
  const { sink, writer } = recordedSink({ isTerminal: true });
  const piped = await verbRun(temp, ["models", "here/"]);
  await verbRun(temp, ["models", "here/"], { stdout: sink });
  await sink.drain();
  expect(piped).toEqual({
    code: 0,
    stdout: "here/small\t8k\t0.50 / 2.00\tyes\nhere/large\t1.5M\t-\tyes\n",
    stderr: "",
  });
  expect(writer.text).toBe([
    "model       window  in / out, $ per 1M  key",
    "here/small      8k         0.50 / 2.00  yes",
    "here/large    1.5M                   -  yes",
    "",
  ].join("\n"));
});

test("models looks for all words, in any case", async () => {
  using temp = withModels();
  const { stdout } = await verbRun(temp, ["models", "ONE", "small"]);
  expect(stdout).toBe("here/small\t8k\t0.50 / 2.00\tyes\n");
});

test("models says where a key is missing, and takes it from the environment", async () => {
  using temp = withModels();
  const without = await verbRun(temp, ["models", "away", "--json"]);
  const env = temp.env({ AWAY_TEST_KEY: "secret" });
  const having = await verbRun(temp, ["models", "away", "--json"], { env });
  expect([without, having].map(({ stdout }) => JSON.parse(stdout))).toEqual([
    [expect.objectContaining({ provider: "away", id: "far", hasKey: false })],
    [expect.objectContaining({ provider: "away", id: "far", hasKey: true })],
  ]);
  expect(having.stdout).not.toContain("secret");
});

test("models --json gives each model's facts, those of the catalogue too", async () => {
  using temp = new TempDirectory();
  const { stdout } = await verbRun(temp, ["models", "--json"]);
  const models: unknown[] = JSON.parse(stdout);
  expect(models.length).toBeGreaterThan(10);
  for (const model of models) {
    expect(model).toEqual(expect.objectContaining({
      provider: expect.any(String),
      id: expect.any(String),
      contextWindow: expect.any(Number),
      maxTokens: expect.any(Number),
      cost: expect.any(Object),
      hasKey: false,
    }));
  }
});

test("models that finds none says so on stderr", async () => {
  using temp = withModels();
  expect(await verbRun(temp, ["models", "no-such-thing"])).toEqual({
    code: 0,
    stdout: "",
    stderr: 'bough: No known model has "no-such-thing" in its name; any other id works with ' +
      "--base-url, or described in models.json\n",
  });
  expect((await verbRun(temp, ["models", "no-such-thing", "--json"])).stdout).toBe("[]\n");
});

test("models works where the settings are broken, and not where models.json is", async () => {
  using temp = withModels();
  temp.write("home/settings.json", "{");
  expect((await verbRun(temp, ["models", "small"])).code).toBe(0);
  temp.write("home/models.json", "{");
  expect(verbRun(temp, ["models"])).rejects.toMatchObject({ code: "bad_models" });
});
