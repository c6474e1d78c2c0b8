/** Writes the man page `docs/bough.1`: `npm run man`. A test checks that it is current. */
import * as fs from "node:fs";
import * as path from "node:path";
import manifest from "../package.json" with { type: "json" };
import { manPage } from "../lib/runtime/command_line/man.ts";
import { ROOT } from "./root.ts";

const FILE = path.join(ROOT, "docs/bough.1");

fs.mkdirSync(path.dirname(FILE), { recursive: true });
fs.writeFileSync(FILE, manPage(manifest.version));
