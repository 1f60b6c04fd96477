import { addWords } from "../../add-words.ts";

/** Trying an automation with one person. */
export const automationTrials = {
  simulate: {
    title: "Try with a subscriber",
    lead: "Shows which way a person would take, and when. Nothing is sent or changed.",
    who: "Who",
    somebody: "Somebody on the list",
    madeUp: "Somebody made up",
    subscriber: "Subscriber",
    firstName: "First name",
    timeZone: "Time zone",
    tags: "Tags",
    from: "Enters at",
    fromHint: "Empty means now.",
    events: "What happens on the way",
    addEvent: "Add something that happens",
    removeEvent: "Delete this",
    eventType: "What",
    eventTypes: {
      event: "Your program reports an event",
      email_opened: "Opens a mail",
      email_clicked: "Clicks in a mail",
    },
    eventName: "Event",
    eventStep: "Mail",
    anyMail: "Any mail",
    eventAt: "At",
    run: "Show the way",
    runAgain: "Show it again",
    path: "The way",
    notReady: "The draft has faults. Mend them first; they are listed beside the steps.",
    needed: "Choose a subscriber, or make one up.",
    at: "{{time}}",
    visits: {
      email: { done: "The mail goes out." },
      done: "Done, and on.",
      waited: "Waited until {{time}}.",
      happened: "It happened at {{time}}, and the person goes on: {{way}}.",
      timeout: "It hadn't happened by {{time}}: {{way}}.",
      rule: "Goes on: {{way}}.",
      share: "By chance: {{way}}.",
      exit: "Leaves the automation here, at {{time}}.",
      end: "Through.",
      delayed: "Goes out at {{time}}, when mail may leave.",
    },
    ends: {
      not_entered: "The person wouldn't enter: the filter doesn't hold.",
      completed: "Through all steps at {{time}}.",
      unsubscribed: "Unsubscribed at {{time}}.",
      goal: "Reached a goal at {{time}}, and left.",
      exit: "Left early at {{time}}.",
      too_many_visits: "Stopped after too many steps: the person goes round in a circle.",
    },
  },
};

addWords(automationTrials);
