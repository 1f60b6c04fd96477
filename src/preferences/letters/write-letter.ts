/** Writes the mails of this folder; how they look is the business of `src/subscriber-mail/`. */
import { fillText, maskAddress, plainName } from "../../public-pages/public-pages.ts";
import type { Letter } from "../../subscriber-mail/subscriber-mail.ts";
import type { LetterKind } from "./letter-texts.ts";
import { type LetterLocale, letters } from "./words.ts";

type Told = {
  readonly locale: LetterLocale;
  readonly senderName: string;
  /** Whole addresses, which the mail masks: whoever is written to by mistake learns no address. */
  readonly from: string;
  readonly to: string;
};

export function writeLinkLetter(kind: LetterKind, told: Told, url: string): Letter {
  const words = letters[told.locale];
  const { subject, text, button } = words[kind];
  const values = valuesOf(told);
  return {
    subject: fillText(subject, values),
    paragraphs: [fillText(text, values)],
    action: { label: button, url },
    notes: [words.anHour, words.ignore],
  };
}

/** Tells the former address, and has no link, since there is nothing to do but to write. */
export function writeAddressChanged(told: Told): Letter {
  const { subject, text } = letters[told.locale].address_changed;
  const values = valuesOf(told);
  return {
    subject: fillText(subject, values),
    paragraphs: [fillText(text, values)],
    action: null,
    notes: [],
  };
}

function valuesOf({ senderName, from, to }: Told): Record<string, string> {
  return { sender: plainName(senderName, "…"), from: maskAddress(from), to: maskAddress(to) };
}
