import { addWords } from "../add-words.ts";

/** What stands at the top of every page while the account has nearly used up what it may send, or owes something. */
export const billingLines = {
  billingLine: {
    near: "{{share}} of the mails of this period are used.",
    nearMore: "{{left}} of {{limit}} are left until {{day}}.",
    nearCharged: "{{left}} of {{limit}} are left until {{day}}; what is sent beyond them is charged.",
    gone: "All {{limit}} mails of this period are used.",
    goneMore: "Campaigns wait, and go on by themselves on {{day}} or as soon as the plan allows more.",
    goneCharged: "What is sent until {{day}} is charged by the mail.",
    capped: "The spending cap of {{cap}} is reached.",
    cappedMore: "Campaigns wait until {{day}}, or until the cap is raised.",
    today: "All {{limit}} mails of this day are sent.",
    todayMore: "The rest goes on by itself at {{time}}.",
    pastDue: "A payment is overdue since {{day}}.",
    pastDueMore: "Campaigns and automations stop on {{campaigns}}, transactional mail on {{transactional}}.",
    usage: "See usage",
    billing: "See billing",
  },
};

addWords(billingLines);
