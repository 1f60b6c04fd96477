import { type Static, Type } from "typebox";
import type { Ctx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import {
  BodyId,
  Nullable,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields } from "../fields/fields.ts";
import { Subscriber } from "../schema.ts";
import { shapeSubscriber } from "../shape.ts";
import { findSubscribers } from "../subscriber-store.ts";
import { campaignOf } from "./engagement-rules.ts";
import { BUILT_IN, type Rule } from "./rules.ts";
import { countSegments, findSegment, listSegments, namesOfLists, type SegmentRow } from "./segment-store.ts";
import {
  createSegment,
  deleteSegment,
  previewRule,
  readSegment,
  segmentEtag,
  showRule,
  updateSegment,
} from "./segments.ts";
import { engagementIn } from "./sent-sources.ts";
import { describeRule, type Names } from "./sentence.ts";

const example = {
  all: [
    { field: "status", op: "is", value: "active" },
    {
      any: [
        { field: "tag", op: "has", value: "vip" },
        { field: "created_at", op: "in_last_days", value: 30 },
      ],
    },
  ],
};
/** The rules are read by `rules.ts`, which names each fault at its place. */
const Rules = Type.Unsafe<unknown>({
  type: "object",
  additionalProperties: true,
  description:
    "A tree of `{all: […]}`, `{any: […]}`, `{not: …}` over conditions `{field, op, value}`. Fields: " +
    `${Object.keys(BUILT_IN).join(", ")}, and ` +
    "`fields.<key>`. Text: is, is_not, contains, not_contains, starts_with, ends_with, one_of. Numbers: is, is_not, above, " +
    "below, at_least, at_most, between. Dates and times: before, after, between, in_last_days and so on. All but status, " +
    "tag and list: is_set, is_not_set. At most 8 deep and 100 conditions, 20 of them about mail. Mail: `sent` (campaign, not_campaign), `opened` and " +
    "`clicked` (campaign, not_campaign, any_of_last, none_of_last, in_last_days, not_in_last_days; clicked also link, " +
    "not_link), with a campaign's id, a number of campaigns (1 to 50, of the subscriber's list) or days, or for a link " +
    "`{campaign_id, url}`. Only what people did counts, unless `machines` is true. A negative one, and a `not` around one, " +
    "matches nobody whose opens or clicks couldn't be seen: who got no tracked mail, or whose images Apple fetches ahead.",
  examples: [example, { field: "opened", op: "not_in_last_days", value: 90 }],
});
const Name = Type.String({ minLength: 1, maxLength: 200, examples: ["New or important"] });

const Segment = Type.Object(
  {
    object: Type.Literal("segment"),
    id: PublicId("seg"),
    name: Name,
    list_id: Nullable(PublicId("lst")),
    rules: Rules,
    sentence: Type.String({ description: "The rules in plain English." }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Segment" },
);
type Segment = Static<typeof Segment>;

const ListId = Type.Optional(Nullable(BodyId("lst", "Of this list only; null is every list.")));
const SegmentCreate = Strict(
  { name: Name, list_id: ListId, rules: Rules },
  { title: "SegmentCreate", examples: [{ name: "New or important", rules: example }] },
);
const SegmentPatch = Strict(
  { name: Type.Optional(Name), list_id: ListId, rules: Type.Optional(Rules) },
  { title: "SegmentPatch", examples: [{ name: "New and important" }] },
);
const SegmentPreviewInput = Strict(
  { list_id: ListId, rules: Rules },
  { title: "SegmentPreviewInput", examples: [{ rules: example }] },
);
const SegmentPreview = Type.Object(
  {
    object: Type.Literal("segment_preview"),
    count: Type.Integer({ description: "How many subscribers match now." }),
    sentence: Type.String(),
    sample: Type.Array(Subscriber, { description: "The newest ten of them." }),
  },
  { title: "SegmentPreview" },
);

const Params = Strict({ id: PublicId("seg") });
const tag = "Segments";
const read = "subscribers:read";
const write = "subscribers:write";

export function segmentRoutes(sent: SentCampaigns): readonly Route[] {
  return [
    readRoute({
      path: "/v1/segments",
      scope: read,
      tag,
      summary: "List segments",
      description: "Newest first.",
      query: PageQuery({}),
      success: { status: 200, schema: Page(Segment, "SegmentPage"), description: "A page of segments." },
      handler: (call) =>
        pageByAge(call, {
          list: async (db, accountId, page) => {
            const rows = await listSegments(db, accountId, page);
            const names = await loadNames(
              call.ctx,
              sent,
              rows.map(({ rules }) => rules),
            );
            return rows.map((row) => ({ ...row, names }));
          },
          count: countSegments,
          shape: (row) => shape(row, row.names),
        }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/segments",
      scope: write,
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
      tag,
      summary: "Try rules out",
      description: "Counts who matches now and shows the newest ten. Nothing is stored.",
      body: SegmentPreviewInput,
      success: { status: 200, schema: SegmentPreview, description: "How many, who, and the rules in words." },
      async handler({ ctx, body }) {
        const { rule, listId = null, fields } = await readSegment(ctx, body, sent);
        if (!rule) throw new Error("the schema requires rules");
        const { count, sampleIds } = await previewRule(ctx, rule, { fields, sent, listId });
        const rows = await findSubscribers(ctx.sql, ctx.accountId, sampleIds);
        return {
          status: 200,
          body: {
            object: "segment_preview" as const,
            count,
            sentence: describeRule(rule, await loadNames(ctx, sent, [rule])),
            sample: rows.map((row) => shapeSubscriber(row, fields)),
          },
          subjects: rows.map((row) => row.contact_id),
        };
      },
    }),
    readRoute({
      path: "/v1/segments/:id",
      scope: read,
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
      tag,
      summary: "Delete a segment",
      description: "Its subscribers stay.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
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

function shape(row: SegmentRow, names: Names): Segment {
  return {
    object: "segment",
    id: toPublicId("seg", row.id),
    name: row.name,
    list_id: row.list_id && toPublicId("lst", row.list_id),
    rules: showRule(row.rules, names.fields),
    sentence: describeRule(row.rules, names),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
