import { addWords } from "../../add-words.ts";

/** What operators see of the instance. */
export const instanceWords = {
  instance: {
    lead: "The accounts of this instance, version {{version}}. Only operators see this page.",
    leadCounts: "Accounts: {{accounts}}. People: {{people}}. Operators: {{operators}}.",
    open: "Open an account",
    openLead:
      "It begins with a list, and with an owner who joins by a link that you hand over. Nothing is mailed.",
    name: "Name of the account",
    ownerEmail: "E-mail address of its owner",
    ownerName: "Name of its owner",
    opened: "{{name}} is open",
    account: "Account",
    state: "State",
    users: "People",
    subscribers: "Subscribers",
    mails: "Mails in 30 days",
    made: "Made",
    states: {
      active: "Active",
      suspended: "Suspended",
      deletion: "Being deleted",
      standing: "Sending stopped",
    },
    everyState: "Every state",
    search: "Name or id",
    unreadable: "The accounts couldn't be read",
    none: "No account matches",
    noneText: "Take the search or the filter away to see more.",
    suspend: "Suspend",
    suspendTitle: "Suspend {{name}}?",
    suspendLead:
      "It can be read and exported, but nothing in it is changed and nothing is sent, at once. What is under way goes on when you reinstate it.",
    reason: "Reason",
    reasonHint: "The people of the account see it.",
    suspended: "{{name}} is suspended",
    reinstate: "Reinstate",
    reinstateTitle: "Reinstate {{name}}?",
    reinstateLead: "It can be changed again, and what was under way goes on being sent.",
    reinstated: "{{name}} is reinstated",
    lookIn: "Look in",
    lookInTitle: "Look into {{name}}",
    lookInLead:
      "You see it as a viewer does, for an hour at most. Its owners are shown that, with the reason, and may end it.",
    minutes: "For how long",
    minutesOf: "{{count}} minutes",
    factorFirst: "To change anything here you need a second factor.",
    addFactor: "Add one",
  },
  visits: {
    title: "When operators looked in",
    lead: "Whoever runs this service may look into the account as a viewer, for an hour at most and for a reason.",
    reason: "Reason",
    when: "When",
    until: "Until",
    unreadable: "The visits couldn't be read",
  },
};

addWords(instanceWords);
