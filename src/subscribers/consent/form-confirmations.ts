/** Asks whoever signed up by a form to confirm, without telling the outside whether anything came of it. */

import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { SubscriberRow } from "../columns.ts";
import { nextStatus } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { lockSubscriber } from "../subscriber-store.ts";
import { wakeSubscribers } from "../wake.ts";
import { insertConsents, type NewConsent, updateSubscribers } from "../write-store.ts";
import { type AskedByForm, insertConfirmations } from "./confirmation-store.ts";
import { BY_FORM, isSuppressed, waitMsFor } from "./confirmations.ts";
import { recordTrackingAnswers, withAnswerDated } from "./tracking-consent.ts";

export type FormRequest = AskedByForm & {
  /** What shows that the person asked for it. */
  readonly consent: Pick<NewConsent, "source" | "wording" | "ip" | "givenAt">;
  /** Whether that is in the log already, since the person was added with it. */
  readonly isRecorded: boolean;
  /** Whether the person was asked about being tracked and didn't agree. */
  readonly refusesTracking: boolean;
};

/**
 * Returns whether a mail is on its way. Who is active needs none, who complained or is suppressed gets none, and an address gets at
 * most three a day, ten minutes apart, by all forms and lists of the account together. Who has left is `pending` again.
 */
export async function requestConfirmationFromForm(
  ctx: TxCtx,
  subscriberId: string,
  request: FormRequest,
): Promise<boolean> {
  const found = await lockSubscriber(ctx.sql, ctx.accountId, subscriberId);
  if (!found || (await isSuppressed(ctx, found))) return false;
  // Whoever is on the list wants its mail, so that no proof of who typed the address is needed to wake them. A newcomer isn't judged yet.
  await wakeSubscribers(ctx, [found.id], "sign_up", request.isRecorded ? undefined : "keep");
  const row = request.refusesTracking ? await refuseTracking(ctx, found, request) : found;
  const outcome = nextStatus(row.status, "resubscribe", { attested: false, suppressed: false });
  if (outcome.kind === "refused") return false;
  if ((await waitMsFor(ctx, row.contact_id, BY_FORM)) > 0) return false;
  if (outcome.kind === "becomes") await bringBack(ctx, row);
  if (!request.isRecorded) {
    const granted = { subscriberId: row.id, action: "granted" as const, attested: false };
    await insertConsents(ctx, [{ ...granted, ...request.consent }]);
  }
  await insertConfirmations(ctx, [row], request);
  return true;
}

/** Until somebody has confirmed, nobody knows who ticked the box; so one who leaves it empty takes that back. */
async function refuseTracking(
  ctx: TxCtx,
  row: SubscriberRow,
  { consent }: FormRequest,
): Promise<SubscriberRow> {
  if (row.status !== "pending" || row.confirmed_at !== null || row.tracking_consent !== true) return row;
  const now = ctx.clock.now();
  const changed = withAnswerDated({ ...row, tracking_consent: false, updated_at: now }, row, now);
  await updateSubscribers(ctx, [changed]);
  const source = consent.source ?? "form";
  const evidence = { source, ...(consent.ip !== null && { ip: consent.ip }) };
  await recordTrackingAnswers(ctx, [{ row: changed, isNew: false, evidence, source }]);
  return changed;
}

async function bringBack(ctx: TxCtx, row: SubscriberRow): Promise<void> {
  const status = "pending" as const;
  await updateSubscribers(ctx, [{ ...row, status, status_reason: null, updated_at: ctx.clock.now() }]);
  await recordEvents(ctx, [{ type: "subscriber.resubscribed", data: { ...subjectOf(row), status } }]);
}
