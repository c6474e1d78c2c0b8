/** Thinking levels as the providers' models know them. */
import type { ThinkingLevel } from "../../session/mod.ts";

/** What Anthropic's models are asked for. */
export interface AnthropicThinking {
  thinking?: Record<string, unknown>;
  effort?: string;
}

/** Tokens for thinking, where a model takes a budget. */
const BUDGET: Record<Exclude<ThinkingLevel, "off">, number> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
  max: 49_152,
};
const BUDGET_MIN = 1_024;
/** So much of an answer's limit stays for the answer itself. */
const ANSWER_MIN = 4_096;

/**
 * Thinking in the Messages format. Up to version 4.5 a model takes a budget; from 4.6 on it decides
 * for itself and is told an effort. Of those that think by default, some cannot be told not to.
 */
export function anthropicThinking(
  modelId: string,
  level: ThinkingLevel,
  maxTokens: number,
): AnthropicThinking {
  const model = claudeOf(modelId);
  if (!model || model.version < 4.06) return budgetThinking(level, maxTokens);
  if (level === "off") return thinkingOff(model);
  const known = model.version < 4.07
    ? ["low", "medium", "high", "max"]
    : ["low", "medium", "high", "xhigh", "max"];
  return {
    thinking: { type: "adaptive", display: "summarized" },
    effort: nearestEffort(level, known),
  };
}

function budgetThinking(level: ThinkingLevel, maxTokens: number): AnthropicThinking {
  if (level === "off") return {};
  const room = Math.max(Math.floor(maxTokens / 2), maxTokens - ANSWER_MIN);
  const budget = Math.min(BUDGET[level], room);
  if (budget < BUDGET_MIN) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

function thinkingOff(model: Claude): AnthropicThinking {
  if (model.version < 5) return {};
  const canStop = model.family === "haiku" ||
    (model.version < 5.05 && (model.family === "opus" || model.family === "sonnet"));
  if (canStop) return { thinking: { type: "disabled" } };
  if (model.family === "sonnet") return { thinking: { type: "between_tools" } };
  return { effort: "low" };
}

interface Claude {
  family: string;
  /** Major and, in hundredths, minor: 4.05 is version 4.5. */
  version: number;
}

/** `claude-opus-4-6`, `claude-sonnet-4-20250514`, `claude-3-7-sonnet-20250219`, `x/claude-opus-4.6`. */
function claudeOf(id: string): Claude | undefined {
  const named = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?!\d)/.exec(id);
  if (named) return claude(named[1], named[2], named[3]);
  const numbered = /claude-(\d{1,2})(?:[-.](\d{1,2}))?-([a-z]+)/.exec(id);
  return numbered ? claude(numbered[3], numbered[1], numbered[2]) : undefined;
}

function claude(family = "", major = "0", minor = "0"): Claude {
  return { family, version: Number(major) + Number(minor) / 100 };
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/**
 * The effort that an OpenAI model takes for a level, or undefined where it should not be told one.
 * Models of which nothing is known take low, medium and high.
 */
export function openaiEffort(modelId: string, level: ThinkingLevel): string | undefined {
  const known = openaiEfforts(modelId.slice(modelId.lastIndexOf("/") + 1));
  if (!known) return level === "off" ? undefined : nearestEffort(level, ["low", "medium", "high"]);
  return nearestEffort(level, known);
}

function openaiEfforts(id: string): readonly string[] | undefined {
  if (/^o\d/.test(id)) return ["low", "medium", "high"];
  if (/chat-latest$/.test(id)) return ["medium"];
  const gpt = /^gpt-(\d+)(?:\.(\d+))?(-.*)?$/.exec(id);
  if (!gpt) return undefined;
  const version = Number(gpt[1]) + Number(gpt[2] ?? 0) / 100;
  const variant = gpt[3] ?? "";
  if (variant.includes("-pro")) {
    return version < 5.02 ? ["high"] : ["medium", "high", "xhigh"];
  }
  if (version < 5.01) return ["minimal", "low", "medium", "high"];
  const efforts = variant.includes("-codex") ? ["low", "medium", "high"] : [
    "none",
    "low",
    "medium",
    "high",
  ];
  if (version >= 5.02) efforts.push("xhigh");
  if (version >= 5.06) efforts.push("max");
  return efforts;
}

/** The wanted effort, else the next weaker one that is known, else the weakest. */
function nearestEffort(level: ThinkingLevel, known: readonly string[]): string {
  const wanted = EFFORTS.indexOf(level === "off" ? "none" : level);
  const weaker = EFFORTS.slice(0, wanted + 1).filter((effort) => known.includes(effort));
  return weaker.at(-1) ?? known[0] ?? "low";
}
