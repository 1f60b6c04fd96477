/**
 * This room has what happens to subscribers after they were added: each verb asks `status.ts` and writes all that
 * follows from it.
 */

import { type NewEvent, recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { missing } from "../../platform/problems.ts";
import type { SubscriberRow } from "../columns.ts";
import { lockSubscriberWithOthers, mustLockSubscriber, refusal } from "../lock-subscriber.ts";
import { ALL_LISTS } from "../mailable.ts";
import type { ConsentInput } from "../schema.ts";
import { nextStatus } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { findSuppressionReasons } from "../suppressions/suppressions.ts";
import { wakeSubscribers } from "../wake.ts";
import {
  insertConsents,
  insertOptOut,
  type NewConsent,
  removeOptOut,
  updateSubscribers,
} from "../write-store.ts";
import { requestConfirmationIfMailable } from "./confirmations.ts";

export { type DatedAddressHistory, readAddressHistory, reasonFromHistory } from "./address-history.ts";
export { comeBack } from "./come-back.ts";
export {
  type ConfirmFacts,
  confirm,
  confirmByLink,
  readConfirmLink,
} from "./confirm-link.ts";
export {
  type ConfirmationPayload,
  mailConfirmationKind,
  takeConfirmation,
} from "./confirmation-store.ts";
export { askNewToConfirm, requestConfirmationIfMailable, resendConfirmation } from "./confirmations.ts";
export { requestConfirmationFromForm } from "./form-confirmations.ts";
export { optOutContacts } from "./opt-outs.ts";
export { stillUnsubscribed } from "./still-unsubscribed.ts";
export {
  answerFromFile,
  answerTracking,
  readTrackingConsents,
  recordTrackingAnswers,
  stopTrackingEverywhere,
  takeWithdrawn,
  type Withdrawn,
  withAnswerDated,
} from "./tracking-consent.ts";
export {
  hasLeftEverything,
  type MailedPerson,
  undoUnsubscribeByLink,
  unsubscribeByLink,
} from "./unsubscribe-link.ts";
export { unsubscribeMany } from "./unsubscribe-many.ts";

/** The first time is kept: to unsubscribe again is no error and changes nothing, and then `hasLeft` is false. */
export async function unsubscribe(
  ctx: TxCtx,
  id: string,
  input: { scope: "list" | "all"; reason: string | null; source: string; campaignId?: string },
): Promise<{ contactId: string; hasLeft: boolean }> {
  const { scope, reason, source, campaignId } = input;
  const affected =
    scope === "all" ? await lockSubscriberWithOthers(ctx, id) : [await mustLockSubscriber(ctx, id)];
  const subscriber = affected.find((row) => row.id === id);
  if (!subscriber) throw missing("subscriber");
  const now = ctx.clock.now();
  const changed = affected
    .filter((row) => nextStatus(row.status, "unsubscribe").kind === "becomes")
    .map((row) => ({
      ...row,
      status: "unsubscribed" as const,
      status_reason: reason ?? "unsubscribed",
      unsubscribed_at: now,
      updated_at: now,
    }));
  const listId = scope === "all" ? ALL_LISTS : subscriber.list_id;
  await insertOptOut(ctx, { contactId: subscriber.contact_id, listId, reason, source, at: now });
  await write(ctx, changed, "subscriber.unsubscribed", {
    scope,
    ...(campaignId && { campaign_id: campaignId }),
  });
  await insertConsents(
    ctx,
    changed.map((row) => ({ ...noEvidence(row.id, "withdrawn"), source })),
  );
  return { contactId: subscriber.contact_id, hasLeft: changed.length > 0 };
}

/** `awaitsConfirmation` is true when the person is asked by mail first. */
export async function resubscribe(
  ctx: TxCtx,
  id: string,
  consent: ConsentInput | undefined,
): Promise<{ awaitsConfirmation: boolean }> {
  const row = await mustLockSubscriber(ctx, id);
  const reasons = await findSuppressionReasons(ctx.sql, ctx.accountId, [row.contact_id]);
  const attested = consent?.attested === true;
  const outcome = nextStatus(row.status, "resubscribe", { attested, suppressed: reasons.size > 0 });
  if (outcome.kind === "refused") throw refusal(outcome.why, row.status);
  if (outcome.kind !== "becomes") {
    await requestConfirmationIfMailable(ctx, row);
    return { awaitsConfirmation: true };
  }
  const now = ctx.clock.now();
  const isActive = outcome.status === "active";
  if (isActive) await removeOptOut(ctx, row.contact_id, row.list_id);
  else await requestConfirmationIfMailable(ctx, row);
  const changed = {
    ...row,
    status: outcome.status,
    status_reason: null,
    ...(isActive && { consented_at: now, unsubscribed_at: null }),
    updated_at: now,
  };
  await write(ctx, [changed], "subscriber.resubscribed", { status: outcome.status });
  await insertConsents(ctx, [
    {
      ...noEvidence(row.id, "granted"),
      attested,
      source: consent?.source ?? null,
      wording: consent?.wording ?? null,
      ip: consent?.ip ?? null,
    },
  ]);
  await wakeSubscribers(ctx, [id], "sign_up");
  return { awaitsConfirmation: !isActive };
}

async function write(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  type: NewEvent["type"],
  data: Record<string, unknown>,
): Promise<void> {
  await updateSubscribers(ctx, rows);
  await recordEvents(
    ctx,
    rows.map((row) => ({ type, data: { ...subjectOf(row), ...data } })),
  );
}

function noEvidence(subscriberId: string, action: NewConsent["action"]): NewConsent {
  return { subscriberId, action, attested: false, source: null, wording: null, ip: null };
}
