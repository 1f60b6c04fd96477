import { defineProblem } from "../platform/problems.ts";

export const unsubscribeNotServed = defineProblem(
  422,
  "unsubscribe_not_served",
  "Unsubscribe link not served",
  "The instance doesn't serve the unsubscribe link that the mail would carry, so it is sent nowhere but into the sandbox. What else is wrong is named in `errors`.",
);
export const publicUrlNotReachable = defineProblem(
  422,
  "public_url_not_reachable",
  "Public address not reachable",
  "Recipients can't reach PUBLIC_URL, so they could not unsubscribe: it leads to the instance's own machine or network. It is let pass where mail leaves by a server on the same machine or in INTERNAL_HOSTS. What else is wrong is named in `errors`.",
);
export const contentBusy = defineProblem(
  503,
  "content_busy",
  "Content can't be checked",
  "The content could not be compiled just now: there is too much to do, or the service is stopping. Try again in a moment.",
);
