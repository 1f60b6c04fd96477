/** Tells whether a transaction has written anything: a PATCH that gives what is there already changes nothing, and is no act of anybody. */
import type { Sql, Tx } from "../db/db.ts";

/** A lock or a notification is a select as well, and changes no row; adding a job does. */
const READS = /^\s*select\b/i;
const ADDS_JOB = /\bqueue_jobs\b/;

export function noteWrites(tx: Tx): { readonly tx: Tx; readonly hasWritten: () => boolean } {
  let written = false;
  const note = (statement: Sql): Sql => {
    written ||=
      !READS.test(statement.strings[0] ?? "") || statement.strings.some((text) => ADDS_JOB.test(text));
    return statement;
  };
  return {
    tx: {
      many: (statement) => tx.many(note(statement)),
      one: (statement) => tx.one(note(statement)),
      maybeOne: (statement) => tx.maybeOne(note(statement)),
      execute: (statement) => tx.execute(note(statement)),
      send: (statement) => tx.send(note(statement)),
      afterCommit: tx.afterCommit,
    },
    hasWritten: () => written,
  };
}
