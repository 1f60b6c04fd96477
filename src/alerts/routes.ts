import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { acknowledgeAlert, findAlert } from "./alerts.ts";
import { Alert, AlertPage, AlertQuery } from "./schema.ts";
import { type AlertRow, countAlerts, listAlerts } from "./store.ts";

const Params = Strict({ id: PublicId("alr") });
const tag = "Deliverability";

export function alertRoutes(): readonly Route[] {
  return [
    readRoute({
      path: "/v1/deliverability/alerts",
      scope: "deliverability:read",
      tag,
      summary: "List alerts",
      description:
        "An alert says what the account has to do something about. There is one for each kind and subject at a time; it closes by " +
        "itself when it is over, and closed ones are kept for a year. Newest first.",
      query: AlertQuery,
      success: { status: 200, schema: AlertPage, description: "A page of alerts." },
      handler: (call) =>
        pageByAge(call, {
          list: (db, accountId, page) => listAlerts(db, accountId, call.query, page),
          count: (db, accountId) => countAlerts(db, accountId, call.query),
          shape: shapeAlert,
        }),
    }),
    readRoute({
      path: "/v1/deliverability/alerts/:id",
      scope: "deliverability:read",
      tag,
      summary: "Get an alert",
      params: Params,
      success: { status: 200, schema: Alert, description: "The alert." },
      async handler({ ctx, params }) {
        const found = await findAlert(ctx.sql, ctx.accountId, alertId(params));
        if (!found) throw missing("alert");
        return { status: 200, body: shapeAlert(found) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/deliverability/alerts/:id/acknowledge",
      scope: "deliverability:write",
      audit: { action: "alert.acknowledged", of: "path" },
      tag,
      summary: "Acknowledge an alert",
      description:
        "Says that somebody has seen it. It stays acknowledged until it changes or is over. One that was acknowledged before, or is " +
        "closed, stays as it is.",
      params: Params,
      success: { status: 200, schema: Alert, description: "The alert as it now is." },
      async handler({ ctx, params }) {
        return { status: 200, body: shapeAlert(await acknowledgeAlert(ctx, alertId(params))) };
      },
    }),
  ];
}

function alertId({ id }: { readonly id: string }): string {
  return requireId("alr", id, "alert");
}

function shapeAlert(row: AlertRow): Alert {
  return {
    object: "alert",
    id: toPublicId("alr", row.id),
    kind: row.kind,
    subject: row.subject,
    status: row.status,
    severity: row.severity,
    title: row.title,
    detail: row.detail,
    remedy: row.remedy,
    data: row.data,
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    closed_at: row.closed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
