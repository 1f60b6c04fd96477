import { Readable } from "node:stream";
import { Type } from "typebox";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { rawPrivate, rawUnreadable } from "../problems.ts";
import { InboundItemDetail, type InboundItemSummary, InboundPage, InboundQuery } from "../schema.ts";
import { queueOf } from "../types.ts";
import { waitAgain } from "./item-store.ts";
import { addReadJobs } from "./job-kinds.ts";
import { countItems, findItem, type ItemFilter, listItems } from "./list-store.ts";
import { type ItemTools, showItem, showItems, showRaw } from "./show-items.ts";

const tag = "Inbound";
const read = "inbound:read";
const write = "inbound:write";
const Params = Strict({ id: PublicId("inb") });
const idOf = (text: string) => requireId("inb", text, "inbound item");

export function itemRoutes(tools: ItemTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/inbound",
      scope: read,
      tag,
      summary: "List what came back",
      description:
        "Bounces, complaints, unsubscribes and whatever else came by SMTP, from mailboxes and from providers in the last 30 days, newest first, with what was made of each. All filters must match.",
      query: InboundQuery,
      success: { status: 200, schema: InboundPage, description: "A page of items." },
      async handler(call) {
        const { ctx, after, query } = call;
        const filter = filterOf(query);
        const [rows, total] = await Promise.all([
          listItems(ctx.sql, ctx.accountId, filter, { limit: query.limit + 1, after: after?.[0] }),
          query.include_total ? countItems(ctx.sql, ctx.accountId, filter) : undefined,
        ]);
        const shown = await showItems(ctx, tools, rows);
        const byId = new Map(rows.map(({ id }, nth) => [id, shown[nth] as InboundItemSummary]));
        return pageAnswer(
          call,
          rows,
          ({ id }) => [id],
          ({ id }) => byId.get(id) as InboundItemSummary,
          total,
        );
      },
    }),
    readRoute({
      path: "/v1/inbound/:id",
      scope: read,
      tag,
      summary: "Get something that came back",
      description: "With what it says of each recipient, what was made of it, and why.",
      params: Params,
      success: { status: 200, schema: InboundItemDetail, description: "The item." },
      handler: async ({ ctx, params }) => ({
        status: 200,
        body: await showItem(ctx, tools, idOf(params.id)),
      }),
    }),
    readRoute({
      path: "/v1/inbound/:id/raw",
      scope: read,
      tag,
      summary: "Get something that came back, as it came",
      description:
        "A mail as `message/rfc822`, or what a provider posted. What is about a transactional mail needs `emails:read` as well.",
      params: Params,
      success: {
        status: 200,
        schema: Type.String(),
        contentType: "message/rfc822",
        description: "What came, byte for byte, up to 10 MB.",
      },
      problems: [rawPrivate, rawUnreadable],
      async handler({ ctx, principal, params }) {
        const { raw, row } = await showRaw(ctx, tools, principal, idOf(params.id));
        const isMail = row.channel !== "webhook";
        const headers = {
          "content-type": isMail ? "message/rfc822" : "application/json",
          "content-disposition": `attachment; filename="${params.id}.${isMail ? "eml" : "json"}"`,
        };
        return { status: 200, headers, stream: Readable.from([raw], { objectMode: false }) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/inbound/:id/reread",
      scope: write,
      audit: { action: "inbound.reread", of: "path" },
      tag,
      summary: "Read something once more",
      description:
        "After a change of how things are read, or when reading it failed. What was done because of it is not done twice.",
      params: Params,
      success: {
        status: 202,
        schema: InboundItemDetail,
        description: "The item, which is read in a moment.",
      },
      async handler({ ctx, params }) {
        const { sql, accountId } = ctx;
        const id = idOf(params.id);
        const found = await findItem(sql, accountId, id);
        if (!found) throw missing("inbound item");
        await waitAgain(sql, accountId, id);
        await addReadJobs(sql, [{ accountId, queue: queueOf(found.address_kind) }]);
        return { status: 202, body: await showItem(ctx, tools, id) };
      },
    }),
  ];
}

type Query = {
  readonly channel?: string;
  readonly state?: string;
  readonly kind?: string;
  readonly outcome?: string;
  readonly matched?: boolean;
  readonly created_after?: string;
  readonly created_before?: string;
};

function filterOf({ matched, created_after, created_before, ...query }: Query): ItemFilter {
  const { channel, state, kind, outcome } = query;
  return {
    ...(channel !== undefined && { channel }),
    ...(state !== undefined && { state }),
    ...(kind !== undefined && { kind }),
    ...(outcome !== undefined && { outcome }),
    ...(matched !== undefined && { isMatched: matched }),
    ...(created_after !== undefined && { after: new Date(created_after) }),
    ...(created_before !== undefined && { before: new Date(created_before) }),
  };
}
