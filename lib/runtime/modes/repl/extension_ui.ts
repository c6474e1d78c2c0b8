/** How extensions reach the person at the REPL. */
import type { ExtensionUi } from "../../extensions/api.ts";
import type { Console } from "./console.ts";
import { type Dialog, isYes } from "./dialog.ts";

/** The dialog is asked for each time: it comes with the conversation. */
export function extensionUi(console: Console, dialog: () => Dialog): ExtensionUi {
  return {
    notify(text, level) {
      if (level === "error") dialog().error(text);
      else dialog().note(text);
    },
    questions: {
      confirm: async (question, signal) =>
        isYes(await console.ask(`${question} y or n`, { signal })),
      async select(question, choices, signal) {
        const items = choices.map((text) => ({ text }));
        const picked = await console.pick({ title: question, items, signal });
        return picked && choices[picked.index];
      },
      input: async (question, signal) => await console.ask(question, { signal }),
    },
  };
}
