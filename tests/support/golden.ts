/** Golden texts: a file says what is right. `UPDATE_GOLDEN=1` writes it anew. */
import { expect } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "./binary.ts";

const FOLDER = path.join(ROOT, "tests/golden");

/** Compares a text with `tests/golden/<name>`. */
export function expectGolden(name: string, text: string): void {
  const file = path.join(FOLDER, name);
  if (process.env["UPDATE_GOLDEN"]) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  expect(text).toBe(fs.existsSync(file) ? fs.readFileSync(file, "utf8") : `no ${file}`);
}
