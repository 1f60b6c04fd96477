/** This file writes what belongs to added subscribers: consent, confirmations to be sent, events. */
import { type NewEvent, recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { PLAIN_NAMES, type SubscriberRow } from "../columns.ts";
import { askNewToConfirm, recordTrackingAnswers } from "../consent/consent.ts";
import type { ConsentInput } from "../schema.ts";
import { subjectOf, withFieldIds, withTagIds } from "../subject.ts";
import { insertConsents } from "../write-store.ts";

/** A client may change these columns. */
export const EDITABLE = ["email", ...PLAIN_NAMES, "fields", "tracking_consent"] as const;

export type Written = {
  row: SubscriberRow;
  isNew: boolean;
  /** These of its columns differ from before. */
  changed: readonly string[];
  /** Values of these custom fields differ. */
  fieldIds: readonly string[];
  /** It did not have these tags. */
  tagIds: readonly string[];
  /** Its caller asks it to confirm. */
  asksItself: boolean;
  consent: ConsentInput | undefined;
  givenAt: Date | undefined;
  trackingEvidence: ConsentInput | undefined;
};

export async function recordAdded(ctx: TxCtx, written: readonly Written[]): Promise<void> {
  const created = written.filter((one) => one.isNew);
  await insertConsents(
    ctx,
    created.map(({ row, consent, givenAt }) => ({
      subscriberId: row.id,
      action: "granted" as const,
      attested: consent?.attested ?? false,
      source: consent?.source ?? row.source,
      wording: consent?.wording ?? null,
      ip: consent?.ip ?? null,
      givenAt: givenAt ?? null,
    })),
  );
  const answered = written.filter(({ row, isNew, changed }) =>
    isNew ? row.tracking_consent !== null : changed.includes("tracking_consent"),
  );
  await recordTrackingAnswers(
    ctx,
    answered.map(({ row, isNew, givenAt, trackingEvidence: evidence }) => ({
      row,
      isNew,
      evidence,
      givenAt: givenAt ?? null,
      source: row.source,
    })),
  );
  const pending = created.filter(({ row, asksItself }) => row.status === "pending" && !asksItself);
  await askNewToConfirm(
    ctx,
    pending.map(({ row }) => row),
  );
  await recordEvents(ctx, written.flatMap(eventsOf));
}

function eventsOf({ row, isNew, changed, fieldIds, tagIds }: Written): NewEvent[] {
  const data = subjectOf(row);
  if (isNew)
    return [{ type: "subscriber.created", data: { ...data, status: row.status, ...withTagIds(tagIds) } }];
  return [
    ...(changed.length > 0
      ? [{ type: "subscriber.updated" as const, data: { ...data, changed, ...withFieldIds(fieldIds) } }]
      : []),
    ...tagIds.map((tagId) => ({
      type: "subscriber.tag_added" as const,
      data: { ...data, tag_id: toPublicId("tag", tagId) },
    })),
  ];
}
