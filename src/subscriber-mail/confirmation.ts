/** The mail that asks somebody to confirm: it has one link, no tracking, and nothing to promote. */
import type { TxCtx } from "../platform/context.ts";
import { type ConfirmationPayload, takeConfirmation } from "../subscribers/subscribers.ts";
import { type Letter, oneLine } from "./layout.ts";
import { fillWords, type LetterWords, letterWordsFor } from "./letters/letters.ts";
import { brandOf, readFrom, type SubscriberMailTools, sendLetter } from "./send.ts";

/** Run twice, it finds that the mail was accepted. Who has confirmed, left or moved away meanwhile isn't asked any more. */
export async function mailConfirmation(
  ctx: TxCtx,
  tools: SubscriberMailTools,
  payload: ConfirmationPayload,
): Promise<void> {
  const taken = await takeConfirmation(ctx, payload);
  if (!taken) return;
  const { subscriber, confirmation } = taken;
  const { list_id: listId, email } = subscriber;
  const from = await readFrom(ctx, listId);
  // The people of sample data are made up, and have no mailbox that could answer.
  if (!from?.list || from.list.is_sample) return;
  const words = letterWordsFor(confirmation.locale, subscriber.locale, from.account.locale);
  const url = tools.links.confirmUrl({
    accountId: ctx.accountId,
    listId,
    subscriberId: subscriber.id,
    confirmationId: payload.confirmation_id,
  });
  const letter = confirmationLetter(words, {
    sender: brandOf(from).name,
    list: from.list.name,
    address: email,
    url,
  });
  const to = { email, name: null };
  await sendLetter(ctx, tools, { to, listId, kind: "confirmation", locale: words.lang, letter });
}

type About = {
  readonly sender: string;
  readonly list: string;
  readonly address: string;
  readonly url: string;
};

/** The person's name isn't in it: whoever typed the address into a form could write anything there. */
export function confirmationLetter({ confirmation: said, thisSender }: LetterWords, about: About): Letter {
  const list = oneLine(about.list);
  const values = { list, sender: oneLine(about.sender) || thisSender, address: about.address };
  const [subject, asked] = list === "" ? [said.subjectNoList, said.askedNoList] : [said.subject, said.asked];
  return {
    // An invisible sign has no place in a subject, where nothing becomes a link.
    subject: fillWords(subject, { list: list.replaceAll("\u200c", "") }),
    paragraphs: [fillWords(asked, values), said.confirm],
    action: { label: said.button, url: about.url },
    notes: [said.ignore],
  };
}
