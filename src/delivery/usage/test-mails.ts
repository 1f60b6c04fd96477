/**
 * Tests that leave by a server. They belong to no source and nobody's stats, so they are in no ledger of one; each has a row of its own instead, which
 * holds a mail of the allowance from when it is asked for, and becomes `sent` in the statement that counts it, as transactional mail.
 */
import type { TxCtx } from "../../platform/context.ts";
import { type Db, sql, type Tx } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { lockAllowance, overQuota, readMailRoom } from "../allowance/allowance.ts";
import { countingSettledUsage } from "./counting.ts";

/** Takes mails for tests from the account's allowance, all or none, and returns the id of each. */
export async function takeTestMails(ctx: TxCtx, mails: number, transportId: string): Promise<string[]> {
  const { sql: tx, accountId, clock } = ctx;
  const now = clock.now();
  const isLimited = await lockAllowance(tx, accountId);
  const room = isLimited ? await readMailRoom(tx, accountId, now, mails) : undefined;
  if (room && room.left < mails) throw overQuota(room);
  const ids = Array.from({ length: mails }, () => newId(clock));
  await tx.execute(sql`
    insert into test_mails (account_id, id, transport_id, state, created_at, changed_at)
    select ${accountId}, id, ${transportId}, 'waiting', ${now}, ${now} from unnest(${ids}::uuid[]) as one (id)`);
  return ids;
}

/** Notes that a server took it, and counts it. Called again, it changes nothing. */
export async function settleTestMail(db: Db, accountId: string, id: string, now: Date): Promise<void> {
  await db.execute(sql`
    with settled as (
      update test_mails set state = 'sent', changed_at = ${now}
      where account_id = ${accountId} and id = ${id} and state = 'waiting'
      returning account_id, null::uuid as source_id, 'transactional' as stream, transport_id, changed_at as taken_at
    ) ${countingSettledUsage()}`);
}

/** Gives back what a test took that wasn't sent. */
export async function dropTestMail(db: Pick<Tx, "execute">, accountId: string, id: string): Promise<void> {
  await db.execute(sql`
    delete from test_mails where account_id = ${accountId} and id = ${id} and state = 'waiting'`);
}

/** Removes what is too old. The index test_mails_by_age serves it. */
export function removeTestMails(
  db: Db,
  before: { readonly sent: Date; readonly waiting: Date },
  piece: number,
): Promise<number> {
  return db.execute(sql`
    delete from test_mails where ctid = any(array(
      select ctid from test_mails
      where created_at < ${before.waiting} and (state = 'waiting' or created_at < ${before.sent}) limit ${piece}))`);
}
