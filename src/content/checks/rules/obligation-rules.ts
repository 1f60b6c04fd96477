/** These rules look for what a campaign must have by law and by the rules of the large mailbox providers. */

import type { RuleFault } from "../message.ts";
import { countShown, type Link, type Reading } from "../reading/reading.ts";
import { faultIf, type Rule } from "./rule.ts";

export const obligationRules: readonly Rule[] = [
  {
    code: "missing_unsubscribe_link",
    severity: "error",
    remedy: "Put a link to {{ unsubscribe_url }} into the mail.",
    find: findMissingLink,
  },
  {
    code: "missing_postal_address",
    severity: "error",
    remedy: "Give the list or the account a postal address.",
    find: findMissingAddress,
  },
];

function* findMissingLink({ message, links }: Reading): Iterable<RuleFault> {
  const { stream, unsubscribeUrl, html, text } = message;
  if (stream === "transactional") return;
  const url = unsubscribeUrl?.trim();
  if (!url) return yield { message: "The mail offers no way to unsubscribe." };
  const found = links.filter(({ href }) => href === url);
  if (html.trim() !== "" && !found.some(isSeen)) {
    const [first] = found;
    yield first
      ? { ...UNSEEN, at: { part: "html", offset: first.offset } }
      : { message: "The HTML holds no link to unsubscribe." };
  }
  if (text?.trim() && !text.includes(url))
    yield { message: "The text part doesn't say where to unsubscribe." };
}

const UNSEEN = {
  message: "The link to unsubscribe has nothing that can be seen.",
  remedy: "Write something into it, such as Unsubscribe.",
};

function isSeen({ label, hasImage }: Link): boolean {
  return hasImage || countShown(label) > 0;
}

function* findMissingAddress({ message, visible }: Reading): Iterable<RuleFault> {
  const { stream, postalAddress, html, text } = message;
  if (stream === "transactional") return;
  const address = lettersOf(postalAddress ?? "");
  if (address === "") return yield* faultIf(true, "The mail doesn't say where its sender can be written to.");
  if (html.trim() !== "" && !lettersOf(visible.text).includes(address)) {
    yield { message: "The HTML doesn't show the sender's postal address." };
  }
  if (text?.trim() && !lettersOf(text).includes(address)) {
    yield { message: "The text part doesn't give the sender's postal address." };
  }
}

/**
 * Reduces a text to letters and digits, because line breaks, commas and non-breaking blanks of an address differ
 * between parts.
 */
function lettersOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
