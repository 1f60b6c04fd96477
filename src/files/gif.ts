/** The blocks of a GIF (GIF89a specification, §§ 17–27), walked without decoding a pixel. */

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const IMAGE_DESCRIPTOR_BYTES = 10;

/**
 * Whether the blocks go on to the trailer. The decoder takes an animation that breaks off for a shorter one, so this is looked
 * at before.
 */
export function isWholeGif(bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  let at = HEADER_BYTES + colourTableBytes(bytes.readUInt8(10));
  for (;;) {
    const block = bytes[at];
    if (block === TRAILER) return true;
    if (block === EXTENSION) at = behindSubBlocks(bytes, at + 2);
    else if (block === IMAGE) {
      const flags = bytes[at + IMAGE_DESCRIPTOR_BYTES - 1] ?? 0;
      // The byte between the colour table and the data is the size of LZW's first codes.
      at = behindSubBlocks(bytes, at + IMAGE_DESCRIPTOR_BYTES + colourTableBytes(flags) + 1);
    } else return false;
  }
}

function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Each begins with its length, and one of length 0 ends them. Past the end of the file, the walk ends there. */
function behindSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const length = bytes[at];
    if (length === undefined) return bytes.length;
    at += 1 + length;
    if (length === 0) return at;
  }
}
