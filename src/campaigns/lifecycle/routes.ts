import { sendingStopped } from "../../accounts/accounts.ts";
import {
  contentBusy,
  type MessageTools,
  publicUrlNotReachable,
  unsubscribeNotServed,
} from "../../messages/messages.ts";
import { type Route, writeRoute } from "../../platform/http/route.ts";
import { preconditionFailed } from "../../platform/problems.ts";
import { invalidState } from "../../subscribers/subscribers.ts";
import {
  campaignInReview,
  campaignLocked,
  preflightFailed,
  sendAtElapsed,
  sendAtInPast,
  sendAtTooFar,
} from "../problems.ts";
import { answerWith, campaignId, one, Params, send, tag } from "../route-parts.ts";
import { Campaign, ResumeInput, ScheduleInput, SendInput } from "../schema.ts";
import {
  cancelCampaign,
  pauseCampaign,
  prepareFor,
  resumeCampaign,
  scheduleCampaign,
  sendCampaign,
  unscheduleCampaign,
} from "./actions.ts";

const notReadyProblems = [preflightFailed, unsubscribeNotServed, publicUrlNotReachable];

/** Whether it shall be refused where there are too few mails left, in the period that lasts at that time. */
function quotaFor(onQuota: "refuse" | "pause" | undefined, at: Date): Date | undefined {
  return onQuota === "pause" ? undefined : at;
}

/** These routes move a campaign from one status to the next. */
export function actionRoutes(tools: MessageTools): readonly Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/send",
      scope: send,
      audit: { action: "campaign.launched", of: "path" },
      tag,
      summary: "Send a campaign",
      description:
        "Checks it, freezes it and begins. Whatever stands in the way is named at once. By a real transport nothing leaves whose " +
        "unsubscribe link is not served, or leads where recipients can't reach it. With `undo_seconds` it is `scheduled` for " +
        "so many seconds from now; `cancel` takes it back until then, and until then nobody can change it. One that failed goes on with those of its audience who " +
        "haven't got it. If none of its mail had left and it now has another list or segment, or the segment other rules, it " +
        "starts from an empty ledger: nobody of the former audience gets it, or is in its numbers. With `If-Match`, only what " +
        "was read is sent. Where more would get it than the account may send mails, that is an error (`quota_reached`), unless you say " +
        '`{"on_quota": "pause"}`.',
      params: Params,
      body: SendInput,
      bodyOptional: true,
      success: { status: 202, schema: Campaign, description: "The campaign, being sent." },
      problems: [
        invalidState,
        sendingStopped,
        campaignLocked,
        preconditionFailed,
        ...notReadyProblems,
        contentBusy,
      ],
      prepare: ({ ctx, params, body }) =>
        prepareFor(ctx, tools, campaignId(params.id), "send", quotaFor(body?.on_quota, ctx.clock.now())),
      async handler({ ctx, params, body, ifMatch, principal }, launch) {
        const how = { undoSeconds: body?.undo_seconds, ifMatch };
        const row = await sendCampaign(ctx, campaignId(params.id), launch, how);
        return answerWith({ ctx, principal }, row, 202);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/schedule",
      scope: send,
      audit: { action: "campaign.scheduled", of: "path" },
      tag,
      summary: "Schedule a campaign",
      description:
        "For a time with an offset, at most a year ahead; again is another time. It begins at that time or within two seconds. " +
        "Checked as for `send`, but the list may still be empty: who is on it counts when it begins. `If-Match` as for `send`.",
      params: Params,
      body: ScheduleInput,
      success: { status: 200, schema: Campaign, description: "The campaign, scheduled." },
      problems: [
        invalidState,
        preconditionFailed,
        ...notReadyProblems,
        sendAtInPast,
        sendAtTooFar,
        contentBusy,
      ],
      prepare: ({ ctx, params, body }) =>
        prepareFor(
          ctx,
          tools,
          campaignId(params.id),
          "schedule",
          quotaFor(body.on_quota, new Date(body.send_at)),
        ),
      async handler({ ctx, params, body, ifMatch, principal }, launch) {
        const how = { sendAt: new Date(body.send_at), ifMatch };
        return answerWith(
          { ctx, principal },
          await scheduleCampaign(ctx, campaignId(params.id), launch, how),
          200,
        );
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/unschedule",
      scope: send,
      audit: { action: "campaign.unscheduled", of: "path" },
      tag,
      summary: "Take a campaign off the schedule",
      description: "It is again what it was before: a draft, or failed.",
      params: Params,
      success: one,
      problems: [invalidState],
      handler: async ({ ctx, params, principal }) =>
        answerWith({ ctx, principal }, await unscheduleCampaign(ctx, campaignId(params.id)), 200),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/pause",
      scope: send,
      audit: { action: "campaign.paused", of: "path" },
      tag,
      summary: "Pause a campaign",
      description:
        "Scheduled: it won't begin by itself. Sending: what is on the wire finishes, nothing else leaves.",
      params: Params,
      success: one,
      problems: [invalidState],
      handler: async ({ ctx, params, principal }) =>
        answerWith({ ctx, principal }, await pauseCampaign(ctx, campaignId(params.id)), 200),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/resume",
      scope: send,
      audit: { action: "campaign.resumed", of: "path" },
      tag,
      summary: "Resume a campaign",
      description:
        "Goes on with exactly those not yet sent. One that was paused before its start is scheduled again; when its time passed " +
        'meanwhile, the answer is 409 `send_at_elapsed` unless you say `{"if_elapsed": "send_now"}`.',
      params: Params,
      body: ResumeInput,
      bodyOptional: true,
      success: one,
      problems: [
        invalidState,
        sendingStopped,
        campaignInReview,
        sendAtElapsed,
        campaignLocked,
        ...notReadyProblems,
        contentBusy,
      ],
      prepare: async ({ ctx, params, body }) =>
        body?.if_elapsed === "send_now" ? prepareFor(ctx, tools, campaignId(params.id), "resume") : undefined,
      async handler({ ctx, params, body, principal }, launch) {
        const ifElapsed = body?.if_elapsed ?? "refuse";
        return answerWith(
          { ctx, principal },
          await resumeCampaign(ctx, campaignId(params.id), launch, ifElapsed),
          200,
        );
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/cancel",
      scope: send,
      audit: { action: "campaign.canceled", of: "path" },
      tag,
      summary: "Cancel a campaign",
      description:
        "Before its start the same as `unschedule`. After it, those who haven't got it won't; that can't be taken back.",
      params: Params,
      success: one,
      problems: [invalidState],
      handler: async ({ ctx, params, principal }) =>
        answerWith({ ctx, principal }, await cancelCampaign(ctx, campaignId(params.id)), 200),
    }),
  ];
}
