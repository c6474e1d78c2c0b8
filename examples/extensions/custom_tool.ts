/**
 * A to-do list that the model keeps and a person sees with `/todo`. It lives in the session, so it
 * follows the branch: going back in the tree brings the list of that time back.
 */
import type { ExtensionApi, SessionEntry } from "bough/api";
import { textResult, ToolError } from "bough/api";

interface Item {
  text: string;
  done: boolean;
}

/** What happened to the list, as it stands in the session. */
type Change = { add: string } | { done: number };

const ENTRY_TYPE = "todo";

function isChange(data: unknown): data is Change {
  return typeof data === "object" && data !== null &&
    ("add" in data && typeof data.add === "string" ||
      "done" in data && typeof data.done === "number");
}

function listOf(branch: readonly SessionEntry[]): Item[] {
  const items: Item[] = [];
  for (const entry of branch) {
    if (entry.type !== "custom" || entry.customType !== ENTRY_TYPE || !isChange(entry.data)) {
      continue;
    }
    if ("add" in entry.data) items.push({ text: entry.data.add, done: false });
    else {
      const item = items[entry.data.done - 1];
      if (item) item.done = true;
    }
  }
  return items;
}

function show(items: readonly Item[]): string {
  if (items.length === 0) return "The list is empty.";
  return items.map(({ done, text }, index) => `${index + 1}. [${done ? "x" : " "}] ${text}`)
    .join("\n");
}

export default function (bough: ExtensionApi): void {
  bough.registerTool({
    name: "todo",
    description: "Keeps a to-do list: adds an item, ticks one off, or shows the list.",
    parameters: {
      type: "object",
      properties: {
        add: { type: "string", description: "The text of a new item" },
        done: { type: "integer", description: "The number of an item that is done" },
      },
      additionalProperties: false,
    },
    // Two changes at once would each count from the list before the other.
    alone: true,
    async execute({ add, done }, _call, { session }) {
      if (typeof add === "string") await bough.appendEntry(ENTRY_TYPE, { add });
      if (typeof done === "number") {
        const { length } = listOf(await session.getBranch());
        if (done < 1 || done > length) {
          throw new ToolError(`Cannot tick off item ${done}: the list has ${length}.`);
        }
        await bough.appendEntry(ENTRY_TYPE, { done });
      }
      return textResult(show(listOf(await session.getBranch())));
    },
  });

  bough.registerCommand("todo", {
    description: "Shows the to-do list",
    async run(_args, context) {
      context.notify(show(listOf(await context.session.getBranch())));
    },
  });
}
