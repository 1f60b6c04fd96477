import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { createAuditRecorder } from "../../audit/audit.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { hasScope, refuseMissingScope } from "../../platform/http/access-control.ts";
import type { AuditRecord } from "../../platform/http/audit.ts";
import { auditOrigin } from "../../platform/http/audit-records.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Call, type Principal, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { clientOf } from "../../platform/http/route-call.ts";
import {
  BodyId,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { AppError, missing, notFound } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import {
  countExports,
  EXPORT_RESOURCES,
  type ExportRow,
  findExport,
  listExports,
  removeExport,
} from "./export-store.ts";
import {
  type CampaignRecipients,
  createExport,
  exportLines,
  exportLink,
  openExportLink,
  RECIPIENT_EVENTS,
  type RecipientEvent,
} from "./exports.ts";

const Event = oneOf(RECIPIENT_EVENTS, {
  description: "Only those recipients of the campaign to whom this happened, with first when and how often.",
});
const Resource = oneOf(EXPORT_RESOURCES, {
  description:
    "What the rows are; found out from what you name. `suppressions` are those of the whole account, and take the scope " +
    "`suppressions:read` too.",
});
const Export = Type.Object(
  {
    object: Type.Literal("export"),
    id: PublicId("exp"),
    resource: Resource,
    list_id: Nullable(PublicId("lst")),
    segment_id: Nullable(PublicId("seg")),
    campaign_id: Nullable(PublicId("cmp")),
    event: Type.Unsafe<RecipientEvent | null>({
      type: ["string", "null"],
      enum: [...RECIPIENT_EVENTS, null],
    }),
    include_machines: Type.Boolean(),
    download_url: Nullable(
      Type.String({
        description:
          "The CSV, for whoever has this link, until it expires; null once it has, or for a key that may not read what is in it.",
      }),
    ),
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Export" },
);

const ExportCreate = Strict(
  {
    resource: Type.Optional(Resource),
    list_id: Type.Optional(BodyId("lst")),
    segment_id: Type.Optional(BodyId("seg")),
    campaign_id: Type.Optional(BodyId("cmp", "Those it went to, with what became of each.")),
    event: Type.Optional(Event),
    include_machines: Type.Optional(
      Type.Boolean({ description: "Whether to have those too whose mail only machines opened or clicked." }),
    ),
  },
  { title: "ExportCreate", examples: [{ list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq" }] },
);
const Params = Strict({ id: PublicId("exp") });
const tag = "Exports";
const SUPPRESSIONS = "suppressions:read";

function mayRead(principal: Principal, { resource }: ExportRow): boolean {
  return resource !== "suppressions" || hasScope(principal, SUPPRESSIONS);
}

export function exportRoutes(secrets: Secrets, campaigns: CampaignRecipients): readonly Route[] {
  const shape = (
    row: ExportRow,
    { baseUrl, principal, ctx }: Pick<Call<unknown, unknown, unknown, Ctx>, "baseUrl" | "principal" | "ctx">,
  ): Static<typeof Export> => ({
    object: "export",
    id: toPublicId("exp", row.id),
    resource: row.resource,
    list_id: row.list_id && toPublicId("lst", row.list_id),
    segment_id: row.segment_id && toPublicId("seg", row.segment_id),
    campaign_id: row.campaign_id && toPublicId("cmp", row.campaign_id),
    event: row.event,
    include_machines: row.include_machines,
    // Whoever has the link has the file, so it is only for those who may read what is in it.
    download_url:
      row.expires_at > ctx.clock.now() && mayRead(principal, row) ? exportLink(secrets, baseUrl, row) : null,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  });
  return [
    readRoute({
      path: "/v1/exports",
      scope: "subscribers:export",
      tag,
      summary: "List exports",
      description: "Newest first.",
      query: PageQuery({}),
      success: { status: 200, schema: Page(Export, "ExportPage"), description: "A page of exports." },
      handler: (call) =>
        pageByAge(call, {
          list: listExports,
          count: countExports,
          shape: (row) => shape(row, call),
        }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/exports",
      worksWhileHeld: true,
      scope: "subscribers:export",
      audit: { action: "export.created", of: "answer" },
      tag,
      summary: "Export a list, a segment, a campaign's recipients or the suppressions",
      description:
        "The answer has a link to the CSV that is good for 24 hours. The rows are read when the link is followed. Cells that a " +
        "spreadsheet might run have an apostrophe before them, which our import takes off again.",
      body: ExportCreate,
      shownOnce: ["download_url"],
      success: { status: 201, schema: Export, description: "The export, ready to download." },
      async handler(call) {
        const { ctx, body, baseUrl, principal } = call;
        if (body.resource === "suppressions") refuseMissingScope(principal, SUPPRESSIONS);
        const row = await createExport(ctx, campaigns, body);
        const shaped = shape(row, call);
        return { status: 201, body: shaped, headers: { location: `${baseUrl}/v1/exports/${shaped.id}` } };
      },
    }),
    readRoute({
      path: "/v1/exports/:id",
      scope: "subscribers:export",
      tag,
      summary: "Get an export",
      params: Params,
      success: { status: 200, schema: Export, description: "The export." },
      async handler(call) {
        const { ctx, params, principal } = call;
        const row = await findExport(ctx.sql, ctx.accountId, requireId("exp", params.id, "export"));
        if (!row) throw missing("export");
        if (!mayRead(principal, row)) refuseMissingScope(principal, SUPPRESSIONS);
        return { status: 200, body: shape(row, call) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/exports/:id",
      scope: "subscribers:write",
      audit: { action: "export.deleted", of: "path" },
      tag,
      summary: "Delete an export",
      description: "Its link stops working at once.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        const removed = await removeExport(ctx.sql, ctx.accountId, requireId("exp", params.id, "export"));
        if (removed === 0) throw missing("export");
        return { status: 204 };
      },
    }),
  ];
}

/** The links of exports lead here. It is outside `/v1`, since a browser follows them without a key. */
export function mountDownloads(
  fastify: FastifyInstance,
  deps: {
    db: Db;
    clock: Clock;
    secrets: Secrets;
    log: Log;
    campaigns: CampaignRecipients;
    sentCampaigns: SentCampaigns;
  },
): void {
  fastify.get<{ Params: { account: string; id: string }; Querystring: { signature?: unknown } }>(
    "/downloads/:account/:id",
    async (request, reply) => {
      const { account, id } = request.params;
      const row = await openExportLink(deps, {
        account,
        id,
        signature: String(request.query.signature ?? ""),
      });
      if (!row) throw new AppError(notFound, "this link has expired, or never was one");
      reply.type("text/csv; charset=utf-8");
      reply.header("content-disposition", `attachment; filename="${id}.csv"`);
      if (request.method === "HEAD") return reply.send(Readable.from([]));
      // Whoever has the link may follow it, and nobody knows who that is.
      const record: AuditRecord = {
        accountId: row.account_id,
        actor: { kind: "stranger", id: null },
        action: "export.downloaded",
        targetId: id,
        fields: [],
        origin: auditOrigin(clientOf(request)),
      };
      await deps.db.transaction(async (tx) => createAuditRecorder(deps.clock)(tx, [record]));
      return reply.send(Readable.from(exportLines(deps, row), { objectMode: false, highWaterMark: 65_536 }));
    },
  );
}
