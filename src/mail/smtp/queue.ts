/** A first-in, first-out queue. An array's own shift moves all the other items once the array is long. */
export type Queue<T> = {
  push(item: T): void;
  shift(): T | undefined;
  size(): number;
};

export function createQueue<T>(): Queue<T> {
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    push(item) {
      items.push(item);
    },
    shift() {
      if (head >= items.length) return undefined;
      const item = items[head];
      items[head++] = undefined;
      if (head === items.length || head > 1_024) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    size: () => items.length - head,
  };
}
