/** A tag is a word that an account puts on its subscribers. */
import { type NewEvent, recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { type Fault, invalid } from "../../platform/problems.ts";
import type { SubscriberRow } from "../columns.ts";
import { mustLockSubscriber } from "../lock-subscriber.ts";
import { subjectOf } from "../subject.ts";
import { updateSubscribers } from "../write-store.ts";
import {
  ensureTags,
  findTagIds,
  findTags,
  insertTaggings,
  insertTagOfMany,
  MOST_TAGS,
  removeTaggings,
  tagKey,
} from "./tag-store.ts";

export {
  countTags,
  ensureTags,
  findTagKeys,
  findTagNames,
  findTags,
  findTagsOfMany,
  insertTag,
  insertTaggings,
  listTags,
  MOST_TAGS,
  removeTaggingsOfMany,
  removeTagsNaming,
  type TagRow,
  tagKey,
} from "./tag-store.ts";

export function tooManyTags(pointer: string): Fault {
  return { pointer, code: "too_many", detail: `a subscriber may have ${MOST_TAGS} tags` };
}

/** Tags are trimmed, and each is taken once, whatever the case it was written in. */
export function readTags(
  given: readonly string[],
  pointer: string,
): { tags: readonly string[]; faults: readonly Fault[] } {
  const byKey = new Map<string, string>();
  const faults: Fault[] = [];
  given.forEach((tag, index) => {
    const key = tagKey(tag);
    if (key === "")
      faults.push({ pointer: `${pointer}/${index}`, code: "required", detail: "must not be blank" });
    else if (!byKey.has(key)) byKey.set(key, tag.trim());
  });
  return { tags: [...byKey.values()], faults };
}

/** To add a tag that is there, or to remove one that isn't, is no change. A tag in both lists is added. */
export async function changeTags(
  ctx: TxCtx,
  id: string,
  change: { add: readonly string[]; remove: readonly string[] },
): Promise<void> {
  const row = await mustLockSubscriber(ctx, id);
  const add = readTags(change.add, "/add");
  const remove = readTags(change.remove, "/remove");
  if (add.faults.length + remove.faults.length > 0) throw invalid(...add.faults, ...remove.faults);
  const wanted = new Set((await ensureTags(ctx, add.tags)).values());
  const unwanted = await findTags(ctx.sql, ctx.accountId, remove.tags.map(tagKey));
  const events = await applyTags(
    ctx,
    row,
    [...wanted],
    [...unwanted.values()].filter((tagId) => !wanted.has(tagId)),
  );
  if ((await findTagIds(ctx.sql, ctx.accountId, id)).length > MOST_TAGS) throw invalid(tooManyTags("/add"));
  if (events.length === 0) return;
  await updateSubscribers(ctx, [{ ...row, updated_at: ctx.clock.now() }]);
  await recordEvents(ctx, events);
}

/** Gives many subscribers one tag, and returns how many didn't have it. Who is gone, or has too many tags, is left out. */
export async function tagSubscribers(
  ctx: TxCtx,
  tagId: string,
  subscriberIds: readonly string[],
): Promise<number> {
  if (subscriberIds.length === 0) return 0;
  const added = await insertTagOfMany(ctx, tagId, subscriberIds);
  const tag_id = toPublicId("tag", tagId);
  await recordEvents(
    ctx,
    added.map((row) => ({ type: "subscriber.tag_added" as const, data: { ...subjectOf(row), tag_id } })),
  );
  return added.length;
}

/** The subscriber has exactly these tags from now on. The events are returned, to be recorded with the rest of the change. */
export async function replaceTags(
  ctx: TxCtx,
  row: SubscriberRow,
  names: readonly string[],
): Promise<readonly NewEvent[]> {
  const keep = new Set((await ensureTags(ctx, names)).values());
  const current = await findTagIds(ctx.sql, ctx.accountId, row.id);
  return applyTags(
    ctx,
    row,
    [...keep],
    current.filter((tagId) => !keep.has(tagId)),
  );
}

async function applyTags(
  ctx: TxCtx,
  row: SubscriberRow,
  add: readonly string[],
  remove: readonly string[],
): Promise<readonly NewEvent[]> {
  const { id, list_id: listId, created_at: createdAt } = row;
  const removed = await removeTaggings(ctx.sql, ctx.accountId, id, remove);
  const added = await insertTaggings(
    ctx.sql,
    ctx.accountId,
    add.map((tagId) => ({ subscriberId: id, tagId, listId, createdAt })),
  );
  const event = (type: NewEvent["type"], tagId: string): NewEvent => ({
    type,
    data: { ...subjectOf(row), tag_id: toPublicId("tag", tagId) },
  });
  return [
    ...(added.get(id) ?? []).map((tagId) => event("subscriber.tag_added", tagId)),
    ...removed.map((tagId) => event("subscriber.tag_removed", tagId)),
  ];
}
