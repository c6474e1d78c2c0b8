/** What has the keys: the input line, a question, a list. */
import type { Key } from "./key.ts";
import type { Row } from "./styled.ts";

/** What it shows, below everything else. */
export interface FocusView {
  readonly rows: readonly Row[];
  /** Where the cursor stands in the rows; absent: it is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export interface Focus {
  key(key: Key): void;
  paste(text: string): void;
  view(size: { readonly columns: number; readonly rows: number }): FocusView;
}
