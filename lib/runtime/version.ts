/** Which Bough this is. */
import manifest from "../../package.json" with { type: "json" };

/** Put in by `scripts/compile`; not there when it runs from source. */
declare const BOUGH_VERSION: string | undefined;
declare const BOUGH_COMMIT: string | undefined;

/** The release, as in `package.json`. */
export const VERSION: string = typeof BOUGH_VERSION === "string" ? BOUGH_VERSION : manifest.version;

/** The commit that the binary was built from; "unknown" from source. */
export const COMMIT: string = typeof BOUGH_COMMIT === "string" ? BOUGH_COMMIT : "unknown";

/** What `--version` prints. */
export function versionLine(): string {
  return `bough ${VERSION} (${COMMIT})`;
}
