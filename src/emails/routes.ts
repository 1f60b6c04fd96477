import { Readable } from "node:stream";
import { Type } from "typebox";
import { authorFrame } from "../content/content.ts";
import { quotaReached } from "../delivery/delivery.ts";
import { contentBusy } from "../messages/messages.ts";
import { TOO_MANY_BY_PROGRAMS } from "../platform/http/audit.ts";
import { createValidation } from "../platform/http/bodies/validation.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { oneOf, PublicId, Strict } from "../platform/http/schemas.ts";
import { eventStreamAnswer, MOST_STREAMS } from "../platform/http/streams/event-streams.ts";
import { requireId } from "../platform/ids.ts";
import { invalid, missing, tooManyStreams } from "../platform/problems.ts";
import {
  type Accepted,
  type AcceptTools,
  acceptBatch,
  acceptEmails,
  prepareBatch,
  prepareEmail,
} from "./accept/accept.ts";
import { cancelEmail } from "./cancel.ts";
import {
  contentGone,
  contentPrivate,
  contentUnreadable,
  emailLeft,
  emailTooLarge,
  recipientsSuppressed,
  sendAtPassed,
  sendAtTooFar,
  unverifiedDomain,
} from "./problems.ts";
import {
  countEmails,
  createEmailStreams,
  listEmails,
  readFilter,
  shapeAccepted,
  shapeBatchItem,
  showContent,
  showEmail,
  showEmails,
  showHtml,
} from "./reading/reading.ts";
import {
  BatchEmail,
  Email,
  EmailBatch,
  EmailBatchResult,
  EmailContent,
  EmailCreate,
  EmailDetail,
  EmailPage,
  EmailQuery,
} from "./schema.ts";
import { findEmail } from "./store.ts";

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

function answerAccepted(baseUrl: string, accepted: Accepted | undefined) {
  if (!accepted) throw new Error("a mail that was prepared is accepted");
  const email = shapeAccepted(accepted);
  const headers = { location: `${baseUrl}/v1/emails/${email.id}` };
  return { status: 202, body: email, headers, subjects: [accepted.row.id] };
}

export function emailRoutes(tools: AcceptTools): readonly Route[] {
  const { secrets, publicUrl } = tools;
  const streams = createEmailStreams();
  return [
    writeRoute({
      method: "POST",
      path: "/v1/emails",
      scope: send,
      audit: { action: "email.sent", of: "answer", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Send a mail",
      description:
        "To one or a few people, at once or at `send_at`. It is accepted when it is stored; it then leaves ahead of campaigns. " +
        "Every recipient gets a copy with the same `To` and `Cc`. Send an `Idempotency-Key`, so that a request which you repeat " +
        "sends nothing twice. A suppressed recipient is skipped, and the answer says so. Where the mails of the account's period or day are used up, it is refused (402).",
      body: EmailCreate,
      mostBodyBytes: MOST_BODY_BYTES,
      success: { status: 202, schema: Email, description: "The mail, accepted." },
      problems: [
        quotaReached,
        recipientsSuppressed,
        unverifiedDomain,
        emailTooLarge,
        sendAtPassed,
        sendAtTooFar,
        contentBusy,
      ],
      prepare: ({ ctx, body }) => prepareEmail(ctx, tools, body),
      async handler({ ctx, baseUrl }, prepared) {
        const [accepted] = await acceptEmails(ctx, tools, [prepared]);
        return answerAccepted(baseUrl, accepted);
      },
      together: {
        isFit: ({ attachments, sendAt }) => attachments.length === 0 && sendAt === null,
        async handler(calls, prepared) {
          const [{ ctx, baseUrl }] = calls as [(typeof calls)[number]];
          const accepted = await acceptEmails(ctx, tools, prepared);
          return accepted.map((one) => answerAccepted(baseUrl, one));
        },
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/emails/batch",
      scope: send,
      audit: { action: "email.batch_sent", of: "account", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Send up to 100 mails",
      description:
        "One result for each, in order. One that is wrong stops no other. They have no attachments.",
      body: EmailBatch,
      mostBodyBytes: MOST_BATCH_BYTES,
      success: { status: 200, schema: EmailBatchResult, description: "What became of each." },
      prepare: ({ ctx, body }) => prepareBatch(ctx, tools, body.emails, checkItem),
      async handler({ ctx }, batch) {
        const outcomes = await acceptBatch(ctx, tools, batch);
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
      audit: { action: "email.canceled", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Cancel a mail",
      description: "Until it leaves. Nobody gets it then. This program's own mail can't be canceled.",
      params: Params,
      success: { status: 200, schema: EmailDetail, description: "The mail, canceled." },
      problems: [emailLeft],
      async handler({ ctx, params }) {
        const id = requireId("msg", params.id, "email");
        await cancelEmail(ctx, secrets, id);
        return { status: 200, body: await showEmail(ctx, secrets, id), subjects: [id] };
      },
    }),
    readRoute({
      path: "/v1/emails/:id/content",
      scope: read,
      tag,
      summary: "Get a mail as it was made",
      description:
        "Its HTML, text and headers, and the whole without attachments, for as long as it is kept. To whom each copy went stays with the mail.",
      params: Params,
      success: { status: 200, schema: EmailContent, description: "What the mail says." },
      problems: [contentGone, contentPrivate, contentUnreadable],
      handler: async ({ ctx, params }) => ({
        status: 200,
        body: await showContent(ctx, secrets, requireId("msg", params.id, "email")),
      }),
    }),
    readRoute({
      path: "/v1/emails/:id/html",
      scope: read,
      tag,
      summary: "Show a mail as it was made",
      description:
        "Its HTML, or its text where it has none, as a page for a frame of the dashboard, under a policy by which nothing runs. Its links lead nowhere, since a link in such a mail may sign somebody in.",
      params: Params,
      query: Strict({
        pictures: Type.Optional(
          oneOf(["own", "all"], {
            description:
              "Only pictures from this instance, or all: other servers then learn who looks, and when.",
          }),
        ),
      }),
      success: { status: 200, schema: Type.String(), contentType: "text/html", description: "The page." },
      problems: [contentGone, contentPrivate, contentUnreadable],
      async handler({ ctx, params, query: { pictures = "own" } }) {
        const source = await showHtml(ctx, secrets, requireId("msg", params.id, "email"));
        const frame = authorFrame(source, { publicUrl: publicUrl(), pictures, links: "dead" });
        const stream = Readable.from([Buffer.from(frame.body)], { objectMode: false });
        return { status: 200, headers: frame.headers, stream };
      },
    }),
    readRoute({
      path: "/v1/emails/:id/events",
      scope: read,
      tag,
      summary: "Watch a mail",
      description:
        "Server-sent events: `email` with the whole mail and its timeline, at the beginning and whenever something has happened to it. A " +
        "reader that is slow misses steps, never the newest. It goes on after the mail has left, since it may bounce or be opened later. " +
        "After an hour, when the process stops, and when the key is revoked or the session has ended, the last event is `reconnect` with " +
        `a \`reason\`. A key or a person may have ${MOST_STREAMS} streams open at once in each process.`,
      params: Params,
      success: {
        status: 200,
        schema: Type.String(),
        description: "A stream of events, each with the mail as its data.",
        contentType: "text/event-stream",
      },
      problems: [tooManyStreams],
      async handler({ ctx, principal, params, signal }) {
        const id = requireId("msg", params.id, "email");
        const { sql, accountId } = ctx;
        if (!(await findEmail(sql, accountId, id))) throw missing("email");
        const look = async () =>
          (await findEmail(sql, accountId, id)) ? showEmail(ctx, secrets, id) : undefined;
        return eventStreamAnswer(streams.open({ ctx, principal, scope: read, id, look, signal }));
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
