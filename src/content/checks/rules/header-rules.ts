/** These rules look at the sender and at what an inbox shows of a mail before it is opened. */
import { isOwnServerOf, providerOf } from "./free-mail.ts";
import { countCharacters, faultIf, type Rule } from "./rule.ts";

/** Gmail in a wide window shows about 70 characters, a telephone about 40. */
const SUBJECT_CHARACTERS = 70;
/** No inbox is known to show more than about 140 characters. */
const PREHEADER_CHARACTERS = 150;

export const headerRules: readonly Rule[] = [
  {
    code: "missing_from",
    severity: "error",
    remedy: "Give the campaign, the list or the account a sender's address.",
    find: ({ message }) => faultIf(!message.from?.email.trim(), "The mail has no sender."),
  },
  {
    code: "free_mail_sender",
    severity: "error",
    remedy: "Send from an address of a domain that you own, or by that provider's own server.",
    *find({ message: { from, transportHost } }) {
      const domain = from?.email.split("@").at(-1)?.toLowerCase() ?? "";
      const provider = providerOf(domain);
      if (!provider || (transportHost !== null && isOwnServerOf(provider, transportHost))) return;
      const message = `Mail from ${domain} that another server sends is refused or filtered as forged.`;
      yield { message, at: { part: "from", offset: 0 } };
    },
  },
  {
    code: "missing_subject",
    severity: "error",
    remedy: "Write a subject.",
    find: ({ message }) => faultIf(message.subject.trim() === "", "The mail has no subject."),
  },
  {
    code: "long_subject",
    severity: "warning",
    remedy: `Keep it below ${SUBJECT_CHARACTERS} characters, with what matters in the first 40.`,
    *find({ message: { subject } }) {
      const length = countCharacters(subject);
      if (length <= SUBJECT_CHARACTERS) return;
      yield {
        message: `The subject has ${length.toLocaleString("en")} characters; most inboxes cut it off.`,
        at: { part: "subject", offset: 0 },
      };
    },
  },
  {
    code: "missing_preheader",
    severity: "info",
    remedy: "Write a preview text that adds to the subject.",
    find: ({ message }) =>
      faultIf(
        !message.preheader?.trim(),
        "There is no preview text, so inboxes show the mail's first words after the subject.",
      ),
  },
  {
    code: "long_preheader",
    severity: "warning",
    remedy: "Keep it between 40 and 140 characters.",
    *find({ message: { preheader } }) {
      const length = countCharacters(preheader ?? "");
      if (length <= PREHEADER_CHARACTERS) return;
      yield {
        message: `The preview text has ${length.toLocaleString("en")} characters; no inbox shows them all.`,
        at: { part: "preheader", offset: 0 },
      };
    },
  },
];
