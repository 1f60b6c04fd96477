import { addWords } from "../../add-words.ts";

/** What each period costs, and of what its mails were. */
export const statementWords = {
  statements: {
    title: "Statements",
    lead: "What each period costs. The one that lasts now is reckoned as of this moment.",
    none: "The first one comes with the first period.",
    unreadable: "The statements couldn’t be read",
    oneUnreadable: "The statement couldn’t be read",
    back: "Billing",
    period: "Period",
    mails: "Mails",
    total: "Total",
    state: "State",
    states: { open: "So far", closed: "Closed" },
    openNote:
      "Not closed yet: what is sent until the period ends, and what is settled shortly after, is still added.",
    closedNote: "Closed on {{day}}. It never changes.",
    trial: "Trial",
    print: "Print",
    lines: "Lines",
    line: "What",
    amount: "Amount",
    base: "{{plan}}",
    trialBase: "{{plan}}, trial",
    late: "{{stream}}, of an earlier period",
    lateLink: "Its statement",
    included: "{{number}} included",
    credited: "{{number}} paid by credits",
    charged: "{{number}} charged",
    credit: "Paid by credits",
    tax: "{{label}}, {{rate}}%",
    proof: "Proof",
    proofLead_one:
      "Of what its {{number}} mail was, counted from the ledger. A campaign that was sent within the period has as many as its report says.",
    proofLead_other:
      "Of what its {{number}} mails were, counted from the ledger. A campaign that was sent within the period has as many as its report says.",
    noProof: "Nothing was sent in this period.",
    proofUnreadable: "The proof couldn’t be read",
    source: "Of what",
    accepted: "Accepted",
    inAll: "Sent in all",
    kinds: {
      campaign: "Campaign",
      automation: "Automation",
      transactional: "Transactional mail",
      unattributed: "No longer in the ledger",
    },
    deleted: "Deleted",
    lateSource: "sent in an earlier period",
    download: "Download the proof",
  },
};

addWords(statementWords);
