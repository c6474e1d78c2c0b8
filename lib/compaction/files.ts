/** The files that a conversation read and changed, taken from its tool calls. */
import type { ContextItem } from "../session/mod.ts";
import { estimateText } from "./tokens.ts";

/** Paths as the calls gave them, the latest use last; a file that was changed is only there. */
export interface FileLists {
  readFiles: string[];
  modifiedFiles: string[];
}

/** What each tool does to the file named by its `path`. */
const FILE_TOOLS: ReadonlyMap<string, keyof FileLists> = new Map([
  ["read", "readFiles"],
  ["write", "modifiedFiles"],
  ["edit", "modifiedFiles"],
]);

/**
 * The files of some messages, added to those of an earlier summary (`details` of its entry, of
 * whatever shape). A call that failed did nothing. The lists of branch summaries among the messages
 * count, too.
 */
export function fileLists(items: readonly ContextItem[], earlier?: unknown): FileLists {
  const read = new Set<string>();
  const modified = new Set<string>();
  const use = (path: string, list: keyof FileLists) => {
    const files = list === "readFiles" ? read : modified;
    files.delete(path);
    files.add(path);
  };
  const useAll = (details: unknown) => {
    const lists = readLists(details);
    lists.readFiles.forEach((path) => use(path, "readFiles"));
    lists.modifiedFiles.forEach((path) => use(path, "modifiedFiles"));
  };
  useAll(earlier);
  const calls = new Map<string, { path: string; list: keyof FileLists }>();
  for (const { entry, message } of items) {
    if (entry.type === "branch_summary") useAll(entry.details);
    if (entry.type === "compaction" && message.role === "compactionSummary") useAll(entry.details);
    if (message.role === "assistant") {
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        const list = FILE_TOOLS.get(block.name);
        const path = block.arguments?.["path"];
        if (list && typeof path === "string" && path !== "") calls.set(block.id, { path, list });
        else calls.delete(block.id);
      }
    }
    if (message.role === "toolResult" && !message.isError) {
      const call = calls.get(message.toolCallId);
      if (call) use(call.path, call.list);
    }
  }
  return {
    readFiles: [...read].filter((path) => !modified.has(path)),
    modifiedFiles: [...modified],
  };
}

/** The lists as text for a summary; the oldest of long lists are only counted. */
export function fileBlocks(lists: FileLists, tokensMax: number): string {
  const half = Math.floor(tokensMax / 2);
  return block("read-files", lists.readFiles, half) +
    block("modified-files", lists.modifiedFiles, half);
}

/** A summary without the lists that `fileBlocks` put behind it: they are made anew each time. */
export function withoutFileBlocks(summary: string): string {
  let text = summary.trimEnd();
  for (const tag of ["modified-files", "read-files"]) {
    if (!text.endsWith(`\n</${tag}>`)) continue;
    const start = text.lastIndexOf(`<${tag}>\n`);
    if (start >= 0) text = text.slice(0, start).trimEnd();
  }
  return text;
}

function block(tag: string, paths: readonly string[], tokensMax: number): string {
  if (paths.length === 0) return "";
  let first = paths.length;
  let tokens = 0;
  while (first > 0) {
    tokens += estimateText(`${paths[first - 1]}\n`);
    if (tokens > tokensMax) break;
    first--;
  }
  const more = first > 0 ? [`(and ${first} more)`] : [];
  return `\n\n<${tag}>\n${[...more, ...paths.slice(first)].join("\n")}\n</${tag}>`;
}

function readLists(details: unknown): FileLists {
  const fields: { readFiles?: unknown; modifiedFiles?: unknown } =
    typeof details === "object" && details !== null ? details : {};
  return { readFiles: strings(fields.readFiles), modifiedFiles: strings(fields.modifiedFiles) };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
