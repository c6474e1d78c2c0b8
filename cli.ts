/** The program: words in, exit code out. The one file that ends the process. */

/** What scripts ask for often, said on the shortest way: nothing else is imported. */
async function shortAnswer(args: readonly string[]): Promise<string | undefined> {
  const [word, ...more] = args;
  if (more.length > 0) return undefined;
  if (word === "--version" || word === "-v" || word === "version") {
    return `${(await import("./lib/runtime/version.ts")).versionLine()}\n`;
  }
  if (word === "--help" || word === "-h" || word === "help") {
    return (await import("./lib/runtime/command_line/help.ts")).helpText();
  }
  return undefined;
}

/** Of Bun, what this file needs: `node:fs` alone would cost a third of the shortest run. */
declare const Bun:
  | { stdout: unknown; write(to: unknown, text: string): Promise<number> }
  | undefined;

/** Whether the text could be written. If not, the long way tells what is wrong with stdout. */
async function isWritten(text: string): Promise<boolean> {
  if (typeof Bun === "undefined") return false;
  return await Bun.write(Bun.stdout, text).then(() => true, () => false);
}

const args = process.argv.slice(2);
const answer = await shortAnswer(args);
if (answer === undefined || !await isWritten(answer)) {
  const { main } = await import("./lib/runtime/command_line/main.ts");
  const end = (code: number) => process.exit(code);
  // All output is written by now; what is left over (a kept connection, a timer) may not hold it up.
  end(await main(args, end));
}

export {};
