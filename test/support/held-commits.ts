/** Holds real transactions open, so that a test decides which of two that run at once is over first. */
import { raw, sql, type Tx } from "../../src/platform/db/db.ts";
import type { TestApp } from "./app.ts";
import { untilBlocking } from "./blocked.ts";

export type Held = {
  /** Waits until a transaction that has changed the table is about to commit, and waits there. */
  untilThere(): Promise<void>;
  /** Lets it commit, and whoever comes after it. */
  letGo(): Promise<void>;
};

let held = 0;

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
    await mayEnd.promise;
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
