/** This file does to a slice of subscribers what the bulk change says. Each action is a few statements for all of them. */
import { type NewEvent, recordEvents } from "../../events/events.ts";
import { parseAddress } from "../../mail/addresses.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addSubscribers, deleteSubscribers } from "../changes/changes.ts";
import { plainValuesOf, type SubscriberRow } from "../columns.ts";
import { unsubscribeMany } from "../consent/consent.ts";
import type { HashAddress } from "../contact-store.ts";
import { findMadeUpPeople, shareLists } from "../lists/lists.ts";
import { subjectOf, withFieldIds } from "../subject.ts";
import {
  findTagKeys,
  findTagNames,
  findTagsOfMany,
  insertTaggings,
  MOST_TAGS,
  removeTaggingsOfMany,
} from "../tags/tags.ts";
import { touchSubscribers, updateSubscribers } from "../write-store.ts";
import type { StoredAction } from "./action.ts";
import type { BulkRow, UndoData } from "./bulk-store.ts";
import { ChangeFault } from "./change-fault.ts";
import { fieldValueOf, type Place, requireSlot, withFieldValue } from "./field-value.ts";

/** Who was changed and how to put it back, and how many can't have it. */
export type Applied = { readonly changed: ReadonlyMap<string, UndoData>; readonly failed: number };

type TagAction = Extract<StoredAction, { tag_ids: readonly string[] }>;
type FieldAction = Extract<StoredAction, { type: "set_field" }>;

export async function applyAction(
  ctx: TxCtx,
  hash: HashAddress,
  change: BulkRow,
  rows: readonly SubscriberRow[],
): Promise<Applied> {
  const { action } = change;
  const source = toPublicId("blk", change.id);
  switch (action.type) {
    case "add_tags":
      return addTags(ctx, action, rows);
    case "remove_tags":
      return removeTags(ctx, action, rows);
    case "set_field":
      return setField(ctx, action, rows);
    case "add_to_list":
      return copyToList(ctx, hash, action.list_id, source, rows);
    case "unsubscribe":
      return unconditionally(await unsubscribeMany(ctx, rows, source));
    case "delete":
      await deleteSubscribers(ctx, rows);
      return unconditionally(rows);
  }
}

/** Nothing is kept by which this could be put back. */
function unconditionally(rows: readonly SubscriberRow[]): Applied {
  return { changed: new Map(rows.map((row) => [row.id, {}])), failed: 0 };
}

async function addTags(ctx: TxCtx, action: TagAction, rows: readonly SubscriberRow[]): Promise<Applied> {
  const { fitting, failed } = await tagRows(ctx, rows, () => action.tag_ids);
  return { changed: new Map([...fitting].map(([id, tags]) => [id, { tags }])), failed };
}

/** Gives each row these tags, unless it would have too many, and says which were new. A tag that was deleted stays away. */
export async function tagRows(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  tagsOf: (id: string) => readonly string[],
): Promise<{ fitting: ReadonlyMap<string, readonly string[]>; failed: number }> {
  const wanted = [...new Set(rows.flatMap((row) => [...tagsOf(row.id)]))];
  const living = await findTagNames(ctx.sql, ctx.accountId, wanted);
  const present = await findTagsOfMany(
    ctx.sql,
    ctx.accountId,
    rows.map((row) => row.id),
  );
  let failed = 0;
  const taggings = rows.flatMap((row) => {
    const had = present.get(row.id) ?? [];
    const fresh = tagsOf(row.id).filter((tagId) => living.has(tagId) && !had.includes(tagId));
    if (fresh.length > 0 && had.length + fresh.length > MOST_TAGS) {
      failed++;
      return [];
    }
    return fresh.map((tagId) => ({
      subscriberId: row.id,
      tagId,
      listId: row.list_id,
      createdAt: row.created_at,
    }));
  });
  const fitting = await insertTaggings(ctx.sql, ctx.accountId, taggings);
  await recordTagged(ctx, rows, fitting, "subscriber.tag_added");
  return { fitting, failed };
}

async function removeTags(ctx: TxCtx, action: TagAction, rows: readonly SubscriberRow[]): Promise<Applied> {
  const removed = await untagRows(ctx, rows, () => action.tag_ids);
  return { changed: new Map([...removed].map(([id, tags]) => [id, { tags }])), failed: 0 };
}

export async function untagRows(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  tagsOf: (id: string) => readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const pairs = rows.flatMap((row) => tagsOf(row.id).map((tagId) => ({ subscriberId: row.id, tagId })));
  const removed = await removeTaggingsOfMany(ctx.sql, ctx.accountId, pairs);
  await recordTagged(ctx, rows, removed, "subscriber.tag_removed");
  return removed;
}

async function recordTagged(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  tagged: ReadonlyMap<string, readonly string[]>,
  type: NewEvent["type"],
): Promise<void> {
  await touchSubscribers(ctx, [...tagged.keys()]);
  await recordEvents(
    ctx,
    rows.flatMap((row) =>
      (tagged.get(row.id) ?? []).map((tagId) => ({
        type,
        data: { ...subjectOf(row), tag_id: toPublicId("tag", tagId) },
      })),
    ),
  );
}

export async function setField(
  ctx: TxCtx,
  action: FieldAction,
  rows: readonly SubscriberRow[],
): Promise<Applied> {
  const place = await requireSlot(ctx, action);
  const differing = rows.filter((row) => fieldValueOf(row, place) !== action.value);
  await writeValues(
    ctx,
    differing.map((row) => withFieldValue(row, place, action.value)),
    place,
  );
  return { changed: new Map(differing.map((row) => [row.id, { was: fieldValueOf(row, place) }])), failed: 0 };
}

export async function writeValues(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  { column, fieldId }: Place,
): Promise<void> {
  const changed = [column ?? "fields"];
  const fieldIds = fieldId === undefined ? [] : [fieldId];
  const now = ctx.clock.now();
  await updateSubscribers(
    ctx,
    rows.map((row) => ({ ...row, updated_at: now })),
  );
  await recordEvents(
    ctx,
    rows.map((row) => ({
      type: "subscriber.updated" as const,
      data: { ...subjectOf(row), changed, ...withFieldIds(fieldIds) },
    })),
  );
}

/**
 * Only who is active is copied: who left one list, or never confirmed it, has not asked for another. With `address`, custom fields and tags
 * stay behind.
 */
export async function copyToList(
  ctx: TxCtx,
  hash: HashAddress,
  listId: string,
  source: string,
  rows: readonly SubscriberRow[],
  what: "address" | "everything" = "everything",
): Promise<Applied> {
  const [list] = await shareLists(ctx.sql, ctx.accountId, [listId]);
  if (!list) throw new ChangeFault("list_deleted", "The list to copy to was deleted.");
  // Made-up people stay where their mail can't leave by a real server, and where they are removed with the rest.
  const madeUp = await findMadeUpPeople(ctx.sql, ctx.accountId);
  const active = rows.filter(
    (row) => row.status === "active" && row.list_id !== listId && !madeUp.has(row.id),
  );
  const tags = await findTagKeys(
    ctx.sql,
    ctx.accountId,
    active.map((row) => row.id),
  );
  const candidates = active.flatMap((row) => {
    const address = parseAddress(row.email);
    if (!address.ok) return [];
    const profile = { ...plainValuesOf(row), tracking_consent: row.tracking_consent };
    const known =
      what === "address"
        ? { profile, slots: {}, tags: [] }
        : { profile, slots: row.fields, tags: tags.get(row.id) ?? [] };
    const evidence = { consent: undefined, trackingEvidence: undefined };
    return [{ of: row.id, candidate: { address, listId, source, ...known, ...evidence } }];
  });
  const added = await addSubscribers(
    ctx,
    hash,
    candidates.map(({ candidate }) => candidate),
    "skip",
  );
  const copies = candidates.flatMap(({ of }, at) => {
    const one = added[at];
    return one?.kind === "created" ? [[of, { copy: one.id }] as const] : [];
  });
  const failed = added.filter(({ kind }) => kind === "no_room").length;
  return { changed: new Map(copies), failed };
}
