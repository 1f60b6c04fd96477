/** These routes put people into an automation by hand, and show how far that is. */
import { sendingStopped } from "../../accounts/accounts.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { invalidState, type SentCampaigns } from "../../subscribers/subscribers.ts";
import { enrollmentNotAllowed, tooManyEnrollments } from "../problems.ts";
import { automationId, Params, read, requireAutomation, send, tag } from "../route-parts.ts";
import { cancelEnrollment, createEnrollment } from "./enrolling.ts";
import { countEnrollments, type EnrollmentRow, findEnrollment, listEnrollments } from "./enrollment-store.ts";
import { Enrollment, EnrollmentInput, EnrollmentPage, EnrollmentParams, EnrollmentQuery } from "./schema.ts";

export function enrollingRoutes({ sent }: { readonly sent: SentCampaigns }): readonly Route[] {
  return [
    readRoute({
      path: "/v1/automations/:id/enrollments",
      scope: read,
      tag,
      summary: "List an automation's enrollments",
      description: "Newest first.",
      params: Params,
      query: EnrollmentQuery,
      success: { status: 200, schema: EnrollmentPage, description: "A page of enrollments." },
      async handler(call) {
        const { id } = await requireAutomation(call.ctx, call.params.id);
        return pageByAge(call, {
          list: (db, accountId, page) => listEnrollments(db, accountId, id, page),
          count: (db, accountId) => countEnrollments(db, accountId, id, false),
          shape: shapeEnrollment,
        });
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/enrollments",
      scope: send,
      audit: { action: "automation.enrolled", of: "path" },
      tag,
      summary: "Put people into an automation",
      description:
        "Some who are named, a segment, or everybody on the list, where the published version has the trigger `manual`. The filter of the entry, its rule of " +
        "re-entry and all limits hold for them as for others. It runs in the background: ask for it to see how far it is. Who comes to the list later " +
        "isn't among them.",
      params: Params,
      body: EnrollmentInput,
      success: { status: 202, schema: Enrollment, description: "The enrollment, about to run." },
      problems: [invalidState, sendingStopped, enrollmentNotAllowed, tooManyEnrollments],
      async handler({ ctx, params, body, baseUrl }) {
        const row = await createEnrollment(ctx, sent, automationId(params.id), body);
        const made = shapeEnrollment(row);
        const location = `${baseUrl}/v1/automations/${params.id}/enrollments/${made.id}`;
        return { status: 202, body: made, headers: { location } };
      },
    }),
    readRoute({
      path: "/v1/automations/:id/enrollments/:enrollment_id",
      scope: read,
      tag,
      summary: "Get an enrollment",
      description: "How far it is, how many entered, and why others didn't.",
      params: EnrollmentParams,
      success: { status: 200, schema: Enrollment, description: "The enrollment as it stands." },
      async handler({ ctx, params }) {
        const { id } = await requireAutomation(ctx, params.id);
        const row = await findEnrollment(ctx.sql, ctx.accountId, id, enrollmentId(params.enrollment_id));
        if (!row) throw missing("enrollment");
        return { status: 200, body: shapeEnrollment(row) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/enrollments/:enrollment_id/cancel",
      scope: send,
      audit: { action: "automation.enrollment_canceled", of: "path" },
      tag,
      summary: "Cancel an enrollment",
      description: "Lets in nobody more. Who is inside by then stays.",
      params: EnrollmentParams,
      success: { status: 200, schema: Enrollment, description: "The enrollment, canceled." },
      problems: [invalidState],
      async handler({ ctx, params }) {
        const id = enrollmentId(params.enrollment_id);
        return {
          status: 200,
          body: shapeEnrollment(await cancelEnrollment(ctx, automationId(params.id), id)),
        };
      },
    }),
  ];
}

function enrollmentId(text: string): string {
  return requireId("enr", text, "enrollment");
}

function shapeEnrollment(row: EnrollmentRow): Enrollment {
  return {
    object: "automation_enrollment",
    id: toPublicId("enr", row.id),
    automation_id: toPublicId("aut", row.automation_id),
    status: row.status,
    whom: row.whom,
    segment_id: row.segment_id && toPublicId("seg", row.segment_id),
    spread_minutes: row.spread_minutes,
    total: row.total,
    processed: row.processed,
    entered: row.entered,
    skipped: { ...row.skipped },
    error: row.error,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
