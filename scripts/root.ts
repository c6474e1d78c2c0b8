/** Where the project is. */
import * as path from "node:path";
import { fileURLToPath } from "node:url";

/** The project's directory, absolute. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
