import { addWords } from "../../add-words.ts";

/** Putting people into an automation by hand. */
export const automationEnrolling = {
  enrol: {
    title: "Put people in",
    lead: "They begin at the first step. Whoever the filter or the rule of coming again keeps out stays out.",
    whom: "Whom",
    subscribers: "some people",
    segment: "everybody in a segment",
    everyone: "everybody on the list",
    add: "Add somebody",
    nobody: "nobody chosen",
    chosen: "Chosen",
    remove: "Leave {{name}} out",
    segmentLabel: "Segment",
    spread: "Spread over minutes",
    spreadHint: "They begin one after another, evenly over so many minutes. 0 is all at once.",
    submit: "Put them in",
    everyoneLead: "Mails of the first steps go out to all of them.",
    needed: "Choose at least one person.",
    neededSegment: "Choose a segment.",
    minutes: "Give a number of minutes, 0 to 43,200.",
    earlier: "So far",
    whoms: { subscribers: "Some people", segment: "A segment", everyone: "Everybody" },
    status: {
      queued: "Waiting its turn",
      running: "Under way",
      completed: "Done",
      canceled: "Stopped",
      failed: "Failed",
    },
    progress: "{{processed}} of {{total}} looked at",
    counting: "Counting them",
    entered_one: "{{number}} entered",
    entered_other: "{{number}} entered",
    skipped: {
      filter: "{{number}} kept out by the filter",
      inside: "{{number}} in it already",
      reentry: "{{number}} were in it before",
      limit: "{{number}} entered too often today",
      not_found: "{{number}} not found",
      unsubscribed: "{{number}} unsubscribed",
      bounced: "{{number}} bounced",
      suppressed: "{{number}} suppressed",
      other: "{{number}} left out ({{reason}})",
    },
    errors: {
      automation_ended: "The automation ended before all were in.",
      list_deleted: "The list was deleted.",
      segment_deleted: "The segment was deleted.",
      other: "Something went wrong here. Those who were in by then stay in.",
    },
    stop: "Stop it",
  },
};

addWords(automationEnrolling);
