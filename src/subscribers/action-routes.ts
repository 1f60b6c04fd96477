/** These routes do things with one subscriber, beyond reading and changing it. */
import { TOO_MANY_BY_PROGRAMS } from "../platform/http/audit.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PageQuery } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import { invalid, missing } from "../platform/problems.ts";
import { listActivity } from "./activity.ts";
import { consentFaults } from "./changes/changes.ts";
import { resendConfirmation, resubscribe, unsubscribe } from "./consent/consent.ts";
import type { CampaignRecipients, CampaignsInTimeline } from "./exports/exports.ts";
import { mustLockSubscriber } from "./lock-subscriber.ts";
import { confirmationTooSoon, invalidState } from "./problems.ts";
import {
  ActivityPage,
  Erasure,
  ResubscribeInput,
  Subscriber,
  TagChange,
  UnsubscribeInput,
} from "./schema.ts";
import { shapeActivity, shapeErasure } from "./shape.ts";
import { answerWith, one, Params, read, subscriberId, tag, write } from "./subscriber-answer.ts";
import { findSubscriber } from "./subscriber-store.ts";
import { type ForgetElsewhere, forget } from "./subscribers.ts";
import { changeTags } from "./tags/tags.ts";
import { wakeSubscribers } from "./wake.ts";

/** The floors above hand these in, to take part in what happens here. */
type Above = {
  readonly campaigns: CampaignsInTimeline & Pick<CampaignRecipients, "exists" | "noteUnsubscribe">;
  readonly forgetElsewhere: ForgetElsewhere;
};

export function subscriberActionRoutes({ campaigns, forgetElsewhere }: Above): readonly Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/v1/subscribers/:id/unsubscribe",
      scope: write,
      audit: { action: "subscriber.unsubscribed", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Unsubscribe",
      description:
        "From its list, or with `scope: all` from every list. Again changes nothing: the first time is kept. With `campaign_id` it " +
        "counts among the unsubscribes of that campaign, once for each of its recipients.",
      params: Params,
      body: UnsubscribeInput,
      bodyOptional: true,
      success: one,
      async handler({ ctx, params, body }) {
        const id = subscriberId(params.id);
        const campaignId = body?.campaign_id && requireId("cmp", body.campaign_id, "campaign");
        if (campaignId && !(await campaigns.exists(ctx.sql, ctx.accountId, campaignId))) {
          throw invalid({
            pointer: "/campaign_id",
            code: "not_found",
            detail: "there is no such campaign in this account",
          });
        }
        const { contactId, hasLeft } = await unsubscribe(ctx, id, {
          scope: body?.scope ?? "list",
          reason: body?.reason ?? null,
          source: "api",
          ...(body?.campaign_id && { campaignId: body.campaign_id }),
        });
        if (campaignId && hasLeft) await campaigns.noteUnsubscribe(ctx, campaignId, contactId);
        return answerWith(ctx, id, 200);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/subscribers/:id/resubscribe",
      scope: write,
      audit: { action: "subscriber.resubscribed", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Bring a subscriber back",
      description:
        "With attested consent at once (200); otherwise it is `pending` until it confirms by the link that it is mailed (202).",
      params: Params,
      body: ResubscribeInput,
      bodyOptional: true,
      success: one,
      alsoAnswers: [202],
      problems: [invalidState, confirmationTooSoon],
      async handler({ ctx, params, body }) {
        const faults = consentFaults(body?.consent, "/consent");
        if (faults.length > 0) throw invalid(...faults);
        const id = subscriberId(params.id);
        const { awaitsConfirmation } = await resubscribe(ctx, id, body?.consent);
        return answerWith(ctx, id, awaitsConfirmation ? 202 : 200);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/subscribers/:id/resend_confirmation",
      scope: write,
      audit: { action: "subscriber.confirmation_resent", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Send the confirmation mail again",
      description:
        "To a pending subscriber whose address isn't suppressed. An address gets at most five a day, five minutes apart, over all " +
        "lists of the account; `Retry-After` says when another may go.",
      params: Params,
      success: { status: 202, schema: Subscriber, description: "The mail is on its way." },
      problems: [invalidState, confirmationTooSoon],
      async handler({ ctx, params }) {
        const id = subscriberId(params.id);
        await resendConfirmation(ctx, id);
        return answerWith(ctx, id, 202);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/subscribers/:id/tags",
      scope: write,
      audit: { action: "subscriber.tags_changed", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Add and remove tags",
      description:
        "Whatever the case they are written in. A tag that is there already, or isn't, is no fault.",
      params: Params,
      body: TagChange,
      success: one,
      async handler({ ctx, params, body }) {
        const id = subscriberId(params.id);
        await changeTags(ctx, id, { add: body.add ?? [], remove: body.remove ?? [] });
        return answerWith(ctx, id, 200);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/subscribers/:id/wake",
      scope: write,
      audit: { action: "subscriber.woken", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Wake a subscriber",
      description:
        "Takes back what the list's sunset policy said of it: campaigns reach it again, and it isn't marked anew for as many days as the policy " +
        "has. One that isn't marked stays as it is.",
      params: Params,
      success: one,
      async handler({ ctx, params }) {
        const { id } = await mustLockSubscriber(ctx, subscriberId(params.id));
        await wakeSubscribers(ctx, [id], "by_hand");
        return answerWith(ctx, id, 200);
      },
    }),
    readRoute({
      path: "/v1/subscribers/:id/activity",
      scope: read,
      tag,
      summary: "The timeline of a subscriber",
      description:
        "Consent, changes, mails, opens, clicks and custom events, newest first. A mail is one entry, `email.` with what it has come to: queued, sent, deferred, " +
        "failed, skipped or unknown. It stands where its campaign was launched; `updated_at` is when its status last changed. " +
        "`email.opened` stands where a mail was first opened and `email.clicked` where a link of it was first clicked, each once, with how " +
        "often, whether by a person, and if not, why it is held to be a machine's. `subscriber.event_tracked` stands where a custom event " +
        "happened, with its name and properties; `updated_at` is when it was reported.",
      params: Params,
      query: PageQuery({}),
      success: { status: 200, schema: ActivityPage, description: "A page of what happened." },
      async handler(call) {
        const { ctx, params, query, after } = call;
        const id = subscriberId(params.id);
        const row = await findSubscriber(ctx.sql, ctx.accountId, id);
        if (!row) throw missing("subscriber");
        const position = after && { createdAt: String(after[0]), id: String(after[1]) };
        const rows = await listActivity(ctx, campaigns, row, query.limit + 1, position);
        return pageAnswer(call, rows, (one) => [one.created_at.toISOString(), one.id], shapeActivity);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/subscribers/:id/forget",
      scope: "subscribers:forget",
      audit: { action: "subscriber.forgotten", of: "path" },
      tag,
      summary: "Erase a person",
      description:
        "On every list, at once. Only a keyed hash stays, which keeps the address suppressed if it comes back.",
      params: Params,
      success: { status: 202, schema: Erasure, description: "Erased." },
      async handler({ ctx, params }) {
        const erased = await forget(ctx, subscriberId(params.id), forgetElsewhere);
        return { status: 202, body: shapeErasure(erased) };
      },
    }),
  ];
}
