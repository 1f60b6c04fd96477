import { addWords } from "../../add-words.ts";

/** What the composer shows of a mail before it is sent: how it looks, and what was found in it. */
export const mailPreview = {
  mailPreview: {
    title: "Preview",
    frame: "The mail",
    view: "How it is shown",
    views: { phone: "Phone", desktop: "Desktop", text: "Text" },
    dark: "Dark",
    toggle: "Show or hide the preview",
    pictures: "Show pictures from other servers",
    toMe: "{{from}} · to me",
    noSubject: "No subject",
    noSender: "No sender",
    now: "now",
    firstWords: "The first words of the mail stand here.",
    inboxRow: "In an inbox: {{from}}, {{subject}}",
    as: {
      label: "As",
      now: "Seen as {{name}}",
      choose: "As whom it is seen",
      find: "Address or name",
      madeUp: "Somebody made up",
      chosen: "now",
      gone: "Somebody who is gone",
      none: "Nobody on this list is found by that.",
    },
    fault: {
      last: "This is how it looked before the last change",
      none: "It can't be shown yet",
      more_one: "And one more.",
      more_other: "And {{count}} more.",
    },
    checks: {
      title: "Checks",
      fine: "All fine",
      toLookAt_one: "1 to look at",
      toLookAt_other: "{{count}} to look at",
      toMend_one: "1 to mend",
      toMend_other: "{{count}} to mend",
      nothingStops: { send: "nothing stops a send", publish: "nothing stops publishing" },
      stops: {
        send_one: "it stops a send",
        send_other: "they stop a send",
        publish_one: "it stops publishing",
        publish_other: "they stop publishing",
      },
      show: "Show",
      showWhat: "Show: {{what}}",
      also: "Also in",
      line: "line {{line}}",
      more_one: "one more place",
      more_other: "{{count}} more places",
      severity: { error: "Stops a send:", warning: "To look at:", info: "Good to know:" },
    },
  },
} as const;
addWords(mailPreview);
