/**
 * Leases of accounts that have a limit. A lease is the reservation: it gets at most as many mails as are left, and what is left counts every
 * batch that is leased. So a batch that is larger is divided, and a dead sender's batch keeps what it has until somebody takes it over.
 */
import { prepared, sql, type Tx } from "../../platform/db/db.ts";
import {
  type FreeBatches,
  findFree,
  GATHERED_MAILS,
  giveBack,
  type Holder,
  LEASE_ATTEMPTS,
  type Lease,
  leaseGathered,
  leaseRetries,
  takeBatch,
} from "./lease-store.ts";

/** How a sender leases within what is left. Each is called with the account's allowance locked. */
type LeasesWithin = {
  retries(tx: Tx, left: number): Promise<Lease | undefined>;
  gathered(tx: Tx, left: number): Promise<Lease | undefined>;
  next(tx: Tx, left: number): Promise<Lease | undefined>;
};

export function leasesWithin(holder: Holder, of: FreeBatches): LeasesWithin {
  const { accountId, sourceId, now } = of;
  return {
    retries: async (tx, left) =>
      left > 0 ? leaseRetries(tx, holder, accountId, sourceId, now, left) : undefined,
    gathered: async (tx, left) =>
      left > 0
        ? leaseGathered(tx, holder, accountId, sourceId, now, Math.min(left, GATHERED_MAILS))
        : undefined,
    next: (tx, left) => leaseBatchWithin(tx, holder, of, left),
  };
}

const left = { columns: sql`cardinality(b.contacts) as contacts`, where: sql`b.worker_id is not null` };
const fresh = { columns: sql`cardinality(b.contacts) as contacts`, where: sql`b.worker_id is null` };

/**
 * Leases what a dead sender left first, since it counts as taken already. Where more is taken than there is, because a limit was lowered or a
 * source was paused meanwhile, it is given back, and is leased again like any other.
 */
async function leaseBatchWithin(
  tx: Tx,
  holder: Holder,
  of: FreeBatches,
  room: number,
): Promise<Lease | undefined> {
  const { accountId, sourceId, held } = of;
  let most = room;
  for (let attempt = 0; attempt < LEASE_ATTEMPTS; attempt++) {
    const abandoned = await findFree<{ n: number }>(tx, holder, of, left);
    const found = abandoned ?? (most > 0 ? await findFree<Found>(tx, holder, of, fresh) : undefined);
    if (!found) return undefined;
    if (!abandoned && (found as Found).contacts > most) await divide(tx, of, found.n, most);
    const taken = await takeBatch(tx, holder, accountId, sourceId, found.n, held);
    if (taken === "taken") continue;
    const lease = { accountId, sourceId, ...taken };
    if (!abandoned || most >= 0) return lease;
    most += (await giveBack(tx, holder, lease)).left;
  }
  return undefined;
}

type Found = { n: number; contacts: number };

/** Leaves the first contacts in a batch, which the caller has locked, and moves the others to a batch of their own. */
async function divide(tx: Tx, { accountId, sourceId }: FreeBatches, n: number, first: number): Promise<void> {
  const isIt = sql`account_id = ${accountId} and source_id = ${sourceId} and n = ${n}`;
  await tx.execute(
    prepared(sql`
      with others as (
        insert into batches (account_id, source_id, stream, transport_id, variant, not_before, contacts, epoch, deaths, suspect,
                             suspect_deaths, provider)
        select account_id, source_id, stream, transport_id, variant, not_before, contacts[${first}::int + 1:], epoch, deaths, suspect,
               suspect_deaths, provider from batches where ${isIt}
      )
      update batches set contacts = contacts[1:${first}::int] where ${isIt}`),
  );
}
