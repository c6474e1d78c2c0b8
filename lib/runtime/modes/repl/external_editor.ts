/** Editing a text in the person's own editor. */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { childEnvironment } from "../../../agent/mod.ts";
import type { Environment } from "../../config/mod.ts";

/** The person's editor, which may have arguments. */
function editorCommand(env: Environment): string {
  return env["VISUAL"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi");
}

function run(command: string, file: string, env: Environment): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { env: childEnvironment(env), stdio: "inherit" } as const;
    const child = process.platform === "win32"
      ? spawn(command, [file], { ...options, shell: true })
      : spawn("sh", ["-c", `${command} "$1"`, "sh", file], options);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0) return resolve();
      const how = code === null ? `it was ended by ${signal}` : `it ended with code ${code}`;
      reject(new Error(`Cannot edit with ${command}: ${how}. Set EDITOR to another one.`));
    });
  });
}

/** What the text was left as. The terminal must not be ours meanwhile. */
export async function editElsewhere(text: string, env: Environment): Promise<string> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "bough-"));
  const file = path.join(directory, "prompt.md");
  try {
    fs.writeFileSync(file, text, { mode: 0o600 });
    await run(editorCommand(env), file, env);
    return fs.readFileSync(file, "utf8").replace(/\n+$/, "");
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
