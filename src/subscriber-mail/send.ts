/** Hands what an account mails to its subscribers to transactional mail, by the same acceptance as the mail of programs. */
import { type AccountRow, getAccount } from "../accounts/accounts.ts";
import { type AcceptTools, acceptEmails, prepareEmail } from "../emails/emails.ts";
import { UNVERIFIED_DOMAIN } from "../messages/messages.ts";
import type { TxCtx } from "../platform/context.ts";
import { AppError } from "../platform/problems.ts";
import { findList, type ListRow } from "../subscribers/subscribers.ts";
import { type Brand, type Letter, writeHtml, writeText } from "./layout.ts";
import { letterWordsFor } from "./letters/letters.ts";
import { chooseSender, type MailSender } from "./sender.ts";
import type { SubscriberLinks } from "./subscriber-links.ts";

export type SubscriberMailTools = {
  readonly accept: AcceptTools;
  /** SYSTEM_FROM; undefined where the instance has no sender of its own. */
  readonly systemFrom: { readonly email: string } | undefined;
  readonly links: SubscriberLinks;
};

/** A mail that is written, for one person. */
export type SubscriberMail = {
  readonly to: { readonly email: string; readonly name: string | null };
  /** The list whose sender it is from; null for the account's. */
  readonly listId: string | null;
  /** Is what the mail is tagged with, behind `postrider-`: a word or a few with hyphens. */
  readonly kind: string;
  readonly locale: string;
  readonly letter: Letter;
};

/** It is refused where the address isn't mailed, or the mail can't be made. */
export type Sent = "accepted" | "refused";

/** What the mail says, whoever wrote it. */
export type Texts = {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What is known of whom a mail is from. */
export type From = { readonly account: AccountRow; readonly list: ListRow | undefined };

export async function sendLetter(
  ctx: TxCtx,
  tools: SubscriberMailTools,
  mail: SubscriberMail,
): Promise<Sent> {
  const from = await readFrom(ctx, mail.listId);
  if (!from) return "refused";
  const { letter } = mail;
  const brand = brandOf(from);
  const html = writeHtml(letter, brand, letterWordsFor(mail.locale));
  const texts = { subject: letter.subject, html, text: writeText(letter, brand) };
  return sendTexts(ctx, tools, { from, to: mail.to, kind: mail.kind, texts, isPrivate: true });
}

export async function readFrom({ sql, accountId }: TxCtx, listId: string | null): Promise<From | undefined> {
  const account = await getAccount(sql, accountId);
  const list = listId === null ? undefined : await findList(sql, accountId, listId);
  return account && { account, list };
}

export function brandOf({ account, list }: From): Brand {
  const postalAddress = list?.postal_address ?? account.postal_address;
  return { name: account.name, colour: account.brand_colour, postalAddress };
}

type Sending = {
  readonly from: From;
  readonly to: SubscriberMail["to"];
  readonly kind: string;
  readonly texts: Texts;
  readonly isPrivate: boolean;
};

/**
 * Accepts a mail in the caller's transaction. What may go better at another time is thrown, for the queue to try again for three
 * days: somebody may give the account a sender meanwhile, or prove its domain.
 */
export async function sendTexts(
  ctx: TxCtx,
  tools: SubscriberMailTools,
  { from, to, kind, texts, isPrivate }: Sending,
): Promise<Sent> {
  const { accept } = tools;
  const sender = chooseSender(from, await accept.findWave(ctx, null), tools.systemFrom);
  if (!sender) throw new Error(`a ${kind} mail has no sender: give the list or the account one`);
  try {
    const { subject, html, text, headers } = texts;
    const prepared = await prepareEmail(
      ctx,
      accept,
      {
        from: mailboxOf(sender),
        to: [mailboxOf(to)],
        ...(sender.replyTo !== null && { reply_to: sender.replyTo }),
        subject,
        ...(html !== null && { html }),
        text,
        // Automatic replies must not answer it (RFC 3834 §5).
        headers: { "Auto-Submitted": "auto-generated", ...headers },
        tags: [`postrider-${kind}`],
        tracking: { opens: false, clicks: false },
      },
      { isPrivate, isOwed: false, isVouchedFor: sender.email === tools.systemFrom?.email },
    );
    await acceptEmails(ctx, accept, [prepared]);
    return "accepted";
  } catch (error) {
    if (!(error instanceof AppError) || error.problem.status >= 500) throw error;
    if (error.problem.code === UNVERIFIED_DOMAIN) throw error;
    ctx.log.info({ kind, code: error.problem.code }, "a mail to a subscriber was refused");
    return "refused";
  }
}

function mailboxOf({ name, email }: Pick<MailSender, "name" | "email">): string {
  // What stands in a header is on one line; the name may be anything else.
  const line = (name ?? "").replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  return line === "" ? email : `"${line.slice(0, 100).replaceAll(/["\\]/g, "\\$&")}" <${email}>`;
}
