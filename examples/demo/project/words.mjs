import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** How many words a text has. */
export function countWords(text) {
  return text.split(" ").length;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(countWords(readFileSync(0, "utf8")));
}
