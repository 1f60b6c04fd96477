/**
 * Grants mails of an account's allowance. Nothing is added up here that could drift: what is taken is what the ledger says was sent, and what
 * the batches that are leased may still send. Leases of an account wait for each other, each for a few milliseconds in every few hundred mails.
 */

import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db, Queryable, Tx } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import {
  countWaiting,
  type KnownLimits,
  lockAllowance,
  noteGrant,
  readLimits,
  readPeriod,
  readTakenAtMost,
  readTakenExactly,
  type TakenExactly,
} from "./allowance-store.ts";
import { type Limits, type Room, roomOf, type Taken } from "./room-rules.ts";
import { tellThresholds } from "./thresholds.ts";
import type { Gone } from "./used-up.ts";

type GrantTools = { readonly db: Db; readonly clock: Clock; readonly log: Log };

/** A lease asks for so many mails at most. While more than that is left, nobody counts row by row. */
const MOST_ASKED = 500;

type Leased = { readonly sourceId: string; readonly n: number; readonly contacts: readonly string[] };

/**
 * `lease`: there was something to lease, within what was left. Else `usedUp` says that nothing is left: of the period or of the day, where nobody has
 * anything under way that could be given back, and `soon` where somebody has.
 */
type Granted<L> =
  | { readonly lease: L & { readonly until?: Date } }
  | { readonly lease: undefined; readonly usedUp: Gone | undefined; readonly limits?: Limits };

/** Leases some mails of an account, by whichever way finds some first, and notes what was leased in the same transaction. */
export function leaseFromAllowance<L extends Leased>(
  { db, clock, log }: GrantTools,
  { accountId, isTransactional }: { readonly accountId: string; readonly isTransactional: boolean },
  ways: readonly ((tx: Tx, left: number) => Promise<L | undefined>)[],
): Promise<Granted<L>> {
  return db.transaction(async (tx) => {
    const now = clock.now();
    const limits = (await lockAllowance(tx, accountId)) ? await readLimits(tx, accountId, now) : undefined;
    const taken = limits && (await readTaken(tx, accountId, limits, isTransactional));
    const room: Room | undefined = limits && taken && roomOf(limits, taken, isTransactional);
    if (limits && taken) await tellThresholds(systemCtx({ clock, log }, tx, accountId), limits, taken.used);
    for (const lease of ways) {
      const found = await lease(tx, room ? Math.min(room.left, MOST_ASKED) : MOST_ASKED);
      if (!found) continue;
      const { sourceId, n, contacts } = found;
      await noteGrant(tx, accountId, { sourceId, n, granted: contacts.length });
      return { lease: { ...found, ...(limits && { until: untilOf(limits) }) } };
    }
    const gone = room !== undefined && room.left <= 0 ? (isAtRest(taken) ? room.of : "soon") : undefined;
    return { lease: undefined, usedUp: gone, ...(limits && { limits }) };
  });
}

function isAtRest(taken: Taken | TakenExactly | undefined): boolean {
  return taken !== undefined && "underWay" in taken && taken.underWay === 0;
}

async function readTaken(
  db: Queryable,
  accountId: string,
  limits: Limits,
  isTransactional: boolean,
): Promise<Taken | TakenExactly> {
  const atMost = await readTakenAtMost(db, accountId, limits);
  if (roomOf(limits, atMost, isTransactional).left >= MOST_ASKED) return atMost;
  return readTakenExactly(db, accountId, limits);
}

function untilOf({ to, day }: Limits): Date {
  return day && day.to < to ? day.to : to;
}

type AllowanceState = { readonly limits: KnownLimits; readonly taken: TakenExactly };

/** Reads what an account may send and what it has; undefined where it has no limit. It locks nothing. */
export async function readAllowance(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<AllowanceState | undefined> {
  const limits = await readLimits(db, accountId, now);
  return limits && { limits, taken: await readTakenExactly(db, accountId, limits) };
}

/** Reads the same also of an account that nothing limits and that is charged by the mail: of this nothing is reserved. */
export async function readPeriodUse(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<AllowanceState | undefined> {
  const limits = await readPeriod(db, accountId, now);
  return limits && { limits, taken: await readTakenExactly(db, accountId, limits) };
}

/**
 * Says until when campaigns and automations of an account wait for mails: nothing is left of the day or of the period, and nobody has any under way.
 * Whoever watches asks often, so only sums by key are read.
 */
export async function readWaitsUntil(db: Queryable, accountId: string, now: Date): Promise<Date | undefined> {
  const limits = await readLimits(db, accountId, now);
  if (!limits) return undefined;
  const taken = await readTakenAtMost(db, accountId, limits);
  const room = roomOf(limits, taken, false);
  if (room.left > 0 || taken.reserved > 0) return undefined;
  return room.of === "day" && limits.day ? limits.day.to : limits.to;
}

/** What is left for transactional mail, and of what: the period's mails, or those of the day. */
type MailRoom = {
  readonly left: number;
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: Date;
};

/**
 * Says how many transactional mails more may be accepted, counting those that wait to be sent; undefined where there is no limit. Where there is
 * room for those wanted, it may be more. It locks nothing: two who ask at once may both be told that there is room for one. What is too
 * much then waits, and isn't sent.
 */
export async function readMailRoom(
  db: Queryable,
  accountId: string,
  now: Date,
  wanted: number,
): Promise<MailRoom | undefined> {
  const limits = await readLimits(db, accountId, now);
  if (!limits) return undefined;
  const roomBeside = async (taken: Taken): Promise<MailRoom> => {
    const room = roomOf(limits, taken, true);
    // It is counted afterwards: what is leased meanwhile counts once at most, so that nobody is refused wrongly.
    const left = room.left - (await countWaiting(db, accountId));
    return room.of === "day" && limits.day
      ? { left, limit: limits.day.mails, used: taken.usedToday, resetsAt: limits.day.to }
      : { left, limit: limits.mails ?? 0, used: taken.used, resetsAt: limits.to };
  };
  const atLeast = await roomBeside(await readTakenAtMost(db, accountId, limits));
  if (atLeast.left >= wanted) return atLeast;
  return roomBeside(await readTakenExactly(db, accountId, limits));
}
