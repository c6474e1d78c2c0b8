/**
 * Asks a person before a command or a change that is hard to take back; without a person, refuses.
 *
 *     bough --extension examples/extensions/permission_gate.ts
 */
import * as path from "node:path";
import type { ExtensionApi } from "bough/api";

/** Commands that destroy, publish or take more rights. */
const RISKY_COMMANDS: readonly RegExp[] = [
  /\brm\s+(?:-\w*[rf]|--(?:recursive|force))/,
  /\bsudo\b/,
  /\b(?:mkfs|dd|shutdown|reboot)\b/,
  /\bgit\s+(?:push|reset\s+--hard|clean)\b/,
  /\bchmod\s+(?:-\w+\s+)*777\b/,
  /\b(?:npm|cargo|deno|bun)\s+publish\b/,
];

/** Names of files that hold secrets, or the history of the project. */
const PROTECTED_NAMES = /^(?:\.git|\.env(?:\..*)?|id_[a-z0-9]+|.*\.pem)$/;

/** What is risky about a call; undefined if nothing is. */
function riskOf(
  toolName: string,
  args: Record<string, unknown>,
  cwd: string,
): string | undefined {
  switch (toolName) {
    case "bash": {
      const command = String(args["command"]);
      return RISKY_COMMANDS.some((pattern) => pattern.test(command))
        ? `run: ${command}`
        : undefined;
    }
    case "write":
    case "edit": {
      const file = path.resolve(cwd, String(args["path"]));
      const inside = path.relative(cwd, file);
      const isOutside = inside.startsWith("..") || path.isAbsolute(inside);
      const isProtected = inside.split(path.sep).some((name) => PROTECTED_NAMES.test(name));
      return isOutside || isProtected ? `change ${file}` : undefined;
    }
    default:
      return undefined;
  }
}

export default function (bough: ExtensionApi): void {
  bough.on("tool_call", async ({ args, toolName }, context) => {
    const risk = riskOf(toolName, args, context.cwd);
    if (risk === undefined) return undefined;
    if (!context.hasUI) {
      return { block: `Refused to ${risk}: there is nobody to ask. Find a way without it.` };
    }
    return await context.confirm(`May the agent ${risk}?`)
      ? undefined
      : { block: `The user refused to ${risk}. Ask what to do instead.` };
  }, { failClosed: true });
}
