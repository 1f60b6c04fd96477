import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { invalidState } from "../../subscribers/subscribers.ts";
import { BounceStorm, BounceStormPage, StormQuery } from "./schema.ts";
import { countStorms, findStorm, listStorms, type StormRow } from "./storm-store.ts";
import { dismissStorm, releaseStorm } from "./storms.ts";

const Params = Strict({ id: PublicId("stm") });
const tag = "Inbound";

export function stormRoutes(): readonly Route[] {
  return [
    readRoute({
      path: "/v1/inbound/storms",
      scope: "inbound:read",
      tag,
      summary: "List storms of bounces",
      description:
        "A storm is when the mails to one domain bounce for good at five times its usual share within an hour. Its bounces are " +
        "held, and nobody is suppressed until somebody decides. Newest first.",
      query: StormQuery,
      success: { status: 200, schema: BounceStormPage, description: "A page of storms." },
      handler: (call) =>
        pageByAge(call, {
          list: (db, accountId, page) => listStorms(db, accountId, call.query.status, page),
          count: (db, accountId) => countStorms(db, accountId, call.query.status),
          shape: shapeStorm,
        }),
    }),
    readRoute({
      path: "/v1/inbound/storms/:id",
      scope: "inbound:read",
      tag,
      summary: "Get a storm of bounces",
      params: Params,
      success: { status: 200, schema: BounceStorm, description: "The storm." },
      async handler({ ctx, params }) {
        const found = await findStorm(ctx.sql, ctx.accountId, stormId(params));
        if (!found) throw missing("storm");
        return { status: 200, body: shapeStorm(found) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/inbound/storms/:id/release",
      scope: "inbound:write",
      audit: { action: "bounce_storm.released", of: "path" },
      tag,
      summary: "Release a storm: suppress the addresses",
      description:
        "Carries out what was held: the addresses are suppressed. What bounces there within the next day isn't held again.",
      params: Params,
      success: { status: 200, schema: BounceStorm, description: "The storm as it now is." },
      problems: [invalidState],
      async handler({ ctx, params }) {
        return { status: 200, body: shapeStorm(await releaseStorm(ctx, stormId(params))) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/inbound/storms/:id/dismiss",
      scope: "inbound:write",
      audit: { action: "bounce_storm.dismissed", of: "path" },
      tag,
      summary: "Dismiss a storm: keep the addresses",
      description:
        "The mails came back and count as soft bounces of their campaigns; the addresses stay as they are.",
      params: Params,
      success: { status: 200, schema: BounceStorm, description: "The storm as it now is." },
      problems: [invalidState],
      async handler({ ctx, params }) {
        return { status: 200, body: shapeStorm(await dismissStorm(ctx, stormId(params))) };
      },
    }),
  ];
}

function stormId({ id }: { readonly id: string }): string {
  return requireId("stm", id, "storm");
}

function shapeStorm(row: StormRow): BounceStorm {
  return {
    object: "bounce_storm",
    id: toPublicId("stm", row.id),
    domain: row.domain,
    status: row.state,
    hard_bounces: row.hard,
    mails: row.mails,
    usual_share: row.usual_share,
    held: row.held,
    decided_at: row.decided_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: (row.decided_at ?? row.last_at).toISOString(),
  };
}
