import { defineProblem } from "../platform/problems.ts";

export const rawPrivate = defineProblem(
  403,
  "inbound_raw_private",
  "Raw content private",
  "It returns a mail with a link that is for its recipient alone, such as one that sets a password, or nobody knows which mail it returns and the key lacks `full`.",
);
export const rawUnreadable = defineProblem(
  410,
  "inbound_raw_unreadable",
  "Raw content unreadable",
  "It was sealed under a SECRET_KEY that the instance no longer has.",
);
