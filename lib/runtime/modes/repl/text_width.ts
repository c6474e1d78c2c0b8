/** How many columns of a terminal a text takes. */

/** Text that a terminal shows with one column a character. */
const PLAIN = /^[\x20-\x7e]*$/;

/** East Asian wide and full-width characters. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
/** Shown as a picture, which is two columns wide. */
const PICTURE = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[0-9#*]\ufe0f)/u;
/** Takes no column of its own: marks that stand without a letter, joiners, formats. */
const NOTHING = /^[\p{M}\p{Cf}\p{Cc}]/u;

/** Made when a text first needs it: that takes 3 ms, and most texts are plain. */
const segmenter = (() => {
  let made: Intl.Segmenter | undefined;
  return () => made ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
})();

/** The characters as a person counts them: an emoji of several code points is one. */
export function graphemes(text: string): string[] {
  if (PLAIN.test(text)) return text.split("");
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

/** The columns of one character. */
export function graphemeWidth(grapheme: string): number {
  if (PLAIN.test(grapheme)) return grapheme.length;
  if (NOTHING.test(grapheme)) return 0;
  return WIDE.test(grapheme) || PICTURE.test(grapheme) ? 2 : 1;
}

/**
 * The most columns that a terminal may give to a character: those that do not know joined emoji show
 * each part of them.
 */
export function graphemeRoom(grapheme: string): number {
  if (PLAIN.test(grapheme)) return grapheme.length;
  const width = graphemeWidth(grapheme);
  if (width < 2) return width;
  return Math.max(width, Array.from(grapheme).reduce((sum, part) => sum + graphemeWidth(part), 0));
}

/** The most columns that a terminal may give to a text: what is to fit, fits everywhere. */
export function roomOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return graphemes(text).reduce((room, grapheme) => room + graphemeRoom(grapheme), 0);
}

/** The columns of a text without line ends. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** The start of a text that fits, and how much of it that is. */
export function fitting(
  text: string,
  columns: number,
  measure: (grapheme: string) => number = graphemeWidth,
): { text: string; width: number } {
  if (PLAIN.test(text)) {
    const fit = text.slice(0, Math.max(0, columns));
    return { text: fit, width: fit.length };
  }
  let fit = "";
  let width = 0;
  for (const grapheme of graphemes(text)) {
    const next = width + measure(grapheme);
    if (next > columns) break;
    fit += grapheme;
    width = next;
  }
  return { text: fit, width };
}
