/** The clipboard of the desktop, through its programs. */
import { spawn } from "node:child_process";
import { childEnvironment } from "../../../agent/mod.ts";
import type { Environment } from "../../config/mod.ts";

type Program = readonly [string, ...string[]];

function programs(platform: NodeJS.Platform, env: Environment): Program[] {
  if (platform === "darwin") return [["pbcopy"]];
  if (platform === "win32") return [["clip"]];
  return [
    ...(env["WAYLAND_DISPLAY"] ? [["wl-copy"] as const] : []),
    ...(env["DISPLAY"]
      ? [["xclip", "-selection", "clipboard"] as const, ["xsel", "-ib"] as const]
      : []),
  ];
}

/** A program that holds the selection goes on in the background; its start is all we wait for. */
const WAIT_MS = 2_000;

function give(text: string, [program, ...args]: Program, env: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: childEnvironment(env),
      stdio: ["pipe", "ignore", "ignore"],
      timeout: WAIT_MS,
    });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
    // One that does not read its input has failed, and its exit says so.
    child.stdin.on("error", () => resolve(false));
    child.stdin.end(text);
  });
}

/** Whether one of the desktop's programs took the text. */
export async function copyByProgram(text: string, env: Environment): Promise<boolean> {
  for (const program of programs(process.platform, env)) {
    if (await give(text, program, env)) return true;
  }
  return false;
}
