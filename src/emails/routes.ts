import { contentBusy } from "../messages/messages.ts";
import { createValidation } from "../platform/http/bodies/validation.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import { invalid } from "../platform/problems.ts";
import {
  type AcceptTools,
  acceptBatch,
  acceptEmails,
  createWaveFinder,
  prepareBatch,
  prepareEmail,
} from "./accept.ts";
import { cancelEmail } from "./cancel.ts";
import { emailLeft, recipientsSuppressed, sendAtPassed, sendAtTooFar } from "./problems.ts";
import {
  countEmails,
  listEmails,
  readFilter,
  shapeAccepted,
  shapeBatchItem,
  showEmail,
  showEmails,
} from "./reading/reading.ts";
import {
  BatchEmail,
  Email,
  EmailBatch,
  EmailBatchResult,
  EmailCreate,
  EmailDetail,
  EmailPage,
  EmailQuery,
} from "./schema.ts";

const tag = "Emails";
const read = "emails:read";
const send = "emails:send";
/** 18 MB of attachments in base64, and the texts. */
const MOST_BODY_BYTES = 28 * 1_024 * 1_024;
const MOST_BATCH_BYTES = 10 * 1_024 * 1_024;
const faultsOfItem = createValidation().body(BatchEmail);
const Params = Strict({ id: PublicId("msg") });

function checkItem(one: unknown): EmailCreate {
  const faults = faultsOfItem(one);
  if (faults.length > 0) throw invalid(...faults);
  return one as EmailCreate;
}

export function emailRoutes(tools: AcceptTools): readonly Route[] {
  const { secrets } = tools;
  const findWaveNow = createWaveFinder(tools);
  return [
    writeRoute({
      method: "POST",
      path: "/v1/emails",
      scope: send,
      tag,
      summary: "Send a mail",
      description:
        "To one or a few people, at once or at `send_at`. It is accepted when it is stored; it then leaves ahead of campaigns. " +
        "Every recipient gets a copy with the same `To` and `Cc`. Send an `Idempotency-Key`, so that a request which you repeat " +
        "sends nothing twice. A suppressed recipient is skipped, and the answer says so.",
      body: EmailCreate,
      mostBodyBytes: MOST_BODY_BYTES,
      success: { status: 202, schema: Email, description: "The mail, accepted." },
      problems: [recipientsSuppressed, sendAtPassed, sendAtTooFar, contentBusy],
      async prepare({ ctx, body }) {
        const [prepared, wave] = await Promise.all([prepareEmail(ctx, tools, body), findWaveNow(ctx)]);
        return { prepared, wave };
      },
      async handler({ ctx, baseUrl }, { prepared, wave }) {
        const [accepted] = await acceptEmails(ctx, tools, wave, [prepared]);
        if (!accepted) throw new Error("a mail that was prepared is accepted");
        const email = shapeAccepted(accepted);
        const headers = { location: `${baseUrl}/v1/emails/${email.id}` };
        return { status: 202, body: email, headers, subjects: [accepted.row.id] };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/emails/batch",
      scope: send,
      tag,
      summary: "Send up to 100 mails",
      description:
        "One result for each, in order. One that is wrong stops no other. They have no attachments.",
      body: EmailBatch,
      mostBodyBytes: MOST_BATCH_BYTES,
      success: { status: 200, schema: EmailBatchResult, description: "What became of each." },
      async prepare({ ctx, body }) {
        const [batch, wave] = await Promise.all([
          prepareBatch(ctx, tools, body.emails, checkItem),
          findWaveNow(ctx),
        ]);
        return { batch, wave };
      },
      async handler({ ctx }, { batch, wave }) {
        const outcomes = await acceptBatch(ctx, tools, wave, batch);
        const subjects = outcomes.flatMap((one) => ("accepted" in one ? [one.accepted.row.id] : []));
        const results = outcomes.map(shapeBatchItem);
        return { status: 200, body: { object: "batch" as const, results }, subjects };
      },
    }),
    readRoute({
      path: "/v1/emails",
      scope: read,
      tag,
      summary: "List mails",
      description:
        "Newest first. All filters must match. Beside those named here, `metadata[order]=4711` asks for what you gave as metadata.",
      query: EmailQuery,
      success: { status: 200, schema: EmailPage, description: "A page of mails." },
      async handler(call) {
        const { ctx, after, query } = call;
        const filter = readFilter(ctx.accountId, secrets, query);
        const page = { limit: query.limit + 1, after: after && String(after[0]) };
        const [rows, total] = await Promise.all([
          listEmails(ctx.sql, ctx.accountId, filter, page),
          query.include_total ? countEmails(ctx.sql, ctx.accountId, filter) : undefined,
        ]);
        const shown = await showEmails(ctx, secrets, rows);
        const byId = new Map(rows.map(({ id }, nth) => [id, shown[nth] as Email]));
        return pageAnswer(
          call,
          rows,
          ({ id }) => [id],
          ({ id }) => byId.get(id) as Email,
          total,
        );
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/emails/:id/cancel",
      scope: send,
      tag,
      summary: "Cancel a mail",
      description: "Until it leaves. Nobody gets it then.",
      params: Params,
      success: { status: 200, schema: EmailDetail, description: "The mail, canceled." },
      problems: [emailLeft],
      async handler({ ctx, params }) {
        const id = requireId("msg", params.id, "email");
        await cancelEmail(ctx, id);
        return { status: 200, body: await showEmail(ctx, secrets, id), subjects: [id] };
      },
    }),
    readRoute({
      path: "/v1/emails/:id",
      scope: read,
      tag,
      summary: "Get a mail",
      description: "With what became of each recipient, and what happened to it in order.",
      params: Params,
      success: { status: 200, schema: EmailDetail, description: "The mail." },
      handler: async ({ ctx, params }) => ({
        status: 200,
        body: await showEmail(ctx, secrets, requireId("msg", params.id, "email")),
      }),
    }),
  ];
}
