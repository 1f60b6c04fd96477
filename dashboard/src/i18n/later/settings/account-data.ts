import { addWords } from "../../add-words.ts";

/** Taking everything that the account has, and deleting it. */
export const accountDataWords = {
  accountData: {
    limits: {
      title: "Limits",
      lead: "The operator of this service has set them, or your plan has.",
      mails: "Mails a day at most: {{number}}. What is left over goes on the next day (UTC).",
      subscribers: "Subscribers at most, on all lists together: {{number}}.",
      contacts:
        "Subscribers that your plan allows, on all lists together: {{number}}. Who signs up by a form is taken beyond it.",
    },
    export: {
      title: "Export everything",
      lead: "One file with everything in this account, one JSON object a line: subscribers, campaigns, mails, images, numbers and logs. Passwords, keys and other secrets are not in it.",
      start: "Export everything",
      stop: "Stop",
      begins: "It begins…",
      progress: "{{size}} so far. Keep this page open until it is done.",
      done: "The export is complete: {{lines}} lines, {{size}}. It is among your downloads.",
      saveAgain: "Save it again",
      failed: "The export was broken off. Nothing was saved; try again.",
    },
    deletion: {
      title: "Delete this account",
      lead: "Nothing is sent from that moment on, and nothing can be changed. After 14 days everything is deleted for good: subscribers, campaigns, files and numbers, and the people who belong to no other account. Until then any owner can take it back.",
      start: "Delete this account…",
      dialogTitle: "Delete {{name}}?",
      dialogLead:
        "Sending stops now. On {{date}} everything in this account is deleted, and nobody can bring it back. Export it first if you may need any of it.",
      name: "Name of the account",
      nameHint: "Type “{{name}}”.",
      confirm: "Delete the account",
      requested: "The account will be deleted on {{date}}",
      pending: "This account will be deleted on {{date}}.",
      pendingMore: "Until then you can read and export everything, and any owner can take it back.",
      running: "This account is being deleted.",
      runningMore: "The time in which that could be taken back is over.",
      takeBack: "Keep the account",
      takenBack: "The account is kept, and what was under way goes on",
      unreadable: "Whether this account is to be deleted couldn't be read",
    },
  },
};

addWords(accountDataWords);
