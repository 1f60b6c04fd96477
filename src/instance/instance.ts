/**
 * The instance is what operators look after: its accounts, which they list, open, suspend and look into. What they do stands in the log of the
 * instance and in that of the account.
 */
import {
  beginVisit,
  changeLimits,
  createAccount,
  findHoldsOf,
  type HoldKind,
  holdAccount,
  inviteUser,
  type LimitsPatch,
  makeMailedLink,
  releaseAccount,
  type VisitRow,
} from "../accounts/accounts.ts";
import { findDebts, giveDefaultPlan, giveGrace } from "../billing/billing.ts";
import { countMailsSince, releaseStanding } from "../delivery/delivery.ts";
import { recordEvent } from "../events/events.ts";
import { systemCtx, type TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";
import { AppError, notFound } from "../platform/problems.ts";
import { countSubscribersOf, createFirstList } from "../subscribers/subscribers.ts";
import { type AccountEntry, findAccountEntry } from "./account-store.ts";
import type { InstanceAccount } from "./schema.ts";

const MAILS_MS = 30 * 24 * 3_600_000;
/** What the state of an account names where it is held for several things. */
const ORDER: readonly HoldKind[] = ["suspended", "deletion", "standing", "payment_overdue"];

/** Adds to a page of accounts what is counted of them, by a few statements for all together. */
export async function shapeAccounts(
  db: Queryable,
  entries: readonly AccountEntry[],
  now: Date,
): Promise<InstanceAccount[]> {
  const ids = entries.map(({ id }) => id);
  const since = new Date(now.getTime() - MAILS_MS);
  const [holds, debts, subscribers, mails] = await Promise.all([
    findHoldsOf(db, ids),
    findDebts(db, ids),
    countSubscribersOf(db, ids),
    countMailsSince(db, ids, since),
  ]);
  return entries.map(({ id, name, users, daily_mail_limit, subscriber_limit, created_at, updated_at }) => {
    const own = holds.get(id) ?? [];
    return {
      object: "instance_account",
      id: toPublicId("acc", id),
      name,
      state: ORDER.find((kind) => own.some((hold) => hold.kind === kind)) ?? "active",
      holds: own.map(({ kind, since, reason }) => ({ kind, since: since.toISOString(), reason })),
      debt: debts.get(id) ?? null,
      users,
      subscribers: subscribers.get(id) ?? 0,
      mails_30_days: mails.get(id) ?? 0,
      daily_mail_limit,
      subscriber_limit,
      created_at: created_at.toISOString(),
      updated_at: updated_at.toISOString(),
    };
  });
}

export async function readAccount(db: Queryable, id: string, now: Date): Promise<InstanceAccount> {
  const entry = await findAccountEntry(db, id);
  const [account] = entry ? await shapeAccounts(db, [entry], now) : [];
  if (!account) throw unknownAccount();
  return account;
}

/** Opens an account with a list and an owner who is invited. Returns its id and the token of the owner's link. */
export async function openAccount(
  ctx: TxCtx,
  input: { readonly name: string; readonly ownerEmail: string; readonly ownerName: string },
): Promise<{ accountId: string; token: string }> {
  const { account_id: accountId } = await createAccount(ctx.sql, ctx.clock, { name: input.name });
  const within = systemCtx(ctx, ctx.sql, accountId);
  await createFirstList(within);
  await giveDefaultPlan(within);
  const invited = { email: input.ownerEmail, name: input.ownerName, role: "owner" } as const;
  const owner = await inviteUser(within, invited, "/owner_email");
  // Nobody of an account sees the link; but only those of the command line work where passwords are switched off.
  const { token } = await makeMailedLink(within, owner, { of_instance: true, transport_id: null });
  return { accountId, token };
}

/** Changes the name of an account and what it is allowed. Its own people see that the service did it, and not who. */
export async function changeAccount(
  ctx: TxCtx,
  accountId: string,
  patch: LimitsPatch,
  ifMatch: string | undefined,
): Promise<void> {
  await requireAccount(ctx, accountId);
  await changeLimits(systemCtx(ctx, ctx.sql, accountId), patch, ifMatch);
}

/** Suspends an account. Returns false for one that is suspended already, which keeps its reason. */
export async function suspendAccount(ctx: TxCtx, accountId: string, reason: string): Promise<boolean> {
  await requireAccount(ctx, accountId);
  const isNew = await holdAccount({ ...ctx, accountId }, "suspended", reason);
  if (isNew) await tellOwners(ctx, accountId, "account.suspended");
  return isNew;
}

/** Takes a suspension back, and what else stopped its sending is as it was: its standing and its deletion are others' decisions. Returns false where there is none. */
export async function reinstateAccount(ctx: TxCtx, accountId: string): Promise<boolean> {
  await requireAccount(ctx, accountId);
  const isReleased = await releaseAccount({ ...ctx, accountId }, "suspended");
  if (isReleased) await tellOwners(ctx, accountId, "account.reinstated");
  return isReleased;
}

/** People of the account aren't shown which operator it was, so the event is the system's. */
async function tellOwners(
  ctx: TxCtx,
  accountId: string,
  type: "account.suspended" | "account.reinstated",
): Promise<void> {
  await recordEvent(systemCtx(ctx, ctx.sql, accountId), { type, data: {}, isNoticed: true });
}

/** Lets an account send again that its standing has stopped; the log of the service keeps the reason. Returns false where it hasn't. */
export async function releaseFromStanding(ctx: TxCtx, accountId: string, reason: string): Promise<boolean> {
  await requireAccount(ctx, accountId);
  if (!(await releaseStanding(systemCtx(ctx, ctx.sql, accountId)))) return false;
  ctx.sql.afterCommit(() => ctx.log.info({ account: accountId, reason }, "an account may send again"));
  return true;
}

/** Lets an account send that hasn't paid yet, until then; the log of the service keeps the reason. Returns false where nothing changed. */
export async function putPaymentOff(
  ctx: TxCtx,
  accountId: string,
  { until, reason }: { readonly until: Date | null; readonly reason: string },
): Promise<boolean> {
  await requireAccount(ctx, accountId);
  if (!(await giveGrace(systemCtx(ctx, ctx.sql, accountId), until))) return false;
  ctx.sql.afterCommit(() => ctx.log.info({ account: accountId, until, reason }, "a payment was put off"));
  return true;
}

export async function lookIn(
  ctx: TxCtx,
  personId: string,
  accountId: string,
  visit: { readonly reason: string; readonly minutes: number },
): Promise<VisitRow> {
  await requireAccount(ctx, accountId);
  return beginVisit(systemCtx(ctx, ctx.sql, accountId), personId, visit);
}

async function requireAccount({ sql }: TxCtx, accountId: string): Promise<void> {
  if (!(await findAccountEntry(sql, accountId))) throw unknownAccount();
}

function unknownAccount(): AppError {
  return new AppError(notFound, "there is no such account");
}
