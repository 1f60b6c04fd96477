import { addWords } from "../../add-words.ts";

/** The warm-up of a sending server, on the server's page. */
export const warmupWords = {
  warmup: {
    title: "Warm-up",
    lead: "A server that nobody knows yet begins with a few mails a day to each mailbox provider, and sends more after each good day. The rest waits for the next day (UTC).",
    start: "Mails on the first day",
    startHint: "To each provider, such as Gmail.",
    growth: "Growth a day",
    growthHint: "More than 1, less than 2: 1.5 is half as much again.",
    target: "Mails a day in the end",
    begin: "Begin the warm-up",
    save: "Save the plan",
    saved: "The warm-up was saved; a day that has begun stays as it is",
    running: "Running",
    paused: "Paused",
    pausedText: "Paused: what each provider may be sent stays as it is.",
    pause: "Pause",
    resume: "Resume",
    end: "End the warm-up",
    endTitle: "End the warm-up?",
    endLead: "Nothing limits what a provider is sent from then on, and what waits leaves at once.",
    ended: "The warm-up was ended",
    unreadable: "The warm-up couldn’t be read",
    nothing: "Nothing was sent by this plan yet.",
    perDay: "{{number}} a day",
    atTarget: "As many as planned in the end",
    planned: "Planned",
    sent: "Sent",
    oneDay: "{{day}}: {{sent}} sent of {{planned}} planned.",
    day: "Day",
    caption: "Planned and sent, {{name}}",
  },
} as const;

addWords(warmupWords);
