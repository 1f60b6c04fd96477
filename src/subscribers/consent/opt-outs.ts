import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { nextStatus } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { insertConsents, insertOptOuts, lockByContact, updateSubscribers } from "../write-store.ts";

export type ToldOptOut = {
  readonly contactId: string;
  readonly reason: string | null;
  /** Is when the person left, where the file tells. */
  readonly at: Date | null;
};

/**
 * Takes note of people who have left a list elsewhere, whether or not they are on it here. What a person agreed to here, after
 * the time that the file tells, outweighs it: the file is older than that.
 */
export async function optOutContacts(
  ctx: TxCtx,
  listId: string,
  source: string,
  told: readonly ToldOptOut[],
): Promise<void> {
  if (told.length === 0) return;
  const pairs = told.map(({ contactId }) => ({ contactId, listId }));
  const onList = await lockByContact(ctx.sql, ctx.accountId, pairs, "wait");
  const consented = new Map(onList.map((row) => [row.contact_id, row.consented_at]));
  const standing = told.filter(({ contactId, at }) => {
    const since = consented.get(contactId);
    return !(since && at && at < since);
  });
  const now = ctx.clock.now();
  const optOuts = standing.map((one) => ({ ...one, listId, at: one.at ?? now }));
  await insertOptOuts(ctx, source, optOuts);
  const byContact = new Map(optOuts.map((one) => [one.contactId, one]));
  const changed = onList.flatMap((row) => {
    const optOut = byContact.get(row.contact_id);
    if (!optOut || nextStatus(row.status, "unsubscribe").kind !== "becomes") return [];
    const statusReason = optOut.reason ?? "unsubscribed";
    return [
      {
        ...row,
        status: "unsubscribed" as const,
        status_reason: statusReason,
        unsubscribed_at: optOut.at,
        updated_at: now,
      },
    ];
  });
  await updateSubscribers(ctx, changed);
  await recordEvents(
    ctx,
    changed.map((row) => ({ type: "subscriber.unsubscribed", data: { ...subjectOf(row), scope: "list" } })),
  );
  await insertConsents(
    ctx,
    changed.map((row) => ({
      subscriberId: row.id,
      action: "withdrawn" as const,
      attested: false,
      source,
      wording: null,
      ip: null,
      givenAt: row.unsubscribed_at,
    })),
  );
}
