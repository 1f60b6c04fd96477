import { addWords } from "../add-words.ts";

/** What stands at the top of every page while the account may not send. */
export const holds = {
  holds: {
    suspended: "This account is suspended.",
    suspendedMore: "You can read and export everything, but nothing can be changed and nothing is sent.",
    deletion: "This account is about to be deleted.",
    deletionMore:
      "Until then you can read and export everything, but nothing can be changed and nothing is sent.",
    standing: "Sending is stopped.",
    standingMore:
      "Too much of what this account sent bounced, or was complained about. What was under way waits.",
    payment_overdue: "A payment is overdue.",
    payment_overdueMore:
      "Campaigns and automations wait, and after two weeks all mail does. They go on by themselves once it is paid. You can export everything.",
    reason: "The reason: “{{reason}}”.",
    since: "Since {{time}}.",
    visit: "You look into this account as an operator, until {{time}}.",
    visitMore: "You see what a viewer sees, and its owners see that you are here.",
    leave: "Leave",
  },
};

addWords(holds);
