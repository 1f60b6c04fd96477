/** Counts the recipients who unsubscribed because of a source's mail. */
import type { TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { sourcesOf } from "./owner-store.ts";

/**
 * Notes who unsubscribed because of a source's mail, in the transaction of the unsubscribe. A recipient counts once, and only
 * if the mail was sent or may have been.
 */
export async function noteUnsubscribe(ctx: TxCtx, ownerId: string, contactId: string): Promise<void> {
  await ctx.sql.execute(sql`
    insert into source_unsubscribes (account_id, source_id, contact_id, at)
    select account_id, source_id, contact_id, ${ctx.clock.now()} from deliveries
    where account_id = ${ctx.accountId} and source_id = any(${sourcesOf(ctx.accountId, ownerId)}) and contact_id = ${contactId}
      and state in ('sent', 'unknown', 'inflight', 'deferred') and attempt > 0
    order by source_id desc limit 1
    on conflict do nothing`);
}
