import { expect, test } from "bun:test";
import { connect } from "../../../lib/runtime/config/connect.ts";
import { Keys } from "../../../lib/runtime/config/keys.ts";
import { providerFrom, unknownModel } from "../../../lib/runtime/config/providers.ts";
import { Secrets } from "../../../lib/runtime/config/secrets.ts";
import { defaultSettings } from "../../../lib/runtime/config/settings_defaults.ts";
import { TempDirectory } from "../../support/temp.ts";

const REFUSED: [value: string, why: string][] = [
  ["!printf 'one\\ntwo'", "it has line breaks or control characters"],
  ["sec…ret", "it has characters that cannot be sent (a shortened copy ends in one: …)"],
  ["$NOT_SET", "the environment variable NOT_SET is not set"],
];

for (const [value, why] of REFUSED) {
  test(`connect() says what is wrong with the header ${JSON.stringify(value)}, and not what it is`, async () => {
    using temp = new TempDirectory();
    const secrets = new Secrets({ PATH: process.env["PATH"] });
    const provider = await providerFrom("lab", {
      baseUrl: "http://lab/v1",
      headers: { "x-team": value },
    });
    const connecting = connect({
      facts: unknownModel(provider, "m"),
      provider,
      baseUrl: provider.baseUrl,
      keys: new Keys({ home: temp.home, secrets }),
      secrets,
      settings: defaultSettings(),
    });
    await expect(connecting).rejects.toMatchObject({
      code: "bad_models",
      message: `Cannot ask lab: its header x-team has no value to send; ${why}`,
    });
  });
}
