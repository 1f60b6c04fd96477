import { type Sql, sql, type Tx } from "./db.ts";

const UNFLUSHED: Sql = sql`set local synchronous_commit = off`;

/**
 * Lets a transaction be committed without waiting for the disk. In a crash of the database all that it wrote is lost together, so it is for work that
 * is then done again. PostgreSQL's log is written in order: a later commit that builds on it, such as a claim, flushes it as well.
 */
export function commitWithoutFlush(tx: Tx): void {
  tx.send(UNFLUSHED);
}
