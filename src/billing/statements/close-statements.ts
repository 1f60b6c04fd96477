/**
 * Closes periods that are over: their statements are written, with what they spend of credits and with what their mails were. Any number of processes
 * may do it at once. Each account is held by one of them until the commit, and everything is read after that and committed together: a period has one
 * statement, and what a crash interrupts is done by whoever comes next.
 */
import { type Db, sql, type Tx } from "../../platform/db/db.ts";
import { defineJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import { periodsDue } from "./periods-due.ts";
import { type Draft, type Reckoned, reckonStatements } from "./reckoning.ts";
import { nameSources } from "./sources.ts";
import {
  type DueSubscription,
  insertSources,
  insertStatements,
  listDueAccounts,
  lockPayers,
  setDue,
} from "./statement-store.ts";

/** So long after its end a period is closed. What senders still write down of it comes within seconds; what comes later is in the next statement. */
const CLOSED_AFTER_MS = 15 * 60_000;
const ACCOUNTS_AT_ONCE = 20;
const MOST_ACCOUNTS = 10_000;
/** Ten million mails are counted by source within it. */
const TIMEOUT_MS = 300_000;

export const closeStatementsJob = defineJob<Record<string, never>>({
  name: "close_statements",
  timeoutMs: 3_600_000,
  run: closeStatements,
});

export async function closeStatements({
  db,
  clock,
  log,
  signal,
}: Pick<JobCtx, "db" | "clock" | "log"> & { readonly signal: Pick<AbortSignal, "aborted"> }): Promise<void> {
  const now = clock.now();
  const by = new Date(now.getTime() - CLOSED_AFTER_MS);
  const accounts = await listDueAccounts(db, by, MOST_ACCOUNTS);
  const failures: unknown[] = [];
  for (let at = 0; at < accounts.length && !signal.aborted; at += ACCOUNTS_AT_ONCE) {
    const some = accounts.slice(at, at + ACCOUNTS_AT_ONCE);
    // One account that fails keeps no other from its statement.
    await closeAccounts(db, some, { by, now }).catch(async () => {
      for (const one of some)
        await closeAccounts(db, [one], { by, now }).catch((error) => {
          log.error({ err: error, account: one }, "the periods of an account were not closed");
          failures.push(error);
        });
    });
  }
  if (failures.length > 0) throw new AggregateError(failures, "some periods were not closed");
}

function closeAccounts(
  db: Db,
  accountIds: readonly string[],
  { by, now }: { readonly by: Date; readonly now: Date },
): Promise<void> {
  return db.transaction(async (tx) => {
    tx.send(sql`select set_config('statement_timeout', ${String(TIMEOUT_MS)}, true)`);
    const held = await lockPayers(tx, accountIds);
    if (held.length === 0) return;
    const asked = { by, now, closes: true, withSources: true, timeoutMs: TIMEOUT_MS };
    const reckoned = await reckonStatements(tx, held, asked);
    if (reckoned.drafts.length > 0) await writeDrafts(tx, reckoned.drafts, now);
    await setDue(
      tx,
      reckoned.subscriptions.map((one) => ({
        account_id: one.accountId,
        id: one.id,
        due_at: nextDue(one, reckoned),
      })),
    );
  });
}

async function writeDrafts(tx: Tx, drafts: readonly Draft[], now: Date): Promise<void> {
  await insertStatements(
    tx,
    drafts.map(({ statement }) => ({ ...statement, closed_at: now })),
  );
  for (const [accountId, some] of Map.groupBy(drafts, ({ statement }) => statement.account_id)) {
    const rows = some.flatMap(({ statement, sources }) =>
      sources.map((row) => ({ account_id: accountId, statement_id: statement.id, ...row })),
    );
    await insertSources(tx, await nameSources(tx, accountId, rows));
  }
}

/** Returns the end of the period that then has no statement, or null where the subscription has ended and has them all. */
function nextDue(subscription: DueSubscription, { drafts }: Reckoned): Date | null {
  const last = drafts.findLast(({ statement }) => statement.subscription_id === subscription.id);
  const statedTo = last?.statement.period_to ?? subscription.statedTo;
  return periodsDue({ ...subscription, statedTo }, statedTo)[0]?.to ?? null;
}
