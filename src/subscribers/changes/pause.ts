/** A person may want no mail of lists for a while. The pause hangs on the contact; transactional mail goes on. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { subjectOf } from "../subject.ts";
import { lockOfContact } from "../write-store.ts";

/** Pauses mail of lists to this contact until then; null lets it go on at once. A contact that isn't there is left alone. */
export async function pauseContact(ctx: TxCtx, contactId: string, until: Date | null): Promise<void> {
  const subscribers = await lockOfContact(ctx.sql, ctx.accountId, contactId);
  const changed = until
    ? await ctx.sql.execute(sql`
        insert into contact_pauses (account_id, contact_id, until)
        select account_id, id, ${until} from contacts where account_id = ${ctx.accountId} and id = ${contactId}
        on conflict (account_id, contact_id) do update set until = excluded.until
          where contact_pauses.until <> excluded.until`)
    : await removePause(ctx.sql, ctx.accountId, contactId);
  if (changed === 0 || subscribers.length === 0) return;
  await recordEvents(
    ctx,
    subscribers.map((row) => ({
      type: "subscriber.updated",
      data: { ...subjectOf(row), changed: ["paused_until"] },
    })),
  );
}

/** Returns until when mail of lists to this contact is paused; null where it isn't. */
export async function findPause(db: Queryable, accountId: string, contactId: string): Promise<Date | null> {
  const row = await db.maybeOne<{ until: Date }>(sql`
    select until from contact_pauses where account_id = ${accountId} and contact_id = ${contactId} and until > now()`);
  return row?.until ?? null;
}

/** Removes a pause, and returns how many there were. */
export async function removePause(tx: Tx, accountId: string, contactId: string): Promise<number> {
  return tx.execute(
    sql`delete from contact_pauses where account_id = ${accountId} and contact_id = ${contactId}`,
  );
}
