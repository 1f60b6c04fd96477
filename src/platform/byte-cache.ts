/** A memory bounded by bytes: when it is full, what was used longest ago goes. */
export type ByteCache<V extends { readonly content: Buffer }> = {
  get(key: string): V | undefined;
  /** What is larger than the whole memory isn't kept. */
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
};

/** A Map keeps the order of insertion, so what is put in anew at each use stands in order of use. */
export function createByteCache<V extends { readonly content: Buffer }>(mostBytes: number): ByteCache<V> {
  const entries = new Map<string, V>();
  let bytes = 0;
  const remove = (key: string) => {
    const known = entries.get(key);
    if (known && entries.delete(key)) bytes -= known.content.length;
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value && entries.delete(key)) entries.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      if (value.content.length > mostBytes) return;
      entries.set(key, value);
      bytes += value.content.length;
      for (const oldest of entries.keys()) {
        if (bytes <= mostBytes) return;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      entries.clear();
      bytes = 0;
    },
  };
}
