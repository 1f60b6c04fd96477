import { inUse, shapeUpdatedBy } from "../../accounts/accounts.ts";
import type { Ctx } from "../../platform/context.ts";
import { CHANGES_NOTHING } from "../../platform/http/audit.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { Page, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields } from "../fields/fields.ts";
import { shapeSubscriber } from "../shape.ts";
import { findSubscribers } from "../subscriber-store.ts";
import { campaignOf } from "./engagement-rules.ts";
import { previewRule } from "./preview.ts";
import { listsIn, type Rule } from "./rules.ts";
import {
  Segment,
  SegmentCreate,
  SegmentPatch,
  SegmentPreview,
  SegmentPreviewInput,
  SegmentQuery,
} from "./schema.ts";
import { countSegments, findSegment, listSegments, namesOfLists, type SegmentRow } from "./segment-store.ts";
import {
  createSegment,
  deleteSegment,
  readSegment,
  segmentEtag,
  showRule,
  updateSegment,
} from "./segments.ts";
import { engagementIn } from "./sent-sources.ts";
import { describeRule, type Names } from "./sentence.ts";

const Params = Strict({ id: PublicId("seg") });
const tag = "Segments";
const read = "subscribers:read";
const write = "subscribers:write";

export function segmentRoutes(sent: SentCampaigns): readonly Route[] {
  return [
    readRoute({
      path: "/v1/segments",
      scope: "lists:read",
      tag,
      summary: "List segments",
      description: "Newest first.",
      query: SegmentQuery,
      success: { status: 200, schema: Page(Segment, "SegmentPage"), description: "A page of segments." },
      handler: (call) =>
        pageByAge(call, {
          list: async (db, accountId, page) => {
            const rows = await listSegments(db, accountId, call.query.q, page);
            const names = await loadNames(
              call.ctx,
              sent,
              rows.map(({ rules }) => rules),
            );
            return rows.map((row) => ({ ...row, names }));
          },
          count: (db, accountId) => countSegments(db, accountId, call.query.q),
          shape: (row) => shape(row, row.names),
        }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/segments",
      scope: write,
      audit: { action: "segment.created", of: "answer" },
      tag,
      summary: "Make a segment",
      body: SegmentCreate,
      success: { status: 201, schema: Segment, description: "The segment." },
      async handler({ ctx, body, baseUrl }) {
        const row = await createSegment(ctx, body, sent);
        const segment = shape(row, await loadNames(ctx, sent, [row.rules]));
        return {
          status: 201,
          body: segment,
          headers: { location: `${baseUrl}/v1/segments/${segment.id}` },
          etag: segmentEtag(row),
        };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/segments/preview",
      scope: read,
      worksWhileHeld: true,
      audit: CHANGES_NOTHING,
      tag,
      summary: "Try rules out",
      description:
        "Counts who matches now and shows the newest ten. Nothing is stored. What takes longer than a statement may take is " +
        "answered with null instead.",
      body: SegmentPreviewInput,
      success: { status: 200, schema: SegmentPreview, description: "How many, who, and the rules in words." },
      // Each statement has a connection of its own here, so that one which takes too long spoils no other.
      async prepare({ ctx, body }) {
        const { rule, listId = null, fields } = await readSegment(ctx, body, sent);
        if (!rule) throw new Error("the schema requires rules");
        const preview = await previewRule(ctx, rule, { fields, sent, listId }, body.include_steps);
        return { rule, fields, preview, names: await loadNames(ctx, sent, [rule]) };
      },
      async handler({ ctx }, { rule, fields, preview, names }) {
        const { count, sampleIds, steps } = preview;
        const rows = sampleIds && (await findSubscribers(ctx.sql, ctx.accountId, sampleIds));
        return {
          status: 200,
          body: {
            object: "segment_preview" as const,
            count,
            sentence: describeRule(rule, names),
            names: namesIn(rule, names),
            sample: rows?.map((row) => shapeSubscriber(row, fields)) ?? null,
            steps,
          },
          subjects: (rows ?? []).map((row) => row.contact_id),
        };
      },
    }),
    readRoute({
      path: "/v1/segments/:id",
      scope: "lists:read",
      tag,
      summary: "Get a segment",
      params: Params,
      success: { status: 200, schema: Segment, description: "The segment." },
      async handler({ ctx, params }) {
        const row = await findSegment(ctx.sql, ctx.accountId, requireId("seg", params.id, "segment"));
        if (!row) throw missing("segment");
        return {
          status: 200,
          body: shape(row, await loadNames(ctx, sent, [row.rules])),
          etag: segmentEtag(row),
        };
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/segments/:id",
      scope: write,
      audit: { action: "segment.updated", of: "path" },
      tag,
      summary: "Change a segment",
      params: Params,
      body: SegmentPatch,
      success: { status: 200, schema: Segment, description: "The segment as it now is." },
      async handler({ ctx, params, body, ifMatch }) {
        const row = await updateSegment(ctx, requireId("seg", params.id, "segment"), body, ifMatch, sent);
        return {
          status: 200,
          body: shape(row, await loadNames(ctx, sent, [row.rules])),
          etag: segmentEtag(row),
        };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/segments/:id",
      scope: write,
      audit: { action: "segment.deleted", of: "path" },
      tag,
      summary: "Delete a segment",
      description: "Its subscribers stay. One that a live automation names is 409 `in_use`.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      problems: [inUse],
      async handler({ ctx, params }) {
        await deleteSegment(ctx, requireId("seg", params.id, "segment"));
        return { status: 204 };
      },
    }),
  ];
}

/** Rules refer to fields, lists and campaigns by id; their names are read once for any number of segments. */
async function loadNames(ctx: Ctx, sent: SentCampaigns, rules: readonly Rule[]): Promise<Names> {
  const named = rules.flatMap(engagementIn).flatMap((condition) => campaignOf(condition) ?? []);
  const [fields, lists, campaigns] = await Promise.all([
    allFields(ctx.sql, ctx.accountId),
    namesOfLists(ctx.sql, ctx.accountId),
    sent.findNames(ctx.sql, ctx.accountId, [...new Set(named)]),
  ]);
  return { fields, lists: new Map(lists.map(({ id, name }) => [id, name])), campaigns };
}

/** What is called what, of all that these rules mention. */
function namesIn(rule: Rule, { lists, campaigns }: Names): Record<string, string> {
  const known = (
    prefix: "lst" | "cmp",
    ids: readonly (string | null)[],
    names: ReadonlyMap<string, string>,
  ) =>
    ids.flatMap((id) => {
      const name = id === null ? undefined : names.get(id);
      return id !== null && name !== undefined ? [[toPublicId(prefix, id), name]] : [];
    });
  return Object.fromEntries([
    ...known("lst", listsIn(rule), lists),
    ...known("cmp", engagementIn(rule).map(campaignOf), campaigns),
  ]);
}

function shape(row: SegmentRow, names: Names): Segment {
  return {
    object: "segment",
    id: toPublicId("seg", row.id),
    name: row.name,
    list_id: row.list_id && toPublicId("lst", row.list_id),
    rules: showRule(row.rules, names.fields),
    sentence: describeRule(row.rules, names),
    names: namesIn(row.rules, names),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}
