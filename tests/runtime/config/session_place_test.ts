import { describe, expect, test } from "bun:test";
import { ConfigError } from "../../../lib/runtime/config/errors.ts";
import {
  sessionPlace,
  type SessionPlaceOptions,
} from "../../../lib/runtime/config/session_place.ts";
import { TempDirectory } from "../../support/temp.ts";

async function place(settings: unknown, options: Partial<SessionPlaceOptions> = {}) {
  using temp = new TempDirectory();
  if (settings !== undefined) {
    temp.write(
      "home/settings.json",
      typeof settings === "string" ? settings : JSON.stringify(settings),
    );
  }
  const { sessionsDir, ...rest } = await sessionPlace({
    env: temp.env(),
    home: temp.home,
    startDirectory: temp.cwd,
    ...options,
  });
  return { sessionsDir: sessionsDir.replace(temp.path, "T"), ...rest };
}

describe("sessionPlace()", () => {
  const home = { sessionsDir: "T/home/sessions", flat: false, durability: "turn" };
  const rows: [
    what: string,
    settings: unknown,
    options: Partial<SessionPlaceOptions>,
    place: object,
  ][] = [
    ["is in the home without settings", undefined, {}, home],
    ["is in the home with settings of other things", { defaultModel: "x/y" }, {}, home],
    ["is what the settings say", { sessionDir: "s" }, {}, {
      ...home,
      sessionsDir: "T/home/s",
      flat: true,
    }],
    ["expands a tilde", { sessionDir: "~/s" }, {}, {
      ...home,
      sessionsDir: "T/user/s",
      flat: true,
    }],
    [
      "is what the option says first",
      { sessionDir: "s", durability: "none" },
      { sessionDir: "o" },
      { sessionsDir: "T/work/o", flat: true, durability: "none" },
    ],
    ["has the settings' durability", { durability: "entry" }, {}, { ...home, durability: "entry" }],
    ["heeds no settings if bare", { sessionDir: "s" }, { bare: true }, home],
  ];
  for (const [what, settings, options, wanted] of rows) {
    test(what, async () => expect<object>(await place(settings, options)).toEqual(wanted));
  }

  test("says what is wrong in the settings where it matters", async () => {
    for (
      const settings of ["{", { sessionDir: 1 }, { durability: "sometimes" }, { sessionDir: "" }]
    ) {
      const error = await place(settings).catch((error: unknown) => error);
      expect([settings, error instanceof ConfigError && error.code]).toEqual([
        settings,
        "bad_settings",
      ]);
    }
  });
});
