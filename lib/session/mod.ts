export * from "./message.ts";
export * from "./entry.ts";
export * from "./errors.ts";
