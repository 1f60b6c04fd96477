/** Holds real transactions open, so that a test decides which of two that run at once is over first. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, raw, sql, type Tx } from "../../src/platform/db/db.ts";
import type { TestApp } from "./app.ts";
import { untilBlocking } from "./blocked.ts";

export type Held = {
  /** Waits until a transaction that has changed the table is about to commit, and waits there. */
  untilThere(): Promise<void>;
  /** Lets it commit, and whoever comes after it. */
  letGo(): Promise<void>;
};

let held = 0;
/** A test that fails lets go of nothing, and whatever is told on the same server waits for the oldest transaction that is open. */
const LONGEST_MS = 60_000;

/** From now on whoever has changed a row of the table can't commit until `letGo`. No other test may use the app's database meanwhile. */
export async function holdCommits(app: Pick<TestApp, "db">, table: string, change = "insert"): Promise<Held> {
  const key = ++held;
  const name = `held_${key}`;
  await app.db.execute(
    raw(`create function ${name}() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(${key}); return null; end $$`),
  );
  await app.db.execute(
    raw(`create constraint trigger ${name} after ${change} on ${table} deferrable initially deferred
      for each row execute function ${name}()`),
  );
  const [taken, mayEnd] = [Promise.withResolvers<Tx>(), Promise.withResolvers<void>()];
  const keeping = app.db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${key})`);
    taken.resolve(tx);
    const isOver = new AbortController();
    await Promise.race([mayEnd.promise, sleep(LONGEST_MS, undefined, { ref: false, signal: isOver.signal })]);
    isOver.abort();
  });
  const tx = await taken.promise;
  return {
    untilThere: () => untilBlocking(tx),
    async letGo() {
      mayEnd.resolve();
      await keeping;
      // This waits for whoever was held to commit.
      await app.db.execute(raw(`drop trigger ${name} on ${table}`));
      await app.db.execute(raw(`drop function ${name}()`));
    },
  };
}

/** A database whose transactions wait before the first statement that has this text. */
export function holdBefore(db: Db, text: string): { db: Db; isThere: Promise<void>; letGo(): void } {
  const [there, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction: Db["transaction"] = (work) =>
    db.transaction((tx) =>
      work({
        ...tx,
        async many(statement) {
          if (statement.sql.includes(text)) {
            there.resolve();
            await may.promise;
          }
          return tx.many(statement);
        },
      }),
    );
  return { db: { ...db, transaction }, isThere: there.promise, letGo: may.resolve };
}
