/** Markdown as it is written by a model, formatted lightly, line by line. */
import { cutRow, type Row, type Span, span, type Style, wrapRow } from "./styled.ts";

const CODE: Style = { colour: "cyan" };
const MARKUP: Style = { dim: true };

/** Code, bold, italic, a link; what stands within is not looked at again. */
const INLINE =
  /`([^`\n]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__|(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<![\w_])_(?=[^\s_])([^_\n]+?)(?<=\S)_(?![\w_])|\[([^\]\n]+)\]\(([^)\s]+)\)/g;

function inline(text: string, style: Style = {}): Span[] {
  const spans: Span[] = [];
  let at = 0;
  const plain = (piece: string) => {
    if (piece !== "") spans.push(span(piece, style));
  };
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, strong, italic, emphasis, label, url] = match;
    plain(text.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) spans.push(span(code, { ...style, ...CODE }));
    else if (bold ?? strong) spans.push(span(bold ?? strong ?? "", { ...style, bold: true }));
    else if (italic ?? emphasis) {
      spans.push(span(italic ?? emphasis ?? "", { ...style, italic: true }));
    } else {
      spans.push(span(label ?? "", { ...style, underline: true }));
      if (url !== label) spans.push(span(` (${url ?? ""})`, MARKUP));
    }
  }
  plain(text.slice(at));
  return spans;
}

/** A line with what later rows of it begin with. */
interface Line {
  readonly spans: Row;
  readonly hanging?: Row;
  /** Stays one row, whatever its width: a terminal breaks it, and it can be copied whole. */
  readonly isCode?: boolean;
}

function formatted(line: string): Line {
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) {
    const style: Style = heading[1] === "#" ? { bold: true, underline: true } : { bold: true };
    return { spans: inline(heading[2] ?? "", style) };
  }
  if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) return { spans: [span("───", MARKUP)] };
  const quote = /^\s{0,3}>\s?(.*)$/.exec(line);
  if (quote) {
    const bar = span("│ ", MARKUP);
    return { spans: [bar, ...inline(quote[1] ?? "", { italic: true })], hanging: [bar] };
  }
  const item = /^(\s*)([-*+]|\d+[.)])\s+(\[[ xX]\]\s+)?(.*)$/.exec(line);
  if (item) {
    const [, indent = "", mark = "", box = "", text = ""] = item;
    const sign = /\d/.test(mark) ? mark : "•";
    const start = `${indent}${sign} ${box}`;
    return {
      spans: [span(start), ...inline(text)],
      hanging: [span(" ".repeat(start.length))],
    };
  }
  return { spans: inline(line) };
}

/** Unformatted, but broken between words below its own indentation. */
function raw(line: string): Line {
  const indent = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?/.exec(line)?.[0].length ?? 0;
  return { spans: [span(line)], hanging: [span(" ".repeat(indent))] };
}

/** A longer line is shown in parts, so that no frame formats more than this. */
const LINE_LENGTH_MAX = 8_000;
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;

/**
 * A text that grows. Lines that are whole become rows for good; the last one is shown as it stands
 * until it is whole.
 */
export class MarkdownText {
  readonly #isRaw: boolean;
  #rest = "";
  #isEmpty = true;
  /** The mark that ends the code block we are in. */
  #fence: string | undefined;

  constructor(options: { raw: boolean }) {
    this.#isRaw = options.raw;
  }

  /** Whether there has been no text yet. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Takes more text; returns the rows that are finished now. */
  add(text: string, columns: number): Row[] {
    if (text !== "") this.#isEmpty = false;
    const lines = (this.#rest + text).split("\n");
    const last = lines.pop() ?? "";
    const isLong = last.length > LINE_LENGTH_MAX;
    if (isLong) lines.push(last);
    this.#rest = isLong ? "" : last;
    return lines.flatMap((line) => this.#rows(line.replace(/\r$/, ""), columns));
  }

  /** The rows of the line that is not whole yet. */
  open(columns: number): Row[] {
    if (this.#rest === "") return [];
    const fence = this.#fence;
    const rows = this.#rows(this.#rest, columns);
    this.#fence = fence;
    return rows.map((each) => cutRow(each, columns));
  }

  /** There is no more: the rows that are left. */
  end(columns: number): Row[] {
    const rest = this.#rest;
    this.#rest = "";
    const rows = rest === "" ? [] : this.#rows(rest, columns);
    this.#fence = undefined;
    return rows;
  }

  #rows(line: string, columns: number): Row[] {
    const { spans, hanging, isCode } = this.#line(line);
    return isCode ? [spans] : wrapRow(spans, columns, hanging);
  }

  #line(line: string): Line {
    const fence = FENCE.exec(line);
    if (this.#fence !== undefined) {
      const ends = fence && fence[2]?.trim() === "" && fence[1]?.startsWith(this.#fence);
      if (!ends) return { spans: [span(line, this.#isRaw ? undefined : CODE)], isCode: true };
      this.#fence = undefined;
      return { spans: [span(line, MARKUP)], isCode: true };
    }
    if (fence) {
      this.#fence = fence[1] ?? "```";
      return { spans: [span(line, MARKUP)], isCode: true };
    }
    return this.#isRaw ? raw(line) : formatted(line);
  }
}
