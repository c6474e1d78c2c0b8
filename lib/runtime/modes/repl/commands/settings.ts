/** Commands that change the model, the tools and what is trusted. */
import { THINKING_LEVELS } from "../../../../session/mod.ts";
import { nearestNames, setTrust } from "../../../config/mod.ts";
import type { Command, ReplContext } from "../context.ts";
import { isYes } from "../dialog.ts";
import { shortCount } from "../numbers.ts";
import { span } from "../styled.ts";

export const model: Command = {
  name: "model",
  parameters: "[model]",
  does: "Asks another model from now on",
  help:
    "The model is provider/id, an id, or a unique part of one, and may end in a thinking level: " +
    "/model sonnet:high. Without it, you choose from those that can be asked.",
  anytime: true,
  completes: "model",
  async run(context, argument) {
    const wanted = argument === "" ? await pickModel(context) : argument;
    if (wanted === undefined) return;
    const { models } = context.runtime.services;
    const { facts, thinkingLevel } = await models.choose({ model: wanted });
    await models.check(facts);
    await context.session.setModel(models.create(facts));
    if (thinkingLevel !== undefined) await context.session.setThinkingLevel(thinkingLevel);
  },
};

async function pickModel({ dialog, runtime, session }: ReplContext): Promise<string | undefined> {
  const { models } = runtime.services;
  const enabled = await models.enabled();
  const current = session.model.facts;
  const picked = await dialog.pick({
    title: "Models that can be asked",
    items: enabled.map((facts) => ({
      text: `${facts.provider}/${facts.id}` +
        (facts.provider === current.provider && facts.id === current.id ? " (now)" : ""),
      note: `${
        shortCount(facts.contextWindow)
      } context, $${facts.cost.input}/$${facts.cost.output}`,
      keywords: facts.name,
    })),
  });
  const facts = picked && enabled[picked.index];
  return facts && `${facts.provider}/${facts.id}`;
}

export const thinking: Command = {
  name: "thinking",
  parameters: "[level]",
  does: "Sets how hard the model thinks",
  help: `The levels are ${THINKING_LEVELS.join(", ")}.`,
  anytime: true,
  completes: "level",
  async run(context, argument) {
    const { dialog, session } = context;
    const wanted = argument === "" ? await pickLevel(context) : argument;
    if (wanted === undefined) return;
    const level = THINKING_LEVELS.find((each) => each === wanted);
    if (!level) {
      throw new Error(`Cannot set "${wanted}": the levels are ${THINKING_LEVELS.join(", ")}`);
    }
    const before = session.thinkingLevel;
    const now = await session.setThinkingLevel(level);
    if (now !== level) dialog.error(`${session.model.facts.id} cannot think: the level is ${now}`);
    else if (now === before) dialog.note(`Thinking: ${now}`);
  },
};

async function pickLevel({ dialog, session }: ReplContext): Promise<string | undefined> {
  const picked = await dialog.pick({
    title: "How hard the model thinks",
    items: THINKING_LEVELS.map((level) => ({
      text: level + (level === session.thinkingLevel ? " (now)" : ""),
    })),
  });
  return picked && THINKING_LEVELS[picked.index];
}

export const tools: Command = {
  name: "tools",
  parameters: "[names]",
  does: "Shows the tools, or leaves only these on",
  help: "Names with blanks or commas between; all switches all on, none all off; +name and -name " +
    "switch one.",
  completes: "tool",
  run({ dialog, session }, argument) {
    const names = argument.split(/[\s,]+/).filter((name) => name !== "");
    if (names.length > 0) session.setActiveTools(chosenTools(session, names));
    const active = new Set(session.agent.tools.map((tool) => tool.name));
    dialog.rows(session.allTools.map((tool) => [
      span(active.has(tool.name) ? "on   " : "off  ", { dim: true }),
      span(tool.name, active.has(tool.name) ? { bold: true } : { dim: true }),
    ]));
  },
};

function chosenTools(session: ReplContext["session"], names: readonly string[]): string[] {
  const all = session.allTools.map((tool) => tool.name);
  if (names.length === 1 && names[0] === "all") return all;
  if (names.length === 1 && names[0] === "none") return [];
  const isChange = names.every((name) => /^[+-]/.test(name));
  const chosen = new Set(isChange ? session.agent.tools.map((tool) => tool.name) : []);
  for (const word of names) {
    const name = isChange ? word.slice(1) : word;
    if (!all.includes(name)) {
      const [near] = nearestNames(name, all);
      throw new Error(
        `Cannot use the tool "${name}": there is none of that name; ` +
          (near === undefined ? `the tools are ${all.join(", ")}` : `did you mean "${near}"?`),
      );
    }
    if (word.startsWith("-")) chosen.delete(name);
    else chosen.add(name);
  }
  return [...chosen];
}

export const trust: Command = {
  name: "trust",
  parameters: "[yes | no | forget]",
  does: "Decides whether this project's settings and extensions are used",
  help: "Settings, extensions, skills and templates of a project can make Bough run commands, so " +
    "they are used only when you say so. The decision is kept, and takes effect at once.",
  completes: "trust",
  async run({ dialog, runtime }, argument) {
    const { projectDirectory: directory, trusted, home } = runtime.services;
    if (directory === undefined) {
      return dialog.note("This is no project: there is nothing to trust");
    }
    const state = trusted === undefined ? "not decided" : trusted ? "trusted" : "not trusted";
    const answer = argument === ""
      ? await dialog.ask(`${directory} is ${state}. Trust it? y, n, or forget`)
      : argument;
    const decision = answer === undefined ? undefined : decisionOf(answer);
    if (decision === undefined) return dialog.note(`${directory} is ${state}, as before`);
    await setTrust({ home, directory }, decision === "forget" ? undefined : decision === "yes");
    await runtime.reload();
    dialog.note(
      decision === "forget"
        ? `Nothing is decided about ${directory} now`
        : `${directory} is ${decision === "yes" ? "trusted" : "not trusted"} now`,
    );
  },
};

function decisionOf(answer: string): "yes" | "no" | "forget" | undefined {
  if (isYes(answer)) return "yes";
  if (/^no?$/i.test(answer.trim())) return "no";
  return answer.trim() === "forget" ? "forget" : undefined;
}
