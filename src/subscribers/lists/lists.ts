/** A list is what somebody subscribes to. */
import { readSenderAddresses, refuseInUse, type Unsigned } from "../../accounts/accounts.ts";
import { changedFields, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import { listNotEmpty } from "../problems.ts";
import { changeArchiveSlug } from "./archive-slugs.ts";
import {
  findList,
  insertList,
  type ListRow,
  type ListWithCounts,
  lockList,
  markListDeleted,
  removeListBatch,
  updateListRow,
} from "./list-store.ts";

export { findArchivedList } from "./archive-slugs.ts";
export { thinGrowthJob } from "./growth-thinning.ts";
export {
  countDoubleOptIn,
  countSubscribersOf,
  findList,
  findListIds,
  findListNamed,
  type ListRow,
  type ListWithCounts,
  listExists,
  listPublicLists,
  listWelcomingWith,
  shareLists,
} from "./list-store.ts";
export {
  findMadeUpPeople,
  findSampleList,
  keepSampleList,
  lockSampleList,
  removeMadeUpPeople,
  SAMPLE_SOURCE,
} from "./sample-list.ts";
export { findRoom, type SubscriberRoom } from "./subscriber-limit.ts";

const EDITABLE = [
  "name",
  "from_name",
  "from_email",
  "reply_to",
  "postal_address",
  "double_opt_in",
  "public",
  "tracking",
  "archive_slug",
  "archive_indexed",
  "welcome_template_id",
] as const;

export type ListInput = Partial<
  Omit<ListRow, "account_id" | "id" | "created_at" | "updated_at" | "updated_by">
>;

/** Every account begins with a list, so that a client can begin at once. */
export function createFirstList(ctx: TxCtx): Promise<ListWithCounts> {
  return createList(ctx, { name: "Newsletter" });
}

export async function createList(ctx: TxCtx, input: ListInput & { name: string }): Promise<ListWithCounts> {
  const { from_email, reply_to } = readAddresses(input);
  const now = ctx.clock.now();
  const made: Unsigned<ListRow> = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    name: input.name,
    from_name: input.from_name ?? null,
    from_email: from_email ?? null,
    reply_to: reply_to ?? null,
    postal_address: input.postal_address ?? null,
    double_opt_in: input.double_opt_in ?? false,
    public: input.public ?? false,
    tracking: input.tracking ?? null,
    archive_slug: input.archive_slug ?? null,
    archive_indexed: input.archive_indexed ?? false,
    welcome_template_id: input.welcome_template_id ?? null,
    is_sample: input.is_sample ?? false,
    created_at: now,
    updated_at: now,
  };
  const list = await insertList(ctx.sql, made, ctx.actor);
  await changeArchiveSlug(ctx, list.id, null, list.archive_slug);
  await recordEvent(ctx, { type: "list.created", data: { list_id: toPublicId("lst", list.id) } });
  return { ...list, counts: null };
}

export async function updateList(
  ctx: TxCtx,
  id: string,
  patch: ListInput,
  ifMatch: string | undefined,
): Promise<ListWithCounts> {
  const list = await lockList(ctx.sql, ctx.accountId, id);
  if (!list) throw missing("list");
  requireMatch(ifMatch, listEtag(list));
  const changed = { ...list, ...patch, ...readAddresses(patch), updated_at: ctx.clock.now() };
  const fields = changedFields(list, changed, EDITABLE);
  if (fields.length > 0) {
    await updateListRow(ctx.sql, changed, ctx.actor);
    await changeArchiveSlug(ctx, id, list.archive_slug, changed.archive_slug);
    const data = { list_id: toPublicId("lst", id), changed: fields };
    await recordEvent(ctx, { type: "list.updated", data });
  }
  const after = await findList(ctx.sql, ctx.accountId, id);
  if (!after) throw missing("list");
  return after;
}

/** The list is gone at once for everybody who looks; a job removes its subscribers, however many they are. */
export async function deleteList(ctx: TxCtx, id: string, force: boolean): Promise<void> {
  const locked = await lockList(ctx.sql, ctx.accountId, id);
  const list = locked && (await findList(ctx.sql, ctx.accountId, id));
  if (!list) throw missing("list");
  const subscribers = Object.values(list.counts ?? {}).reduce((sum, count) => sum + count, 0);
  if (subscribers > 0 && !force) {
    throw new AppError(
      listNotEmpty,
      `this would delete ${subscribers} subscriber${subscribers === 1 ? "" : "s"}; say ?force=true to do it`,
      { members: { would_delete: { subscribers } } },
    );
  }
  await refuseInUse(ctx.sql, ctx.accountId, { kind: "list", id });
  await changeArchiveSlug(ctx, id, list.archive_slug, null);
  await markListDeleted(ctx.sql, ctx.accountId, id, ctx.clock.now(), ctx.actor);
  await addJob(ctx.sql, removeListJob, { account_id: ctx.accountId, list_id: id });
  await recordEvent(ctx, { type: "list.deleted", data: { list_id: toPublicId("lst", id), subscribers } });
}

const REMOVED_AT_ONCE = 5_000;

export const removeListJob = defineJob<{ account_id: string; list_id: string }>({
  name: "remove_list",
  priority: 10,
  timeoutMs: 3_600_000,
  run: async ({ db, signal }, { account_id: accountId, list_id: listId }) => {
    for (;;) {
      const isDone = await db.transaction((tx) => removeListBatch(tx, accountId, listId, REMOVED_AT_ONCE));
      if (isDone) return;
      // What is left is done by the next run: each batch is complete in itself.
      signal.throwIfAborted();
    }
  },
});

export function listEtag(list: ListRow): string {
  return etagOf(Object.fromEntries(EDITABLE.map((name) => [name, list[name]])));
}

function readAddresses(input: ListInput): Pick<ListInput, "from_email" | "reply_to"> {
  const { addresses, faults } = readSenderAddresses(input);
  if (faults.length > 0) throw invalid(...faults);
  return addresses;
}
