/** The port to `.gitignore` rules, in the shape of the npm package `ignore`. */

/** The rules of one `.gitignore` file. */
export interface IgnoreRules {
  add(text: string): unknown;
  /** What the rules say of a path, relative to their directory; a directory ends in `/`. */
  test(path: string): { ignored: boolean; unignored: boolean };
}

/** Makes an empty set of rules. */
export type IgnoreFactory = (options: { ignorecase: boolean }) => IgnoreRules;
