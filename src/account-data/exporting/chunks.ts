/** Gathers lines into pieces of bytes. As one long text they would outlive many collections of garbage, and memory would grow with the export. */
const BYTES = 64 * 1024;

export type Chunks = {
  add(line: string): void;
  /** Returns the pieces that are full, and with `all` the last one too. */
  take(all?: "all"): readonly Buffer[];
};

export function createChunks(): Chunks {
  let full: Buffer[] = [];
  let open = Buffer.allocUnsafe(BYTES);
  let used = 0;
  const close = () => {
    if (used > 0) full.push(open.subarray(0, used));
    open = Buffer.allocUnsafe(BYTES);
    used = 0;
  };
  return {
    add(line) {
      // A character of a text takes three bytes at most.
      if (line.length * 3 > BYTES - used && Buffer.byteLength(line) > BYTES - used) {
        close();
        if (Buffer.byteLength(line) > BYTES) {
          full.push(Buffer.from(line));
          return;
        }
      }
      used += open.write(line, used);
    },
    take(all) {
      if (all && used > 0) close();
      const taken = full;
      full = [];
      return taken;
    },
  };
}
