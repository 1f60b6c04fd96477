/**
 * Reckons the statements of periods that have none yet, in their order, of any number of accounts at once. What is returned for a period that is over
 * is what is stored when it is closed; for one that lasts it is what it would cost if it ended now.
 */
import { createHash } from "node:crypto";
import {
  type Accepted,
  type AccountSpan,
  LEDGER_MS,
  readAccepted,
  readUsageIn,
} from "../../delivery/delivery.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { sumCredits } from "../credits/credits.ts";
import { billOf, type LateLine, lateLines } from "../lines.ts";
import { type BilledPeriod, chargesOf, periodsDue, termsOfPeriod } from "./periods-due.ts";
import {
  type DueSubscription,
  listDueSubscriptions,
  listIncomplete,
  listStatementsSince,
  type SourceRow,
  type StatementRow,
  sumStated,
} from "./statement-store.ts";

export type Draft = { readonly statement: StatementRow; readonly sources: readonly SourceRow[] };

export type Reckoned = {
  readonly subscriptions: readonly DueSubscription[];
  /** By account, and of each the oldest first. */
  readonly drafts: readonly Draft[];
};

type Asked = {
  /** Periods that have begun by then are reckoned, or where they are closed, those that have ended. */
  readonly by: Date;
  readonly now: Date;
  readonly closes: boolean;
  /** Whether it is counted from the ledger of what the mails were. */
  readonly withSources: boolean;
  /** How long that may take, where it is more than a statement usually may. */
  readonly timeoutMs?: number;
};

/** Nothing is settled any more once the ledger has dropped it, whose last partition may be two months older than what is kept. */
const SETTLED_MS = LEDGER_MS + 62 * 24 * 3_600_000;
/** Included mails are given to the lines in this order. */
const STREAMS = ["campaign", "automation", "transactional"] as const;
const NO_OWNER = "00000000-0000-0000-0000-000000000000";

type Due = AccountSpan & {
  readonly subscription: DueSubscription;
  readonly period: BilledPeriod;
  readonly id: string;
};

export async function reckonStatements(
  db: Queryable,
  accountIds: readonly string[],
  asked: Asked,
): Promise<Reckoned> {
  const subscriptions = await listDueSubscriptions(db, accountIds);
  const due = subscriptions.flatMap((one) => dueOf(one, asked));
  if (due.length === 0) return { subscriptions, drafts: [] };
  const payers = [...new Set(due.map((one) => one.accountId))];
  const earlier = await readEarlier(db, payers, asked.now);
  const spans = [...due, ...earlier.map(spanOf)];
  const accepted = asked.withSources
    ? await readAccepted(db, spans, asked.timeoutMs)
    : await readUsageIn(db, spans);
  const bySpan = Map.groupBy(accepted, ({ at }) => at);
  const credits = await readCredits(db, payers);
  const takeLate = handOut(earlier.map((one, at) => ({ ...one, found: bySpan.get(due.length + at) ?? [] })));
  const drafts = due.map((one, at) => draftOf(one, bySpan.get(at) ?? [], credits, takeLate));
  return { subscriptions, drafts };
}

function dueOf(subscription: DueSubscription, { by, closes }: Asked): Due[] {
  return periodsDue(subscription, by)
    .filter(({ to }) => !closes || to <= by)
    .map((period) => ({
      accountId: subscription.accountId,
      from: period.from,
      to: period.to,
      subscription,
      period,
      id: statementIdOf(subscription.id, period.from),
    }));
}

/** Every process makes the same id for a period, which its statement has before it is closed and keeps afterwards. It is a UUIDv7 of the beginning. */
function statementIdOf(subscriptionId: string, from: Date): string {
  const time = from.getTime().toString(16).padStart(12, "0");
  const bits = createHash("sha256").update(`statement ${subscriptionId} ${time}`).digest("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-8${bits.slice(3, 6)}-${bits.slice(6, 18)}`;
}

/** A statement of which more is known now than was said, and what was said of its mails. */
type Earlier = {
  readonly statement: StatementRow;
  readonly stated: readonly Omit<SourceRow, "name" | "sent_in_all">[];
  /** How many of its mails credits paid for, by its own lines and by those of later statements. */
  readonly credited: number;
};

function spanOf({ statement }: Earlier): AccountSpan {
  return { accountId: statement.account_id, from: statement.period_from, to: statement.period_to };
}

async function readEarlier(
  db: Queryable,
  accountIds: readonly string[],
  now: Date,
): Promise<readonly Earlier[]> {
  const since = new Date(now.getTime() - SETTLED_MS);
  const incomplete = await listIncomplete(db, accountIds, since);
  if (incomplete.length === 0) return [];
  const accounts = [...new Set(incomplete.map((one) => one.accountId))];
  const ids = new Set(incomplete.map((one) => one.id));
  const statements = await listStatementsSince(db, accounts, since);
  const stated = Map.groupBy(await sumStated(db, accounts, [...ids]), (row) => row.of_statement_id);
  const lines = statements.flatMap(({ id, bill }) => bill.lines.map((line) => ({ id, line })));
  const creditedOf = (id: string) =>
    lines.reduce((sum, { id: of, line }) => {
      const isIts =
        (line.kind === "mails" && of === id) || (line.kind === "late" && line.statement_id === id);
      return isIts ? sum + line.credited : sum;
    }, 0);
  return statements
    .filter(({ id }) => ids.has(id))
    .map((statement) => ({
      statement,
      stated: stated.get(statement.id) ?? [],
      credited: creditedOf(statement.id),
    }));
}

/** What is left of the credits of accounts while their statements are reckoned one after the other. */
type CreditsLeft = {
  of(accountId: string, currency: string | null): number;
  spend(accountId: string, currency: string | null, spent: number): void;
};

async function readCredits(db: Queryable, accountIds: readonly string[]): Promise<CreditsLeft> {
  const keyOf = (accountId: string, currency: string | null) => `${accountId} ${currency ?? "mails"}`;
  const sums = await sumCredits(db, accountIds);
  const left = new Map(sums.map((one) => [keyOf(one.accountId, one.currency), one.total]));
  return {
    of: (accountId, currency) => Math.max(0, left.get(keyOf(accountId, currency)) ?? 0),
    spend(accountId, currency, spent) {
      const key = keyOf(accountId, currency);
      left.set(key, (left.get(key) ?? 0) - spent);
    },
  };
}

type Found = Earlier & { readonly found: readonly Accepted[] };

type TakeLate = (accountId: string, currency: string) => readonly Found[];

/** Hands out the mails of earlier periods that came to light since, each once: to the next statement of the account in the same currency. */
function handOut(earlier: readonly Found[]): TakeLate {
  const waiting = new Set(earlier);
  return (accountId, currency) => {
    const taken = [...waiting].filter(
      ({ statement }) => statement.account_id === accountId && statement.currency === currency,
    );
    for (const one of taken) waiting.delete(one);
    return taken;
  };
}

function draftOf(
  { accountId, subscription, period, id }: Due,
  accepted: readonly Accepted[],
  credits: CreditsLeft,
  takeLate: TakeLate,
): Draft {
  const change = termsOfPeriod(subscription.history, period);
  const { currency } = change.terms;
  const charges = chargesOf(change, period.isTrial);
  const own = accepted.map((one) => sourceOf(id, one));
  const left = { amount: credits.of(accountId, currency), mails: credits.of(accountId, null) };
  const { lines, sources } = lateOf(takeLate(accountId, currency), left.mails);
  const { isPricePaidElsewhere } = subscription;
  const bill = billOf(charges, usedOf(own), left, change.tax, { late: lines, isPricePaidElsewhere });
  credits.spend(accountId, currency, bill.spent.amount);
  credits.spend(accountId, null, bill.spent.mails);
  const all = [...own, ...sources];
  const beyond = bill.subtotal - charges.price;
  const statement = {
    account_id: accountId,
    id,
    subscription_id: subscription.id,
    period_from: period.from,
    period_to: period.to,
    currency,
    bill: {
      ...bill,
      plan_name: change.terms.name,
      is_trial: period.isTrial,
      charges,
      mails: all.reduce((sum, one) => sum + one.accepted, 0),
    },
    overage: Math.max(0, beyond - bill.spent.amount),
    total: bill.total,
    spent_amount: bill.spent.amount,
    spent_mails: bill.spent.mails,
    closed_at: null,
  };
  return { statement, sources: all };
}

/** Sums up by stream; what is none isn't a line. */
function usedOf(sources: readonly SourceRow[]) {
  return STREAMS.map((stream) => ({
    stream,
    mails: sources.reduce((sum, one) => (one.stream === stream ? sum + one.accepted : sum), 0),
  })).filter(({ mails }) => mails > 0);
}

function sourceOf(statementId: string, { stream, ownerId, isInLedger, sent }: Accepted): SourceRow {
  const kind = !isInLedger ? "unattributed" : ownerId === null ? "transactional" : stream;
  return {
    of_statement_id: statementId,
    stream,
    kind,
    owner_id: ownerId ?? NO_OWNER,
    name: null,
    accepted: sent,
    sent_in_all: null,
  };
}

/** Writes the lines of earlier periods: what is known of them now, less what was said before. */
function lateOf(earlier: readonly Found[], creditedMails: number) {
  const lines: LateLine[] = [];
  const sources: SourceRow[] = [];
  let left = creditedMails;
  for (const { statement, stated, credited, found } of earlier) {
    const { id, bill, period_from, period_to } = statement;
    const more = lessStated(
      found.map((one) => sourceOf(id, one)),
      stated,
    );
    // Usage is never taken back, but somebody may have mended it by hand: then there is nothing to charge.
    if (more.reduce((sum, one) => sum + one.accepted, 0) <= 0) continue;
    const mails = stated.reduce((sum, one) => sum + one.accepted, 0);
    const before = { charges: bill.charges, mails, credited };
    const made = lateLines(before, usedOf(more), left);
    left -= made.reduce((sum, line) => sum + line.credited, 0);
    const of = { statement_id: id, from: period_from.toISOString(), to: period_to.toISOString() };
    lines.push(...made.map((line) => ({ ...line, kind: "late" as const, ...of })));
    sources.push(...more);
  }
  return { lines, sources };
}

function lessStated(known: readonly SourceRow[], stated: readonly Omit<SourceRow, "name" | "sent_in_all">[]) {
  const keyOf = ({ stream, kind, owner_id }: Pick<SourceRow, "stream" | "kind" | "owner_id">) =>
    `${stream} ${kind} ${owner_id}`;
  const rows = new Map(known.map((one) => [keyOf(one), one]));
  for (const one of stated) {
    const row = rows.get(keyOf(one)) ?? { ...one, name: null, sent_in_all: null, accepted: 0 };
    rows.set(keyOf(one), { ...row, accepted: row.accepted - one.accepted });
  }
  return [...rows.values()].filter(({ accepted }) => accepted !== 0);
}
