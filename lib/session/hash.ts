/** FNV-1a: short names for long texts, the same on every machine. Not for secrets. */
export function hash32(text: string, seed = 0): string {
  let hash = 0x811c9dc5 ^ seed;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
