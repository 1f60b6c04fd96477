/**
 * Closes periods that are over: their statements are written, with what they spend of credits and with what their mails were. Any number of processes
 * may do it at once. Each account is held by one of them until the commit, and everything is read after that and committed together: a period has one
 * statement, and what a crash interrupts is done by whoever comes next.
 */
import { systemCtx } from "../../platform/context.ts";
import { type Db, sql, type Tx } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { defineJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import { lockPayers } from "../account-store.ts";
import { sumCredits } from "../credits/credits.ts";
import { applyLimits } from "../limits/limits.ts";
import { periodsDue } from "./periods-due.ts";
import { type Draft, type Reckoned, reckonStatements } from "./reckoning.ts";
import { nameSources } from "./sources.ts";
import {
  type DueSubscription,
  insertSources,
  insertStatements,
  listDueAccounts,
  listLarge,
  setDue,
} from "./statement-store.ts";

/** So long after its end a period is closed. What senders still write down of it comes within seconds; what comes later is in the next statement. */
const CLOSED_AFTER_MS = 15 * 60_000;
const ACCOUNTS_AT_ONCE = 20;
const MOST_ACCOUNTS = 10_000;
/** Ten million mails are counted by source within it. */
const TIMEOUT_MS = 300_000;
/** The server says by itself that it took too long, before we stop listening to it. */
const MARGIN_MS = 5_000;
/** An account with so many in the last two months is closed alone, so that no other waits for it. */
const LARGE_MAILS = 500_000;
const LARGE_SINCE_MS = 62 * 24 * 3_600_000;

export const closeStatementsJob = defineJob<Record<string, never>>({
  name: "close_statements",
  timeoutMs: 3_600_000,
  run: (ctx) => closeStatements(ctx),
});

type Closing = Pick<JobCtx, "db" | "clock" | "log">;

/** Where counting the ledger of one account takes longer than `timeoutMs`, its statement is by the hours that were counted, and its proof names nothing. */
export async function closeStatements(
  tools: Closing & { readonly signal: Pick<AbortSignal, "aborted"> },
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const { db, clock, log, signal } = tools;
  const now = clock.now();
  const by = new Date(now.getTime() - CLOSED_AFTER_MS);
  const accounts = await listDueAccounts(db, by, MOST_ACCOUNTS);
  const failures: unknown[] = [];
  for (let at = 0; at < accounts.length && !signal.aborted; at += ACCOUNTS_AT_ONCE) {
    const some = accounts.slice(at, at + ACCOUNTS_AT_ONCE);
    const large = await largeOf(db, some, now);
    const others = some.filter((one) => !large.includes(one));
    // One account that fails keeps no other from its statement.
    const alone = await closeAccounts(tools, others, { by, now, timeoutMs }).then(
      () => large,
      () => some,
    );
    for (const one of alone)
      await closeOne(tools, one, { by, now, timeoutMs }).catch((error) => {
        log.error({ err: error, account: one }, "the periods of an account were not closed");
        failures.push(error);
      });
  }
  if (failures.length > 0) throw new AggregateError(failures, "some periods were not closed");
}

function largeOf(db: Db, accountIds: readonly string[], now: Date): Promise<string[]> {
  return listLarge(db, accountIds, { since: new Date(now.getTime() - LARGE_SINCE_MS), mails: LARGE_MAILS });
}

type When = {
  readonly by: Date;
  readonly now: Date;
  readonly timeoutMs: number;
  readonly withSources?: boolean;
};

async function closeOne(tools: Closing, accountId: string, when: When): Promise<void> {
  try {
    await closeAccounts(tools, [accountId], when);
  } catch (error) {
    if (!(error instanceof DbError) || error.kind !== "busy") throw error;
    tools.log.warn(
      { account: accountId },
      "the mails of an account took too long to be counted by what they were",
    );
    await closeAccounts(tools, [accountId], { ...when, timeoutMs: TIMEOUT_MS, withSources: false });
  }
}

async function closeAccounts(
  { db, clock, log }: Closing,
  accountIds: readonly string[],
  { by, now, timeoutMs, withSources = true }: When,
): Promise<void> {
  if (accountIds.length === 0) return;
  await db.transaction(async (tx) => {
    tx.send(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`);
    const held = await lockPayers(tx, accountIds);
    if (held.length === 0) return;
    const asked = { by, now, closes: true, withSources, timeoutMs: timeoutMs + MARGIN_MS };
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
    // Only now it is known how many of the credited mails are left for the period that lasts.
    for (const { accountId, currency } of await sumCredits(tx, held))
      if (currency === null) await applyLimits(systemCtx({ clock, log }, tx, accountId));
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
