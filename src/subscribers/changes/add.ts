/** This file adds subscribers, one or a thousand: the steps are the same, and each is one statement for all of them. */
import { signatureOf } from "../../accounts/accounts.ts";
import { changedFields } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { DbError } from "../../platform/db/errors.ts";
import { newId } from "../../platform/ids.ts";
import { NO_PLAIN_VALUES, type SubscriberRow } from "../columns.ts";
import {
  type DatedAddressHistory,
  readAddressHistory,
  reasonFromHistory,
  withAnswerDated,
} from "../consent/consent.ts";
import { ensureContacts, type HashAddress } from "../contact-store.ts";
import { allFields, changedValues, mergeSlots } from "../fields/fields.ts";
import { findRoom, type SubscriberRoom, shareLists } from "../lists/lists.ts";
import { firstStatus, type Status } from "../status.ts";
import { ensureTags, findTagKeys, insertTaggings, MOST_TAGS, tagKey } from "../tags/tags.ts";
import {
  findByContact,
  insertSubscribers,
  lockByContact,
  type Patience,
  shareContacts,
  updateSubscribers,
} from "../write-store.ts";
import type { Candidate } from "./input.ts";
import { EDITABLE, recordAdded, type Written } from "./record-added.ts";

export type OnConflict = "refuse" | "update" | "skip";

export type Added =
  | { readonly kind: "created" | "updated" | "kept" | "exists"; readonly id: string; readonly status: Status }
  | { readonly kind: "no_list" }
  | { readonly kind: "too_many_tags" }
  | { readonly kind: "no_room"; readonly room: SubscriberRoom };

/** This is a candidate whose list exists. */
type Wanted = { candidate: Candidate; index: number; contactId: string; doubleOptIn: boolean };

/** This is a subscriber as it will be written, with what is known of it on the way there. */
type Draft = {
  row: SubscriberRow;
  /** This is the row as it was found; it is undefined when the subscriber is new. */
  before: SubscriberRow | undefined;
  /** These are the keys of its tags, those to be added included. */
  tags: Set<string>;
  /** These tags are to be added: each name by its key. */
  newTags: Map<string, string>;
  /** These candidates asked for it; the first one stands in front. */
  wanted: Wanted[];
};

/** Says for each candidate, in order, what became of it. */
export async function addSubscribers(
  ctx: TxCtx,
  hash: HashAddress,
  candidates: readonly Candidate[],
  onConflict: OnConflict,
): Promise<readonly Added[]> {
  const results: Added[] = candidates.map(() => ({ kind: "no_list" }));
  const wanted = await findWanted(ctx, hash, candidates);
  const contactIds = wanted.map((one) => one.contactId);
  const drafts = new Map<string, Draft>();
  await loadExisting(ctx, wanted, drafts, onConflict, "wait");
  await shareContacts(ctx.sql, ctx.accountId, contactIds);
  const historyOf = await readAddressHistory(ctx, contactIds);
  for (const one of wanted) {
    const draft = drafts.get(pairOf(one));
    if (draft) results[one.index] = meetExisting(ctx, draft, one, onConflict);
    else {
      const row = newRow(ctx, one, historyOf(one.contactId, one.candidate.listId));
      drafts.set(pairOf(one), newDraft(row, one));
      results[one.index] = { kind: "created", id: row.id, status: row.status };
    }
  }
  await refuseBeyondLimit(ctx, drafts, results);
  const lost = await insertNew(ctx, drafts);
  await loadExisting(ctx, lost, drafts, onConflict, "take what is free");
  for (const one of lost) {
    // Somebody else added it between our look and our insert: it exists now, so its candidates meet it.
    const draft = drafts.get(pairOf(one));
    // It may be gone again, or locked, and to wait for it out of order could deadlock: the transaction begins again.
    if (!draft) throw new DbError("conflict", "a subscriber came and can't be had");
    results[one.index] = meetExisting(ctx, draft, one, onConflict);
  }
  await recordAdded(ctx, await writeChanges(ctx, [...drafts.values()]));
  return results;
}

/** The lists are locked against a delete, and every address gets its contact. */
async function findWanted(
  ctx: TxCtx,
  hash: HashAddress,
  candidates: readonly Candidate[],
): Promise<readonly Wanted[]> {
  const listIds = [...new Set(candidates.map((one) => one.listId))];
  const lists = new Map((await shareLists(ctx.sql, ctx.accountId, listIds)).map((list) => [list.id, list]));
  const listed = candidates.flatMap((candidate, index) => {
    const list = lists.get(candidate.listId);
    const hashed = hash(candidate.address.key);
    const doubleOptIn = candidate.doubleOptIn ?? list?.double_opt_in ?? false;
    return list ? [{ candidate, index, hashed, doubleOptIn }] : [];
  });
  const contacts = await ensureContacts(
    ctx,
    listed.map((one) => one.hashed),
  );
  return listed.map(({ hashed, ...one }) => ({
    ...one,
    contactId: contacts.get(hashed.toString("hex")) ?? "",
  }));
}

async function loadExisting(
  ctx: TxCtx,
  wanted: readonly Wanted[],
  drafts: Map<string, Draft>,
  onConflict: OnConflict,
  patience: Patience,
): Promise<void> {
  if (wanted.length === 0) return;
  const pairs = wanted.map(({ contactId, candidate }) => ({ contactId, listId: candidate.listId }));
  // Whoever only reads takes no locks, and so can't stand in anybody's way.
  const rows =
    onConflict === "update"
      ? await lockByContact(ctx.sql, ctx.accountId, pairs, patience)
      : await findByContact(ctx.sql, ctx.accountId, pairs);
  const addsTags = onConflict === "update" && wanted.some(({ candidate }) => candidate.tags.length > 0);
  const ids = addsTags ? rows.map((row) => row.id) : [];
  const tags = await findTagKeys(ctx.sql, ctx.accountId, ids);
  for (const row of rows) {
    const draft = {
      row,
      before: row,
      tags: new Set(tags.get(row.id)),
      newTags: new Map<string, string>(),
      wanted: [],
    };
    drafts.set(`${row.contact_id}/${row.list_id}`, draft);
  }
}

/**
 * The first ones that are new are taken as far as there is room; the others are refused, with whoever met them. A plan's number of contacts refuses
 * nobody who signs up: they won't come again, and what the account pays is no matter of theirs.
 */
async function refuseBeyondLimit(ctx: TxCtx, drafts: Map<string, Draft>, results: Added[]): Promise<void> {
  const fresh = [...drafts].filter(([, draft]) => !draft.before);
  const exceptPlan = fresh.every(([, { wanted }]) => wanted.every(({ candidate }) => candidate.isSignUp));
  const room = fresh.length > 0 ? await findRoom(ctx.sql, ctx.accountId, { exceptPlan }) : undefined;
  if (!room) return;
  for (const [pair, draft] of fresh.slice(room.left)) {
    drafts.delete(pair);
    for (const { index } of draft.wanted) results[index] = { kind: "no_room", room };
  }
}

/** Returns those for whom another transaction was faster; their drafts are gone. */
async function insertNew(ctx: TxCtx, drafts: Map<string, Draft>): Promise<readonly Wanted[]> {
  const fresh = [...drafts].filter(([, draft]) => !draft.before);
  const inserted = await insertSubscribers(
    ctx,
    fresh.map(([, draft]) => draft.row),
  );
  const lost = fresh.filter(([, draft]) => !inserted.has(draft.row.id));
  for (const [pair] of lost) drafts.delete(pair);
  return lost.flatMap(([, draft]) => draft.wanted);
}

function meetExisting(ctx: TxCtx, draft: Draft, one: Wanted, onConflict: OnConflict): Added {
  const { id, status } = draft.row;
  draft.wanted.push(one);
  if (onConflict === "refuse") return { kind: "exists", id, status };
  if (onConflict === "skip") return { kind: "kept", id, status };
  const { candidate } = one;
  const newTags = candidate.tags.filter((tag) => !draft.tags.has(tagKey(tag)));
  if (draft.tags.size + newTags.length > MOST_TAGS) return { kind: "too_many_tags" };
  // What was given is merged and tags are added, but the status stays, so that nobody is revived.
  const fields = mergeSlots(draft.row.fields, candidate.slots);
  const merged = { ...draft.row, ...candidate.profile, fields };
  draft.row = withAnswerDated(merged, draft.row, ctx.clock.now());
  addTags(draft, newTags);
  return { kind: "updated", id, status };
}

function newDraft(row: SubscriberRow, one: Wanted): Draft {
  const draft = { row, before: undefined, tags: new Set<string>(), newTags: new Map(), wanted: [one] };
  addTags(draft, one.candidate.tags);
  return draft;
}

function addTags(draft: Pick<Draft, "tags" | "newTags">, names: readonly string[]): void {
  for (const name of names) {
    draft.tags.add(tagKey(name));
    draft.newTags.set(tagKey(name), name);
  }
}

function newRow(
  ctx: TxCtx,
  { candidate, contactId, doubleOptIn }: Wanted,
  history: DatedAddressHistory,
): SubscriberRow {
  const now = ctx.clock.now();
  const status = firstStatus(history, doubleOptIn);
  const row = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    list_id: candidate.listId,
    contact_id: contactId,
    email: candidate.address.address,
    email_key: candidate.address.key,
    ...NO_PLAIN_VALUES,
    tracking_consent: null,
    tracking_consent_at: null,
    ...candidate.profile,
    fields: mergeSlots({}, candidate.slots),
    status,
    status_reason: reasonFromHistory(status, history),
    source: candidate.source ?? "api",
    consented_at: null,
    confirmed_at: null,
    unsubscribed_at: history.optedOutAt ?? null,
    created_at: now,
    updated_at: now,
    ...signatureOf(ctx.actor),
  };
  return withAnswerDated(row, undefined, now);
}

/** Writes what merged into existing rows, and all tags. A row to which nothing new was given isn't written. */
async function writeChanges(ctx: TxCtx, drafts: readonly Draft[]): Promise<Written[]> {
  const now = ctx.clock.now();
  const isMerged = drafts.some(({ row, before }) => before && before.fields !== row.fields);
  const fields = isMerged ? await allFields(ctx.sql, ctx.accountId) : [];
  const written = drafts.flatMap(({ row, before, newTags, wanted }) => {
    const changed = before ? changedFields(before, row, EDITABLE) : [];
    if (before && changed.length === 0 && newTags.size === 0) return [];
    const { consent, consentGivenAt: givenAt } = wanted[0]?.candidate ?? {};
    const asksItself = wanted[0]?.candidate.doubleOptIn !== undefined;
    const answering = wanted.findLast(({ candidate }) => candidate.profile.tracking_consent !== undefined);
    const trackingEvidence = answering?.candidate.trackingEvidence;
    const made = before ? { ...row, updated_at: now } : row;
    const fieldIds = before ? changedValues(fields, before.fields, row.fields) : [];
    return [
      {
        row: made,
        isNew: !before,
        changed,
        fieldIds,
        newTags,
        asksItself,
        consent,
        givenAt,
        trackingEvidence,
      },
    ];
  });
  await updateSubscribers(
    ctx,
    written.filter((one) => !one.isNew).map((one) => one.row),
  );
  const names = written.flatMap(({ newTags }) => [...newTags.values()]);
  const tagIds = await ensureTags(ctx, names);
  const taggings = written.flatMap(({ row, newTags }) =>
    [...newTags.keys()].flatMap((key) => {
      const tagId = tagIds.get(key);
      return tagId ? [{ subscriberId: row.id, tagId, listId: row.list_id, createdAt: row.created_at }] : [];
    }),
  );
  const tagged = await insertTaggings(ctx.sql, ctx.accountId, taggings);
  return written.map((one) => ({ ...one, tagIds: tagged.get(one.row.id) ?? [] }));
}

function pairOf({ contactId, candidate }: Wanted): string {
  return `${contactId}/${candidate.listId}`;
}
