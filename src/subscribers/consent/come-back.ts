/** Somebody who left lists wants to be on them again, and says so by a link that may have been forwarded: so they are asked by mail. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { ConsentInput } from "../schema.ts";
import { subjectOf } from "../subject.ts";
import { insertConsents, lockOfContact, updateSubscribers } from "../write-store.ts";
import { askNewToConfirm } from "./confirmations.ts";

/** Who complained or bounced stays as they are: only the confirmation of a new sign-up brings them back. */
export async function comeBack(
  ctx: TxCtx,
  contactId: string,
  listIds: readonly string[],
  evidence: Pick<ConsentInput, "source" | "wording" | "ip">,
): Promise<boolean> {
  if (listIds.length === 0) return false;
  const now = ctx.clock.now();
  const rows = (await lockOfContact(ctx.sql, ctx.accountId, contactId))
    .filter((row) => row.status === "unsubscribed" && listIds.includes(row.list_id))
    .map((row) => ({ ...row, status: "pending" as const, status_reason: null, updated_at: now }));
  if (rows.length === 0) return false;
  await updateSubscribers(ctx, rows);
  await recordEvents(
    ctx,
    rows.map((row) => ({
      type: "subscriber.resubscribed",
      data: { ...subjectOf(row), status: row.status },
    })),
  );
  await insertConsents(
    ctx,
    rows.map((row) => ({
      subscriberId: row.id,
      action: "granted" as const,
      attested: false,
      source: evidence.source ?? null,
      wording: evidence.wording ?? null,
      ip: evidence.ip ?? null,
    })),
  );
  await askNewToConfirm(ctx, rows);
  return true;
}
