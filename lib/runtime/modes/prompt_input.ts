/** The prompts of a run, put together from words, `@file`s and stdin (`docs/cli.md`, "stdin"). */
import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { checkImage, imageNote } from "../../agent/mod.ts";
import { errorCode, type ImageContent } from "../../session/mod.ts";
import { UsageError } from "./exit_codes.ts";

/** One user message to be. */
export interface Prompt {
  readonly text: string;
  /** Files and stdin, which stand in front of the text. */
  readonly preface?: string;
  readonly images: readonly ImageContent[];
}

/** What the prompts are made of. */
export interface PromptParts {
  /** As given; blank ones do not count. */
  readonly prompts: readonly string[];
  /** Paths, relative to `cwd`. */
  readonly files: readonly string[];
  readonly cwd: string;
  /** What came on stdin. */
  readonly stdin?: string;
  readonly maxFileBytes: number;
  /** Told of an image that no provider takes; a note goes in its place. Without it that throws. */
  readonly onUnfitImage?: (message: string) => void;
}

type FilePart =
  | { readonly kind: "text"; readonly path: string; readonly text: string }
  | { readonly kind: "image"; readonly image: ImageContent };

/** Whether there is anything to say. */
export function hasPrompt(parts: Pick<PromptParts, "prompts" | "files">): boolean {
  return parts.files.length > 0 || parts.prompts.some((prompt) => prompt.trim() !== "");
}

/**
 * The user messages of a run, in order. Files and stdin go in front of the first prompt; without a
 * prompt, what stdin gave is the prompt. Throws a `UsageError` if there is nothing to say, or a file
 * cannot be read.
 */
export async function assemblePrompts(parts: PromptParts): Promise<Prompt[]> {
  const [first, ...later] = parts.prompts.filter((prompt) => prompt.trim() !== "");
  const files = await Promise.all(parts.files.map((file) => readFile(file, parts)));
  const sections = files.flatMap((part) =>
    part.kind === "text"
      ? [fenced(`file path="${part.path.replaceAll('"', "&quot;")}"`, "file", part.text)]
      : []
  );
  if (parts.stdin !== undefined && first !== undefined) {
    sections.push(fenced("stdin", "stdin", parts.stdin));
  }
  const text = (first ?? parts.stdin ?? "").replace(/\n+$/, "");
  const images = files.flatMap((part) => part.kind === "image" ? [part.image] : []);
  if (sections.length === 0 && images.length === 0 && text === "") {
    throw new UsageError(
      "Cannot run: there is no prompt; give one as an argument or on stdin (see bough --help)",
    );
  }
  return [
    { text, images, ...(sections.length === 0 ? {} : { preface: sections.join("\n\n") }) },
    ...later.map((text) => ({ text, images: [] })),
  ];
}

function fenced(opening: string, name: string, text: string): string {
  return `<${opening}>\n${text}${text.endsWith("\n") ? "" : "\n"}</${name}>`;
}

async function readFile(file: string, parts: PromptParts): Promise<FilePart> {
  const bytes = await readBytes(path.resolve(parts.cwd, file), file, parts.maxFileBytes);
  const mimeType = imageType(bytes);
  if (mimeType !== undefined) {
    const data = bytes.toString("base64");
    const checked = checkImage({ type: "image", mimeType, data });
    if (checked.ok) return { kind: "image", image: checked.image };
    const message = `Cannot use @${file}: no provider takes this image, ${checked.problem}`;
    if (!parts.onUnfitImage) throw new UsageError(message);
    parts.onUnfitImage(`${message}; a note goes in its place`);
    return { kind: "text", path: file, text: imageNote(checked.problem).text };
  }
  if (bytes.subarray(0, 8192).includes(0)) {
    throw new UsageError(`Cannot use @${file}: it is neither text nor a PNG, JPEG, GIF or WebP`);
  }
  return { kind: "text", path: file, text: new TextDecoder().decode(bytes) };
}

async function readBytes(absolute: string, file: string, maxBytes: number): Promise<Buffer> {
  try {
    const stat = await fs.stat(absolute);
    if (stat.isDirectory()) throw new UsageError(`Cannot use @${file}: it is a directory`);
    if (stat.size > maxBytes) {
      throw new UsageError(
        `Cannot use @${file}: it has ${stat.size} bytes, and the limit is ${maxBytes}; ` +
          "raise it with --stdin-max, or name the file in the prompt",
      );
    }
    return stat.isFile() ? await fs.readFile(absolute) : await readStream(absolute, file, maxBytes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `Cannot read @${file}: ${readFailure(error)} (text that begins with @ needs a blank first)`,
      { cause: error },
    );
  }
}

/** A pipe or a device tells no size, and may have no end. */
async function readStream(absolute: string, file: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(absolute)) {
    chunks.push(Buffer.from(chunk));
    size += chunks.at(-1)?.length ?? 0;
    if (size > maxBytes) {
      throw new UsageError(
        `Cannot use @${file}: more than ${maxBytes} bytes came, which is the limit; ` +
          "raise it with --stdin-max",
      );
    }
  }
  return Buffer.concat(chunks);
}

function readFailure(error: unknown): string {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  return code ?? String(error);
}

/** The type of an image by its first bytes; undefined for anything else. */
function imageType(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}
