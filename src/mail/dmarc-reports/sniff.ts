export type Kind = "empty" | "gzip" | "zlib" | "zip" | "xml" | "json" | "mail" | "other";

/** Says what bytes are by how they begin. Names and declared types don't count: reporters get both wrong. */
export function sniff(bytes: Buffer): Kind {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (first === 0x1f && second === 0x8b) return "gzip";
  if (first === 0x50 && second === 0x4b && third === 3 && fourth === 4) return "zip";
  // The two bytes are a multiple of 31 (RFC 1950 §2.2). No text begins so but "x^" and a few others.
  if (first === 0x78 && ((first << 8) | second) % 31 === 0) return "zlib";
  const start = bytes.toString("latin1", 0, 400).replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "");
  const text = start.replaceAll("\0", "").trimStart();
  if (text === "") return bytes.length <= 400 ? "empty" : "other";
  if (text.startsWith("<")) return "xml";
  if (text.startsWith("{")) return "json";
  return /^(?:From |[!-9;-~]{1,100}[ \t]*:)/.test(text) ? "mail" : "other";
}
