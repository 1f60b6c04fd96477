/** One subscriber and a thousand are deleted by the same steps. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { forgetAnswersAbout } from "../../platform/http/idempotency.ts";
import type { SubscriberRow } from "../columns.ts";
import { subjectOf } from "../subject.ts";
import { contactsOnLists, deleteSubscriberRows, removeOptOutReasons } from "../write-store.ts";

/** Deletes rows that are locked, and their personal data. What stands against mailing the addresses stays, under their hashes. */
export async function deleteSubscribers(ctx: TxCtx, rows: readonly SubscriberRow[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  const contactIds = [...new Set(rows.map((row) => row.contact_id))];
  await deleteSubscriberRows(ctx.sql, ctx.accountId, ids);
  // An address may live on in another list, and then the answers about it there live on too.
  const living = await contactsOnLists(ctx.sql, ctx.accountId, contactIds);
  const gone = contactIds.filter((id) => !living.has(id));
  if (gone.length > 0) await removeOptOutReasons(ctx.sql, ctx.accountId, gone);
  await forgetAnswersAbout(ctx.sql, ctx.accountId, ...ids, ...gone);
  await recordEvents(
    ctx,
    rows.map((row) => ({ type: "subscriber.deleted" as const, data: subjectOf(row) })),
  );
}
