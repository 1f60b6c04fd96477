/** A person moves to another address, which they have confirmed there: on every list at once. */

import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { DbError, isUniqueViolation } from "../../platform/db/errors.ts";
import type { SubscriberRow } from "../columns.ts";
import {
  askNewToConfirm,
  type DatedAddressHistory,
  readAddressHistory,
  reasonFromHistory,
} from "../consent/consent.ts";
import { ensureContacts, type HashAddress } from "../contact-store.ts";
import type { ConsentInput } from "../schema.ts";
import { firstStatus, graverStatus } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { listTopicChoices, setTopicChoices } from "../topics/topics.ts";
import { wakeContacts } from "../wake.ts";
import {
  findByContact,
  insertConsents,
  insertOptOuts,
  lockOfContacts,
  updateSubscribers,
} from "../write-store.ts";
import type { Candidate } from "./input.ts";
import { findPause, pauseContact } from "./pause.ts";

const SOURCE = "address_changed";

/**
 * Opt-outs and suppressions belong to the address: what stands against the new one still does, and what stood against the old one
 * stays. On a list whose mail the new address gets already, the old one leaves; one that the new address had left keeps the old one, or
 * the person would get it at neither. Answers whether anybody moved or left.
 */
export async function changeAddress(
  ctx: TxCtx,
  hash: HashAddress,
  contactId: string,
  address: Candidate["address"],
  evidence: Pick<ConsentInput, "source" | "wording" | "ip">,
): Promise<boolean> {
  const hashed = hash(address.key);
  const newId = (await ensureContacts(ctx, [hashed])).get(hashed.toString("hex")) ?? "";
  if (newId === contactId) return false;
  const rows = (await lockOfContacts(ctx.sql, ctx.accountId, [contactId, newId])).filter(
    (row) => row.contact_id === contactId,
  );
  if (rows.length === 0) return false;
  const pairs = rows.map((row) => ({ contactId: newId, listId: row.list_id }));
  const taken = await findByContact(ctx.sql, ctx.accountId, pairs);
  const takenLists = new Set(taken.map((row) => row.list_id));
  const history = await readAddressHistory(ctx, [newId]);
  const now = ctx.clock.now();
  const moving = rows.filter((row) => !takenLists.has(row.list_id));
  const moved = moving.map((row) =>
    moveRow({ ...row, email: address.address, email_key: address.key, contact_id: newId }, history, now),
  );
  const mailedLists = new Set(taken.filter(isMailed).map((row) => row.list_id));
  const leaving = rows.filter((row) => mailedLists.has(row.list_id) && isMailed(row));
  await write(ctx, [...moved, ...leaving.map((row) => leave(row, now))]);
  await insertOptOuts(
    ctx,
    SOURCE,
    [...leaving, ...moved.filter((row) => row.status === "unsubscribed")].map((row) => ({
      contactId: row.contact_id,
      listId: row.list_id,
      reason: null,
      at: now,
    })),
  );
  await recordEvents(ctx, [
    ...moved.map((row) => ({
      type: "subscriber.updated" as const,
      data: { ...subjectOf(row), changed: ["email"] },
    })),
    ...leaving.map((row) => ({
      type: "subscriber.unsubscribed" as const,
      data: { ...subjectOf(row), scope: "list" },
    })),
  ]);
  await insertConsents(
    ctx,
    moved
      .filter((row) => row.status === "active")
      .map((row) => ({
        subscriberId: row.id,
        action: "confirmed" as const,
        attested: false,
        source: evidence.source ?? SOURCE,
        wording: evidence.wording ?? null,
        ip: evidence.ip ?? null,
      })),
  );
  await askNewToConfirm(
    ctx,
    moved.filter((row) => row.status === "pending"),
  );
  await takeAlong(ctx, contactId, newId);
  // A list that the new address was on already gets no consent by this, so the sign is kept for it.
  await wakeContacts(ctx, [newId], "preferences", "keep");
  return true;
}

function isMailed({ status }: Pick<SubscriberRow, "status">): boolean {
  return status === "active" || status === "pending";
}

/** Who waited to confirm a list waits on: that the address is theirs says nothing of a list that somebody else may have typed them into. */
function moveRow(
  row: SubscriberRow,
  historyOf: (contactId: string, listId: string) => DatedAddressHistory,
  now: Date,
): SubscriberRow {
  const history = historyOf(row.contact_id, row.list_id);
  const first = firstStatus(history, false);
  const status = first === "active" ? row.status : graverStatus(isMailed(row) ? "active" : row.status, first);
  return {
    ...row,
    status,
    ...(status !== row.status && {
      status_reason: status === "active" ? null : (reasonFromHistory(status, history) ?? SOURCE),
    }),
    ...(status === "active" && { consented_at: now, confirmed_at: now }),
    unsubscribed_at: row.unsubscribed_at ?? history.optedOutAt ?? null,
    updated_at: now,
  };
}

function leave(row: SubscriberRow, now: Date): SubscriberRow {
  return { ...row, status: "unsubscribed", status_reason: SOURCE, unsubscribed_at: now, updated_at: now };
}

async function write(ctx: TxCtx, rows: readonly SubscriberRow[]): Promise<void> {
  try {
    await updateSubscribers(ctx, rows);
  } catch (error) {
    // Somebody took the address between our look and our write: the whole transaction begins again.
    if (isUniqueViolation(error, "subscribers_by_contact"))
      throw new DbError("conflict", "the address was taken");
    throw error;
  }
}

/** What the person chose goes along, for it was theirs and not the address's. */
async function takeAlong(ctx: TxCtx, contactId: string, newId: string): Promise<void> {
  const chosen = (await listTopicChoices(ctx.sql, ctx.accountId, contactId)).filter((one) => one.isChosen);
  const choices = chosen.map(({ id, isOn }) => ({ topicId: id, isOn }));
  if (choices.length > 0) await setTopicChoices(ctx, newId, choices, SOURCE);
  const until = await findPause(ctx.sql, ctx.accountId, contactId);
  if (until) await pauseContact(ctx, newId, until);
}
