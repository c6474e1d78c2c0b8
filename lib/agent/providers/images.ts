/** Which images a provider can take: checked by content, for one bad image spoils a session. */
import type { ImageContent, Message, TextContent } from "../../session/mod.ts";

/** The least limit of providers, in characters of base64. */
export const IMAGE_BASE64_MAX = 5 * 1024 * 1024;
/** The same in decoded bytes. */
export const IMAGE_BYTES_MAX = IMAGE_BASE64_MAX / 4 * 3;
/** The longest side in pixels that all providers take. */
export const IMAGE_SIDE_MAX = 8_000;

const KINDS = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
type Kind = (typeof KINDS)[number];

/** An image that can be sent, with its true type; or what is wrong with it. */
export type ImageCheck = { ok: true; image: ImageContent } | { ok: false; problem: string };

/** Looks at an image's content: base64, type, wholeness, bytes and pixels. */
export function checkImage(image: ImageContent): ImageCheck {
  const declared = image.mimeType.toLowerCase();
  if (!KINDS.some((kind) => kind === declared || declared === "image/jpg")) {
    return { ok: false, problem: `${image.mimeType || "an unnamed type"} is not accepted` };
  }
  const bytes = decode(image.data);
  if (!bytes) return { ok: false, problem: "its data is not base64" };
  if (bytes.length > IMAGE_BYTES_MAX) {
    return { ok: false, problem: `it has ${bytes.length} bytes, the limit is ${IMAGE_BYTES_MAX}` };
  }
  const kind = kindOf(bytes);
  if (!kind) return { ok: false, problem: "its data is no PNG, JPEG, GIF or WebP" };
  const size = sizeOf(bytes, kind);
  if (!size || !isWhole(bytes, kind)) {
    return { ok: false, problem: "its data is cut off or broken" };
  }
  if (Math.max(size.width, size.height) > IMAGE_SIDE_MAX) {
    const { width, height } = size;
    return { ok: false, problem: `it is ${width}x${height}, the limit is ${IMAGE_SIDE_MAX}` };
  }
  return { ok: true, image: { type: "image", data: image.data, mimeType: kind } };
}

/** What stands for an image that is not sent. */
export function imageNote(reason: string): TextContent {
  return { type: "text", text: `[An image was left out: ${reason}.]` };
}

export function hasImages(messages: readonly Message[]): boolean {
  return messages.some((message) =>
    "content" in message && typeof message.content !== "string" &&
    message.content.some((block) => block.type === "image")
  );
}

/** The messages with a note in the place of each image. */
export function withoutImages(messages: readonly Message[], reason: string): Message[] {
  return messages.map((message) => {
    if (message.role !== "user" && message.role !== "toolResult") return message;
    if (typeof message.content === "string") return message;
    const content = message.content.map((block) =>
      block.type === "image" ? imageNote(reason) : block
    );
    return { ...message, content };
  });
}

function decode(data: string): Uint8Array | undefined {
  if (data === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  const padded = data.length % 4 === 0 ? data : data.replace(/=+$/, "");
  if (padded.length % 4 === 1) return undefined;
  const binary = atob(padded);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The type of image that bytes begin like; a few of them are enough. */
export function kindOf(bytes: Uint8Array): Kind | undefined {
  if (ascii(bytes, 1, 3) === "PNG" && bytes[0] === 0x89) return "image/png";
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "image/jpeg";
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return "image/gif";
  if (ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 4) === "WEBP") return "image/webp";
  return undefined;
}

interface Size {
  width: number;
  height: number;
}

function sizeOf(bytes: Uint8Array, kind: Kind): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = kind === "image/jpeg" ? jpegSize(view) : headerSize(view, bytes, kind);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function headerSize(view: DataView, bytes: Uint8Array, kind: Kind): Size | undefined {
  if (bytes.length < 30 && kind === "image/webp") return undefined;
  if (bytes.length < 24) return undefined;
  if (kind === "image/png") return { width: view.getUint32(16), height: view.getUint32(20) };
  if (kind === "image/gif") {
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  switch (ascii(bytes, 12, 4)) {
    case "VP8 ":
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8X": {
      const width = view.getUint16(24, true) + (view.getUint8(26) << 16) + 1;
      const height = view.getUint16(27, true) + (view.getUint8(29) << 16) + 1;
      return { width, height };
    }
  }
  return undefined;
}

/** Walks the segments to the frame header, which follows any number of others. */
function jpegSize(view: DataView): Size | undefined {
  let offset = 2;
  while (offset + 9 < view.byteLength) {
    if (view.getUint8(offset) !== 0xff) return undefined;
    const marker = view.getUint8(offset + 1);
    if (marker === 0xff) {
      offset++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
    offset += 2 + view.getUint16(offset + 2);
  }
  return undefined;
}

/** Whether the image's end is there. Some writers leave a few bytes behind it. */
function isWhole(bytes: Uint8Array, kind: Kind): boolean {
  switch (kind) {
    case "image/png":
      return ascii(bytes, bytes.length - 64, 64).includes("IEND");
    case "image/jpeg":
      for (let i = bytes.length - 2; i > 1; i--) {
        if (bytes[i] === 0xff && bytes[i + 1] === 0xd9) return true;
      }
      return false;
    case "image/gif":
      return bytes.lastIndexOf(0x3b) > bytes.length - 64;
    case "image/webp": {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return view.getUint32(4, true) + 8 <= bytes.length;
    }
  }
}

function ascii(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(Math.max(0, start), Math.max(0, start) + length));
}
