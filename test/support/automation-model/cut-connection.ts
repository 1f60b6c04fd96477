import { type Db, type Sql, sql, type Tx } from "../../../src/platform/db/db.ts";

/** A database whose first transaction loses its connection after its k-th statement, by the server's hand. */
export function cutConnection(db: Db, k: number): Db {
  let isCut = false;
  const cut = async <T>(work: (tx: Tx) => Promise<T>, tx: Tx): Promise<T> => {
    let count = 0;
    const counted =
      <A extends [Sql], R>(ask: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const answer = await ask(...args);
        if (++count !== k || isCut) return answer;
        isCut = true;
        await tx.many(sql`select pg_terminate_backend(pg_backend_pid())`);
        return answer;
      };
    const { many, one, maybeOne, execute } = tx;
    return work({
      ...tx,
      many: counted(many) as Tx["many"],
      one: counted(one) as Tx["one"],
      maybeOne: counted(maybeOne) as Tx["maybeOne"],
      execute: counted(execute),
    });
  };
  return { ...db, transaction: (work) => db.transaction((tx) => cut(work, tx)) };
}
