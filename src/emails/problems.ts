import { defineProblem } from "../platform/problems.ts";

export const recipientsSuppressed = defineProblem(
  422,
  "recipients_suppressed",
  "Recipients suppressed",
  "Every recipient is suppressed, so nothing would be sent. `errors` says why for each. Opt-outs from lists don't matter here.",
);
export const unverifiedDomain = defineProblem(
  422,
  "unverified_domain",
  "Domain not verified",
  "This account has not proved that the domain in `from` is its own, and the instance sends no such mail (UNVERIFIED_SENDERS). Add the domain at `/v1/domains` and put its records into the DNS.",
);
export const emailTooLarge = defineProblem(
  422,
  "email_too_large",
  "Mail too large",
  "The server of the transport takes no message of this size. Leave attachments out, or link to them.",
);
export const sendAtTooFar = defineProblem(
  422,
  "send_at_too_far",
  "Time too far ahead",
  "`send_at` is more than 30 days ahead.",
);
export const sendAtPassed = defineProblem(
  422,
  "send_at_in_past",
  "Time in the past",
  "`send_at` has passed already. Choose a later time, or leave it out.",
);
export const contentGone = defineProblem(
  410,
  "email_content_gone",
  "Content gone",
  "The texts of this mail are no longer kept, because `EMAIL_RETENTION_DAYS` have passed, or because somebody who got it was erased.",
);
export const contentPrivate = defineProblem(
  403,
  "email_content_private",
  "Content private",
  "The mail has a link in it that sets a password, which is for its recipient alone. It is shown to nobody else, and deleted once it has left.",
);
export const contentUnreadable = defineProblem(
  410,
  "email_content_unreadable",
  "Content unreadable",
  "The texts of this mail were sealed under a SECRET_KEY that the instance no longer has.",
);
export const emailLeft = defineProblem(
  409,
  "email_not_cancelable",
  "Not cancelable",
  "The mail has left, was canceled before, or is this program's own. Only one that no server has been offered yet can be canceled.",
);
