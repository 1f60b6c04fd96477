import type { Db, Tx } from "../../src/platform/db/db.ts";

/** Cuts the transaction off before its k-th statement, as a lost connection does. */
export function cutOff(db: Db, after: number): { db: Db; wasCut: () => boolean } {
  let isCut = false;
  const cut = (tx: Tx): Tx => {
    let left = after;
    return new Proxy(tx, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const isStatement = ["one", "many", "maybeOne", "execute", "send"].includes(String(name));
        return (...args: unknown[]) => {
          if (isStatement && left-- === 0) {
            isCut = true;
            throw new Error("the connection was cut");
          }
          return value.apply(target, args);
        };
      },
    });
  };
  const wrapped = new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name === "transaction")
        return (work: (tx: Tx) => Promise<unknown>) => target.transaction((tx) => work(cut(tx)));
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { db: wrapped, wasCut: () => isCut };
}
