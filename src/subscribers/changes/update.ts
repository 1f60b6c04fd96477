/**
 * This file changes what is known of a subscriber. Its row is locked and keeps its status, unless another address brings
 * a graver one.
 */
import { changedFields, recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { DbError, isUniqueViolation } from "../../platform/db/errors.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { type Fault, invalid } from "../../platform/problems.ts";
import { plainValuesOf, type SubscriberRow } from "../columns.ts";
import {
  readAddressHistory,
  reasonFromHistory,
  recordTrackingAnswers,
  requestConfirmationIfMailable,
  withAnswerDated,
} from "../consent/consent.ts";
import { ensureContacts, type HashAddress } from "../contact-store.ts";
import { allFields, changedValues, mergeSlots } from "../fields/fields.ts";
import { shareLists } from "../lists/lists.ts";
import { mustLockSubscriber } from "../lock-subscriber.ts";
import { existsAlready } from "../problems.ts";
import type { SubscriberPatch } from "../schema.ts";
import { firstStatus, graverStatus } from "../status.ts";
import { subjectOf, withFieldIds } from "../subject.ts";
import { findSubscriber, type SubscriberView } from "../subscriber-store.ts";
import { replaceTags } from "../tags/tags.ts";
import { findByContact, insertOptOut, shareContacts, updateSubscribers } from "../write-store.ts";
import { type Candidate, readAddress, readProfile } from "./input.ts";
import { EDITABLE } from "./record-added.ts";

/** `tags` replaces, `fields` merges, and null clears. A patch that changes nothing writes nothing. */
export async function updateSubscriber(
  ctx: TxCtx,
  hash: HashAddress,
  id: string,
  patch: SubscriberPatch,
  ifMatch: string | undefined,
): Promise<void> {
  const row = await mustLockSubscriber(ctx, id);
  if (ifMatch !== undefined) {
    const view = await findSubscriber(ctx.sql, ctx.accountId, id);
    if (view) requireMatch(ifMatch, subscriberEtag(view));
  }
  const { fields, tags, ...rest } = patch;
  const given = { ...rest, ...(fields && { fields }), ...(tags && { tags }) };
  const known = await allFields(ctx.sql, ctx.accountId);
  const profile = readProfile(given, known);
  const address = patch.email === undefined ? undefined : readAddress(patch.email, "/email");
  const faults = [
    ...readOnlyFaults(patch),
    ...(address && "fault" in address ? [address.fault] : []),
    ...profile.faults,
  ];
  if (faults.length > 0) throw invalid(...faults);

  const kept: SubscriberRow = {
    ...row,
    ...profile.profile,
    fields: fields === null ? {} : mergeSlots(row.fields, profile.slots),
  };
  const moved = address && "parsed" in address ? await moveToAddress(ctx, hash, kept, address.parsed) : kept;
  const { tracking_consent = moved.tracking_consent } = profile.profile;
  const changed = withAnswerDated({ ...moved, tracking_consent }, row, ctx.clock.now());
  const names = changedFields(row, changed, [...EDITABLE, "status"]);
  const written = { ...changed, updated_at: ctx.clock.now() };
  if (names.length > 0) await writeRow(ctx, written);
  if (names.includes("tracking_consent")) {
    const source = patch.tracking_consent === undefined ? "address_changed" : "api";
    const evidence = patch.tracking_evidence;
    await recordTrackingAnswers(ctx, [{ row: changed, isNew: false, evidence, source }]);
  }
  const tagEvents = tags === undefined ? [] : await replaceTags(ctx, changed, profile.tags);
  if (names.length === 0 && tagEvents.length === 0) return;
  if (names.length === 0) await writeRow(ctx, written);
  const fieldIds = names.includes("fields") ? changedValues(known, row.fields, changed.fields) : [];
  const all = [...names, ...(tagEvents.length > 0 ? ["tags"] : [])];
  await recordEvents(ctx, [
    { type: "subscriber.updated", data: { ...subjectOf(changed), changed: all, ...withFieldIds(fieldIds) } },
    ...tagEvents,
  ]);
}

async function writeRow(ctx: TxCtx, row: SubscriberRow): Promise<void> {
  try {
    await updateSubscribers(ctx, [row]);
  } catch (error) {
    // Somebody took the address between our look and our write: the whole transaction begins again.
    if (isUniqueViolation(error, "subscribers_by_contact"))
      throw new DbError("conflict", "the address was taken");
    throw error;
  }
}

function readOnlyFaults(patch: SubscriberPatch): readonly Fault[] {
  const fault = (field: string, detail: string): Fault => ({
    pointer: `/${field}`,
    code: "read_only",
    detail,
  });
  return [
    ...("list_id" in patch
      ? [fault("list_id", "add the address to the other list with POST /v1/subscribers")]
      : []),
    ...("status" in patch
      ? [fault("status", "use POST …/unsubscribe or …/resubscribe: a status changes only by what happened")]
      : []),
  ];
}

/** Consent and opt-outs belong to the address: another one brings its own, and what stood against the old one stays. */
async function moveToAddress(
  ctx: TxCtx,
  hash: HashAddress,
  row: SubscriberRow,
  address: Candidate["address"],
): Promise<SubscriberRow> {
  const moved = { ...row, email: address.address, email_key: address.key };
  if (address.key === row.email_key) return moved;
  const hashed = hash(address.key);
  const contactId = (await ensureContacts(ctx, [hashed])).get(hashed.toString("hex")) ?? "";
  // This takes no lock: we hold a row already, and two transactions that exchange addresses would deadlock.
  const [taken] = await findByContact(ctx.sql, ctx.accountId, [{ contactId, listId: row.list_id }]);
  if (taken) throw existsAlready(taken);
  const [list] = await shareLists(ctx.sql, ctx.accountId, [row.list_id]);
  await shareContacts(ctx.sql, ctx.accountId, [contactId]);
  const history = (await readAddressHistory(ctx, [contactId]))(contactId, row.list_id);
  const status = graverStatus(row.status, firstStatus(history, list?.double_opt_in ?? false));
  const next: SubscriberRow = {
    ...moved,
    contact_id: contactId,
    status,
    ...(status !== row.status && { status_reason: reasonFromHistory(status, history) ?? "address_changed" }),
    consented_at: null,
    confirmed_at: null,
    // Who refused to be tracked has refused, whatever the address.
    tracking_consent: row.tracking_consent === true ? null : row.tracking_consent,
    unsubscribed_at: row.unsubscribed_at ?? history.optedOutAt ?? null,
  };
  if (status === "pending") await requestConfirmationIfMailable(ctx, next);
  if (status === "unsubscribed") {
    const { list_id: listId } = row;
    await insertOptOut(ctx, {
      contactId,
      listId,
      reason: null,
      source: "address_changed",
      at: ctx.clock.now(),
    });
  }
  return next;
}

/** The etag covers what a client may edit, which the status isn't. */
export function subscriberEtag(view: SubscriberView): string {
  const { email, tags, fields, tracking_consent } = view;
  return etagOf({ email, ...plainValuesOf(view), tags, fields, tracking_consent });
}
