/**
 * How much memory slow readers hold: an image stays there until its last byte is taken, also when the cache has long dropped
 * it. Each counts once, however many read it at the same time.
 */
export type Sending<V extends { readonly content: Buffer }> = {
  /** What to call when it is over; undefined where there is no room for another. */
  begin(value: V): (() => void) | undefined;
};

export function createSending<V extends { readonly content: Buffer }>(mostBytes: number): Sending<V> {
  const readers = new Map<V, number>();
  let bytes = 0;
  return {
    begin(value) {
      const others = readers.get(value) ?? 0;
      const { length } = value.content;
      if (others === 0) {
        if (bytes + length > mostBytes) return undefined;
        bytes += length;
      }
      readers.set(value, others + 1);
      return () => {
        const left = (readers.get(value) ?? 1) - 1;
        readers.set(value, left);
        if (left === 0 && readers.delete(value)) bytes -= length;
      };
    },
  };
}
