/** All statements about probation and the number of mails that an account may send in a day, by its probation or by an operator's word. */
import {
  type Db,
  prepared,
  type Queryable,
  type Sql,
  sql,
  type Tx,
  type Writable,
} from "../../platform/db/db.ts";
import { type Day, dayOf, limitOfDay, type SendingDay } from "./standing-rules.ts";

/** Puts a new account on probation, unless it is the first of the instance. */
export async function beginProbation(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    insert into account_probations (account_id, began_at)
    select ${accountId}, ${now} where ${hasOthers(sql`${accountId}`)}`);
}

/** Holds where the instance has another account: where it has one, nobody is limited, and nobody is judged. */
function hasOthers(accountId: Sql): Sql {
  return sql`exists (select from accounts other where other.account_id <> ${accountId})`;
}

/** Holds for an account that is on probation now. */
function isOnProbation(accountId: Sql): Sql {
  return sql`(exists (select from account_probations p where p.account_id = ${accountId} and p.ended_at is null)
    and ${hasOthers(accountId)})`;
}

/** Holds for an account of which no campaign to many was approved yet. */
export function needsReview(accountId: Sql): Sql {
  return sql`(exists (select from account_probations p where p.account_id = ${accountId} and p.ended_at is null
      and p.reviewed_at is null)
    and ${hasOthers(accountId)})`;
}

/** Keeps others from deciding at the same time what an account on probation may send without a look at it. */
export async function lockProbation(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select from account_probations where account_id = ${accountId} for update`);
}

/** Notes that an operator approved a campaign of the account: its later ones leave by themselves. */
export async function noteReviewed(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update account_probations set reviewed_at = coalesce(reviewed_at, ${now}) where account_id = ${accountId}`);
}

/** Ends the probation of an account, by what it has sent or because an operator knows it. */
async function endProbation(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update account_probations set ended_at = ${now} where account_id = ${accountId} and ended_at is null`);
}

/**
 * Draws the right to send up to so many mails on that day, and returns how many were granted; undefined where the account isn't
 * limited. A draw whose answer gets lost costs the account as many mails, and lets nobody send more.
 */
export async function drawMails(
  db: Db,
  accountId: string,
  { day, now, wanted }: { readonly day: Day; readonly now: Date; readonly wanted: number },
): Promise<number | undefined> {
  const granted = await drawFromDay(db, accountId, day, wanted);
  if (granted !== undefined) return granted;
  if (!(await db.transaction((tx) => openDay(tx, accountId, day, now)))) return undefined;
  return (await drawFromDay(db, accountId, day, wanted)) ?? 0;
}

/**
 * Draws the right to send so many mails today within the caller's transaction, which gives it back when it fails. Returns false where
 * fewer are left of the day.
 */
export async function drawAll(tx: Tx, accountId: string, now: Date, wanted: number): Promise<boolean> {
  const day = dayOf(now);
  if (!(await openDay(tx, accountId, day, now))) return true;
  return (await drawFromDay(tx, accountId, day, wanted)) === wanted;
}

async function drawFromDay(
  db: Writable,
  accountId: string,
  day: Day,
  wanted: number,
): Promise<number | undefined> {
  // Where an operator allows less than was drawn already, nothing is left; `least` passes over a limit that is null.
  const granted = sql`greatest(0, least(${wanted}::int, allowed - drawn, operator_allowed - drawn))`;
  const drawn = await db.maybeOne<{ granted: number }>(
    prepared(sql`
      update account_days set drawn = drawn + ${granted}, granted = ${granted}
      where account_id = ${accountId} and day = ${day}::date and ${isLimitedOn(sql`account_days`)}
      returning granted`),
  );
  return drawn?.granted;
}

/** Holds for a day's row that counts: an operator has limited the account, or it is on probation. */
function isLimitedOn(days: Sql): Sql {
  return sql`(${days}.operator_allowed is not null or ${isOnProbation(sql`${days}.account_id`)})`;
}

/** Writes what the account may send on that day, and returns false where it isn't limited, or not any more. */
async function openDay(tx: Tx, accountId: string, day: Day, now: Date): Promise<boolean> {
  // An operator who changes the limit meanwhile waits, and then finds the row. Accounts without any limit aren't locked.
  const account = await tx.maybeOne<{ limit: number | null }>(sql`
    select a.daily_mail_limit as limit from accounts a
    where a.account_id = ${accountId} and (a.daily_mail_limit is not null or ${isOnProbation(sql`a.account_id`)})
    for share of a`);
  if (!account) return false;
  const ofProbation = await openProbationDay(tx, accountId, day, now);
  if (ofProbation === null && account.limit === null) return false;
  await tx.execute(sql`
    insert into account_days (account_id, day, allowed, probation_allowed, operator_allowed)
    values (${accountId}, ${day}::date, least(${ofProbation}::int, ${account.limit}::int), ${ofProbation}, ${account.limit})
    on conflict do nothing`);
  return true;
}

/** Returns how many mails the probation of the account allows on that day; null where it isn't on probation, or not any more. */
async function openProbationDay(tx: Tx, accountId: string, day: Day, now: Date): Promise<number | null> {
  const found = await tx.maybeOne(sql`
    select 1 as found from account_probations own
    where own.account_id = ${accountId} and ${isOnProbation(sql`own.account_id`)} for update`);
  if (!found) return null;
  const before = await tx.many<SendingDay>(sql`
    select ${probationDay} from account_days
    where account_id = ${accountId} and day < ${day}::date and ${probationAllowed} is not null`);
  const allowed = limitOfDay(before);
  if (allowed === null) await endProbation(tx, accountId, now);
  return allowed;
}

/** A process of the version before writes rows without it, while both run. */
const probationAllowed = sql`coalesce(probation_allowed, case when operator_allowed is null then allowed end)`;
const probationDay = sql`${probationAllowed} as allowed, drawn as used, is_warned as "isWarned"`;

/**
 * Applies another limit of an operator to the day that has begun. What was drawn stays drawn: it may be on its way. The caller has written
 * the limit to the account in the same transaction, so that no day is opened with the old one.
 */
export async function limitDay(tx: Tx, accountId: string, day: Day, limit: number | null): Promise<void> {
  await tx.execute(sql`
    update account_days set operator_allowed = ${limit}::int, probation_allowed = ${probationAllowed},
      allowed = greatest(drawn, coalesce(least(${probationAllowed}, ${limit}::int), allowed))
    where account_id = ${accountId} and day = ${day}::date`);
}

/** Gives back what was drawn and not used. It must not be run twice: where its answer gets lost, it may have been done. */
export async function giveBackMails(
  db: Writable,
  accountId: string,
  { day, unused }: { readonly day: Day; readonly unused: number },
): Promise<void> {
  await db.execute(
    prepared(sql`
      update account_days set drawn = drawn - ${unused}::int where account_id = ${accountId} and day = ${day}::date`),
  );
}

/** Notes that the account was warned on this day, which is then no clean one. */
export async function warnOfDay(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update account_days set is_warned = true
    where account_id = ${accountId} and day = ${dayOf(now)}::date and not is_warned`);
}

/** Holds for an account that may send nothing more on that day. */
export function hasUsedUp(accountId: Sql, day: Day): Sql {
  return sql`exists (select from account_days d where d.account_id = ${accountId} and d.day = ${day}::date
    and d.drawn >= least(d.allowed, d.operator_allowed) and ${isLimitedOn(sql`d`)})`;
}

type DailyLimit = { readonly allowed: number; readonly used: number };

/** Returns what the account may send on that day, and what it has; undefined where it isn't limited. */
export async function readDailyLimit(
  db: Queryable,
  accountId: string,
  day: Day,
): Promise<DailyLimit | undefined> {
  const { isOn, limit } = await db.one<{ isOn: boolean; limit: number | null }>(
    prepared(sql`
      select ${isOnProbation(sql`${accountId}::uuid`)} as "isOn",
        (select daily_mail_limit from accounts where account_id = ${accountId}) as limit`),
  );
  if (!isOn && limit === null) return undefined;
  const days = await db.many<SendingDay & { limit: number; isToday: boolean }>(
    prepared(sql`
      select ${probationDay}, least(allowed, operator_allowed) as limit, day = ${day}::date as "isToday" from account_days
      where account_id = ${accountId} and day <= ${day}::date`),
  );
  const today = days.find(({ isToday }) => isToday);
  const before = days.filter((one) => !one.isToday && one.allowed !== null);
  const limits = today ? [today.limit] : [isOn ? limitOfDay(before) : null, limit];
  const known = limits.filter((one) => one !== null);
  return known.length === 0 ? undefined : { allowed: Math.min(...known), used: today?.used ?? 0 };
}
