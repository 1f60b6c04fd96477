/** This file reads whom a bulk change is for, and makes the condition of it when the change begins. */
import type { TxCtx } from "../../platform/context.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import type { Fault } from "../../platform/problems.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields } from "../fields/fields.ts";
import { listExists } from "../lists/lists.ts";
import { compileFor, findSegment } from "../segments/segments.ts";
import type { PageFilter } from "../subscriber-store.ts";
import { findTags, tagKey } from "../tags/tags.ts";
import { ChangeFault } from "./change-fault.ts";
import type { BulkFilter } from "./schema.ts";

type Plain = Omit<BulkFilter, "list_id" | "segment_id" | "tag">;

/** It names all by ids, so that no text of a person's is kept in it. */
export type StoredFilter = Plain & {
  readonly list_id?: string;
  readonly segment_id?: string;
  readonly tag_ids?: readonly string[];
};

export async function readBulkFilter(
  ctx: TxCtx,
  input: BulkFilter,
): Promise<{ filter: StoredFilter } | { faults: readonly Fault[] }> {
  const { list_id, segment_id, tag = [], ...plain } = input;
  const listId = list_id && fromPublicId("lst", list_id);
  const segmentId = segment_id && fromPublicId("seg", segment_id);
  const [hasList, segment, tags] = await Promise.all([
    listId ? listExists(ctx.sql, ctx.accountId, listId) : false,
    segmentId ? findSegment(ctx.sql, ctx.accountId, segmentId) : undefined,
    findTags(ctx.sql, ctx.accountId, tag.map(tagKey)),
  ]);
  const faults = [
    ...(list_id && !hasList ? [unknown("list_id", "list")] : []),
    ...(segment_id && !segment ? [unknown("segment_id", "segment")] : []),
    ...tag.flatMap((name, at) => (tags.has(tagKey(name)) ? [] : [unknown(`tag/${at}`, "tag")])),
  ];
  if (faults.length > 0) return { faults };
  const ids = [...new Set(tags.values())];
  return {
    filter: {
      ...plain,
      ...(listId && { list_id: listId }),
      ...(segmentId && { segment_id: segmentId }),
      ...(ids.length > 0 && { tag_ids: ids }),
    },
  };
}

function unknown(at: string, what: string): Fault {
  return { pointer: `/filter/${at}`, code: "not_found", detail: `there is no such ${what} in this account` };
}

/** Returns undefined where nobody can match. A list or a segment that went since is a fault: the filter would mean others. */
export async function compileFilter(
  ctx: TxCtx,
  filter: StoredFilter,
  sent: SentCampaigns,
): Promise<PageFilter | undefined> {
  const { list_id: listId, segment_id: segmentId } = filter;
  if (listId && !(await listExists(ctx.sql, ctx.accountId, listId)))
    throw new ChangeFault("list_deleted", "The list was deleted before the change began.");
  const segment = segmentId ? await findSegment(ctx.sql, ctx.accountId, segmentId) : undefined;
  if (segmentId && !segment)
    throw new ChangeFault("segment_deleted", "The segment was deleted before the change began.");
  if (segment?.list_id && listId && segment.list_id !== listId) return undefined;
  const ofList = listId ?? segment?.list_id ?? null;
  const fields = segment ? await allFields(ctx.sql, ctx.accountId) : [];
  return {
    listId: ofList ?? undefined,
    status: filter.status,
    tagIds: filter.tag_ids ?? [],
    createdAfter: filter.created_after,
    createdBefore: filter.created_before,
    updatedAfter: filter.updated_after,
    updatedBefore: filter.updated_before,
    heldBack: filter.held_back,
    segment: segment && (await compileFor(ctx, segment.rules, { fields, sent, listId: ofList })),
  };
}

export function showFilter(
  { list_id, segment_id, tag_ids, ...plain }: StoredFilter,
  tagNames: Readonly<Record<string, string>>,
): BulkFilter {
  return {
    ...plain,
    ...(list_id && { list_id: toPublicId("lst", list_id) }),
    ...(segment_id && { segment_id: toPublicId("seg", segment_id) }),
    ...(tag_ids && { tag: tag_ids.flatMap((id) => tagNames[id] ?? []) }),
  };
}
