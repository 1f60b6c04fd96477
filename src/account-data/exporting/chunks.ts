/**
 * Gathers lines into pieces of bytes. As one long text they would outlive many collections of garbage, and memory would grow with the export; so
 * it would with pieces that are thrown away, so their memory is handed back and used again.
 */
const PIECE_BYTES = 64 * 1024;
/** A text that is longer is written part by part, so that it is never whole in bytes. */
const LONG_CHARACTERS = PIECE_BYTES / 3;
/** After a line of many pieces, most of their memory is let go. */
const MOST_SPARE = 8;

export type Piece = { readonly memory: ArrayBuffer; readonly bytes: number };

export type Chunks = {
  add(line: string): void;
  /** Returns the pieces that are full, and with `all` the last one too. */
  take(all?: "all"): readonly Piece[];
  /** Hands the memory of a piece back. */
  giveBack(memory: ArrayBuffer): void;
};

export function createChunks(): Chunks {
  const encoder = new TextEncoder();
  const spare: ArrayBuffer[] = [];
  let full: Piece[] = [];
  let open = Buffer.from(new ArrayBuffer(PIECE_BYTES));
  let used = 0;
  const close = () => {
    full.push({ memory: open.buffer, bytes: used });
    open = Buffer.from(spare.pop() ?? new ArrayBuffer(PIECE_BYTES));
    used = 0;
  };
  const addLong = (line: string) => {
    for (let at = 0; at < line.length; ) {
      // A pair of surrogates is one character, and is written whole or not at all.
      const { read, written } = encoder.encodeInto(line.slice(at, at + PIECE_BYTES), open.subarray(used));
      const cutsPair = read > 1 && at + read < line.length && isHighSurrogate(line.charCodeAt(at + read - 1));
      at += cutsPair ? read - 1 : read;
      used += cutsPair ? written - 3 : written;
      if (at < line.length) close();
    }
  };
  return {
    add(line) {
      if (line.length > LONG_CHARACTERS) return addLong(line);
      // A character of a text takes three bytes at most.
      if (line.length * 3 > PIECE_BYTES - used && Buffer.byteLength(line) > PIECE_BYTES - used) close();
      used += open.write(line, used);
    },
    take(all) {
      if (all && used > 0) close();
      const taken = full;
      full = [];
      return taken;
    },
    giveBack(memory) {
      if (spare.length < MOST_SPARE) spare.push(memory);
    },
  };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
