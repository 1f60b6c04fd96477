import { publicUrlNotReachable, unsubscribeNotServed } from "../messages/messages.ts";
import { AppError, defineProblem, type Fault, type Problem } from "../platform/problems.ts";
import { invalidState } from "../subscribers/subscribers.ts";
import type { Status } from "./status.ts";

export const campaignLocked = defineProblem(
  409,
  "campaign_locked",
  "Campaign locked",
  "The campaign is being sent, or mail of it has left, so it can't be changed. `duplicate` makes a draft of it. `current_status` says where it stands.",
);
export function audienceFixed(status: Status): AppError {
  const why = "mail of it has left, or may have, to those it went to first: duplicate it, and send the copy";
  return new AppError(campaignLocked, why, { members: { current_status: status } });
}

export const campaignInReview = defineProblem(
  409,
  "campaign_in_review",
  "Campaign in review",
  "The account is new here, and the operators of this service look at its first campaign to many before it leaves. It goes on by itself once it is approved; it can be canceled.",
);

export const opensNotTracked = defineProblem(
  409,
  "opens_not_tracked",
  "Opens weren't tracked",
  "Nobody's opens of this campaign can be seen, because of its tracking or the account's, so nobody can be said not to have opened it.",
);

export const preflightFailed = defineProblem(
  422,
  "preflight_failed",
  "Not ready to send",
  "Something stands in the way of sending. Every problem is named in `errors`, with a line and a column where it has a place.",
);
/** These are wrong with the instance and not with the campaign, so each is an answer of its own. */
const OF_INSTANCE = [unsubscribeNotServed, publicUrlNotReachable];

export const sendAtInPast = defineProblem(
  422,
  "send_at_in_past",
  "Time in the past",
  "`send_at` has passed already. Choose a later time, or send now.",
);
export const sendAtTooFar = defineProblem(
  422,
  "send_at_too_far",
  "Time too far ahead",
  "`send_at` is more than a year ahead.",
);
export const sendAtElapsed = defineProblem(
  409,
  "send_at_elapsed",
  "Time elapsed",
  'The time it was scheduled for passed while it was paused. Resume it with `{"if_elapsed": "send_now"}`, or schedule it anew.',
);

export function refuse(status: Status, why: string): AppError {
  return new AppError(invalidState, why, { members: { current_status: status } });
}

export function notReady(faults: readonly Fault[]): AppError {
  const count = faults.length === 1 ? "one problem stands" : `${faults.length} problems stand`;
  return new AppError(problemOf(faults), `${count} in the way of sending; see errors`, { faults });
}

/** Picks the problem by which an answer, or the reason of a failure, names all faults together. */
export function problemOf(faults: readonly Fault[]): Problem {
  return OF_INSTANCE.find((problem) => faults.some(({ code }) => code === problem.code)) ?? preflightFailed;
}
