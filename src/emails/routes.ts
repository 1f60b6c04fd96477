import { contentBusy } from "../messages/messages.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import { type AcceptTools, acceptEmails, findWaveNow, prepareEmail } from "./accept.ts";
import { cancelEmail } from "./cancel.ts";
import { emailLeft, recipientsSuppressed, sendAtPassed, sendAtTooFar } from "./problems.ts";
import { showEmail } from "./read.ts";
import { Email, EmailCreate, EmailDetail } from "./schema.ts";
import { shapeAccepted } from "./shape.ts";

const tag = "Emails";
const read = "emails:read";
const send = "emails:send";
/** 18 MB of attachments in base64, and the texts. */
const MOST_BODY_BYTES = 28 * 1_024 * 1_024;
const Params = Strict({ id: PublicId("msg") });

export function emailRoutes(tools: AcceptTools): readonly Route[] {
  const { secrets } = tools;
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
        const [prepared, wave] = await Promise.all([prepareEmail(ctx, tools, body), findWaveNow(ctx, tools)]);
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
