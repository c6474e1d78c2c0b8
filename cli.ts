/** The program: words in, exit code out. The one file that ends the process. */

const args = process.argv.slice(2);
const [first] = args;

if (args.length === 1 && (first === "--version" || first === "-v" || first === "version")) {
  // The shortest way, because scripts ask for it often: nothing else is imported.
  const { versionLine } = await import("./lib/runtime/version.ts");
  console.log(versionLine());
} else if (args.length === 1 && (first === "--help" || first === "-h" || first === "help")) {
  const { helpText } = await import("./lib/runtime/command_line/help.ts");
  console.log(helpText().trimEnd());
} else {
  const { main } = await import("./lib/runtime/command_line/main.ts");
  const end = (code: number) => process.exit(code);
  // All output is written by now; what is left over (a kept connection, a timer) may not hold it up.
  end(await main(args, end));
}

export {};
