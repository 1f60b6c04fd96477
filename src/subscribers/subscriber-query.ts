/** This file makes the parameters of `GET /v1/subscribers` into a filter. */
import { type Static, Type } from "typebox";
import type { Ctx } from "../platform/context.ts";
import { positionsUnsettled } from "../platform/http/paging/snapshot-cursor.ts";
import { PageQuery, Strict } from "../platform/http/schemas.ts";
import { fromPublicId } from "../platform/ids.ts";
import { AppError, invalidQuery, missing } from "../platform/problems.ts";
import type { SentCampaigns } from "./engagement/engagement.ts";
import { allFields } from "./fields/fields.ts";
import { listExists } from "./lists/lists.ts";
import { HeldBackFilter } from "./schema.ts";
import { compileFor, findSegment } from "./segments/segments.ts";

import { STATUSES } from "./status.ts";
import { type PageFilter, positionOf, type Sort, type SubscriberView } from "./subscriber-store.ts";
import { findTags, tagKey } from "./tags/tags.ts";

const Time = (description: string) => Type.Optional(Type.String({ format: "date-time", description }));

/** A malformed id is as good as an unknown one, so the schema lets it pass and the answer is 404. */
export const ListIdInQuery = Type.String({
  "x-id-prefix": "lst",
  description: "Of this list only.",
  examples: ["lst_01k9zq4t3xe8k8y0v6d3m2n1pq"],
});

const filters = {
  list_id: Type.Optional(ListIdInQuery),
  tag: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 10,
      description: "With this tag; repeated, with all of them.",
    }),
  ),
  segment_id: Type.Optional(
    Type.String({
      "x-id-prefix": "seg",
      description: "Of this segment only.",
      examples: ["seg_01k9zq4t3xe8k8y0v6d3m2n1pq"],
    }),
  ),
  created_after: Time("Made after this time."),
  created_before: Time("Made before this time."),
  updated_after: Time("Changed after this time."),
  updated_before: Time("Changed before this time."),
  held_back: Type.Optional(HeldBackFilter),
};

export const CountsQuery = Strict(filters);

export const SubscriberQuery = PageQuery({
  ...filters,
  status: Type.Optional(Type.Unsafe<string>({ type: "string", enum: [...STATUSES] })),
  sort: Type.String({
    default: "-created_at",
    pattern: "^[-+ ]?(created_at|updated_at)$|^email$",
    "x-error-detail": "must be one of -created_at, created_at, -updated_at, updated_at, email",
    description: "`-created_at`, `created_at`, `-updated_at`, `updated_at` or `email`.",
  }),
});
type SubscriberFilter = Static<typeof CountsQuery> & { status?: string };

/** A plus in a query is a space once it is decoded. */
export function readSort(text: string): Sort {
  return text.replace(/^[+ ]/, "") as Sort;
}

/** Returns undefined when nothing can match, as for a tag that nobody has. */
export async function readFilter(
  ctx: Ctx,
  query: SubscriberFilter,
  sent: SentCampaigns,
): Promise<PageFilter | undefined> {
  const segment = await readSegmentId(ctx, query.segment_id);
  const listId = await readListId(ctx, query.list_id);
  // A segment of one list looks at that list alone, so another list has nobody in it.
  if (segment?.list_id && listId && segment.list_id !== listId) return undefined;
  const ofList = listId ?? segment?.list_id ?? null;
  const fields = segment ? await allFields(ctx.sql, ctx.accountId) : [];
  const keys = (query.tag ?? []).map(tagKey);
  const tags = await findTags(ctx.sql, ctx.accountId, keys);
  if (keys.some((key) => !tags.has(key))) return undefined;
  return {
    listId: ofList ?? undefined,
    status: query.status,
    tagIds: [...new Set(tags.values())],
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    updatedAfter: query.updated_after,
    updatedBefore: query.updated_before,
    heldBack: query.held_back,
    segment: segment && (await compileFor(ctx, segment.rules, { fields, sent, listId: ofList })),
  };
}

/** An unknown id in a query, other than a list's, is answered with 400. */
async function readSegmentId(ctx: Ctx, given: string | undefined) {
  if (given === undefined) return undefined;
  const id = fromPublicId("seg", given);
  const row = id && (await findSegment(ctx.sql, ctx.accountId, id));
  if (!row) {
    throw new AppError(invalidQuery, "there is no such segment", {
      faults: [
        { parameter: "segment_id", code: "not_found", detail: "there is no such segment in this account" },
      ],
    });
  }
  return row;
}

/** An unknown list is answered with 404, in a query too. */
export async function readListId(ctx: Ctx, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const id = fromPublicId("lst", given);
  if (!id || !(await listExists(ctx.sql, ctx.accountId, id))) throw missing("list");
  return id;
}

/** Outer blanks are cut off; a space that is left was a plus that nobody encoded. */
export function readSearchedAddress(text: string): string {
  const trimmed = text.trim().replaceAll(" ", "+");
  if (trimmed) return trimmed;
  throw new AppError(invalidQuery, "say which address to look for", {
    faults: [{ parameter: "email", code: "required", detail: "is required" }],
  });
}

/** Returns where the page after this one begins. It must be asked before the page is read. */
export async function nextPosition(
  ctx: Ctx,
  sort: Sort,
): Promise<(row: SubscriberView) => readonly string[]> {
  const place = (row: SubscriberView) => positionOf(sort, row);
  return sort === "updated_at" ? positionsUnsettled(ctx, place) : place;
}
