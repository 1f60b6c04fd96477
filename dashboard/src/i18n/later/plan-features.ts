import { addWords } from "../add-words.ts";

/** What a plan may include beside mails, and what is said where it doesn't. */
export const planFeatureWords = {
  planFeatures: {
    names: {
      automations: "Automations",
      webhooks: "Webhooks",
      transports: "Mail servers of its own",
      smtp_submission: "Mail submitted by SMTP",
    },
    none: "Nothing beside mails",
    lacks: {
      automations:
        "Your plan doesn’t include automations. Those that run go on; you can write drafts, and start them with another plan.",
      webhooks:
        "Your plan doesn’t include webhooks. Endpoints that are enabled go on; new ones need another plan.",
      transports:
        "Your plan doesn’t include mail servers of your own. Those that are here go on; new ones need another plan.",
      smtp_submission:
        "Your plan doesn’t include submitting mail by SMTP: programs that sign in for that are refused.",
    },
    see: "See your plan",
  },
};

addWords(planFeatureWords);
