/** Turns a request into a draft, or names everything that is wrong with it. Nothing here reads the database. */

import type { HeaderField } from "../../mail/mime/mime.ts";
import { composeMessage, UnfitValue } from "../../mail/mime/mime.ts";
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import type { Fault } from "../../platform/problems.ts";
import { MOST_RECIPIENTS } from "../mail-ids.ts";
import type { EmailCreate, RecipientRole } from "../schema.ts";
import { type ReadAttachment, readAttachments } from "./attachments.ts";
import { readHeaders } from "./given-headers.ts";
import { type Address, controlFault, hasControls, readMailbox } from "./mailbox.ts";

type DraftRecipient = Address & { readonly role: RecipientRole };

export type Draft = {
  readonly from: Address;
  readonly replyTo: Address | null;
  /** An address is here once, with the role that it was first given. */
  readonly recipients: readonly DraftRecipient[];
  readonly subject: string;
  readonly html: string | null;
  readonly mjml: string | null;
  readonly text: string | null;
  readonly headers: readonly HeaderField[];
  readonly attachments: readonly ReadAttachment[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly sendAt: Date | null;
};

/** A request whose template is filled in. */
export type FilledEmail = Omit<EmailCreate, "template_id" | "variables" | "subject"> & {
  readonly subject: string;
};

export type ReadDraft = { readonly draft: Draft } | { readonly faults: readonly Fault[] };

export function readDraft(given: FilledEmail): ReadDraft {
  const faults: Fault[] = [];
  const mailbox = (text: string, pointer: string): Address | undefined => {
    const read = readMailbox(text, pointer);
    if (!("fault" in read)) return read;
    faults.push(read.fault);
    return undefined;
  };
  const from = mailbox(given.from, "/from");
  const replyTo = given.reply_to === undefined ? null : mailbox(given.reply_to, "/reply_to");
  const recipients = readRecipients(given, mailbox);
  const count = given.to.length + (given.cc?.length ?? 0) + (given.bcc?.length ?? 0);
  if (count > MOST_RECIPIENTS) {
    const detail = `to, cc and bcc together have ${count} addresses, and may have ${MOST_RECIPIENTS}`;
    faults.push({ pointer: "/to", code: "too_many", detail });
  }
  for (const [pointer, text] of linesOf(given)) if (hasControls(text)) faults.push(controlFault(pointer));
  const headers = readHeaders(given.headers ?? {});
  const { attachments, faults: ofAttachments } = readAttachments(given.attachments ?? []);
  faults.push(...headers.faults, ...ofAttachments);
  if (given.html === undefined && given.mjml === undefined && given.text === undefined)
    faults.push({ pointer: "", code: "required", detail: "give html, mjml or text" });
  if (given.html !== undefined && given.mjml !== undefined)
    faults.push({ pointer: "/mjml", code: "conflict", detail: "give html or mjml, not both" });
  if (faults.length > 0 || !from || replyTo === undefined) return { faults };
  const draft: Draft = {
    from,
    replyTo,
    recipients,
    subject: given.subject,
    html: given.html ?? null,
    mjml: given.mjml ?? null,
    text: given.text ?? null,
    headers: headers.fields,
    attachments,
    tags: [...new Set(given.tags ?? [])],
    metadata: given.metadata ?? {},
    sendAt: given.send_at === undefined ? null : new Date(given.send_at),
  };
  const unfit = findUnfit(draft);
  return unfit ? { faults: [unfit] } : { draft };
}

const ROLES = ["to", "cc", "bcc"] as const;

function readRecipients(
  given: FilledEmail,
  mailbox: (text: string, pointer: string) => Address | undefined,
): DraftRecipient[] {
  const byKey = new Map<string, DraftRecipient>();
  for (const role of ROLES) {
    for (const [nth, text] of (given[role] ?? []).entries()) {
      const read = mailbox(text, `/${role}/${nth}`);
      if (read && !byKey.has(read.key)) byKey.set(read.key, { ...read, role });
    }
  }
  return [...byKey.values()];
}

/** These texts stand on one line of the mail, or are shown on one. */
function linesOf(given: FilledEmail): readonly (readonly [pointer: string, text: string])[] {
  return [
    ["/subject", given.subject],
    ...(given.tags ?? []).map((tag, nth) => [`/tags/${nth}`, tag] as const),
    ...Object.entries(given.metadata ?? {}).map(
      ([key, value]) => [`/metadata/${escapePointer(key)}`, key + value] as const,
    ),
  ];
}

const PLACES: Readonly<Record<string, string>> = {
  From: "/from",
  "Reply-To": "/reply_to",
  To: "/to",
  Cc: "/cc",
  body: "/attachments",
  "Content-Type": "/attachments",
};

/**
 * Composes the mail once with empty texts and files: whatever can't stand in a header is found now, and not when the mail is
 * sent. Nothing else can be unfit.
 */
function findUnfit(draft: Draft): Fault | undefined {
  // A mail to hidden recipients alone, which comes by SMTP, names its own sender.
  const to = mailboxesOf(draft.recipients, "to");
  const attachments = draft.attachments.map((one) => ({ ...one, content: EMPTY }));
  const texts = { html: (draft.html ?? draft.mjml) ? "" : null, text: "" };
  try {
    composeMessage({
      ...templateOf({ ...draft, attachments }, texts, "check"),
      to: to.length > 0 ? to : [mailboxOf(draft.from)],
      date: new Date(0),
      messageId: "check@example.org",
      values: [],
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    const pointer = PLACES[error.header] ?? `/headers/${error.header}`;
    return { pointer, code: "invalid_header", detail: error.message };
  }
}

const EMPTY = Buffer.alloc(0);

type Texts = { readonly html: string | null; readonly text: string | null };
/** What of a draft stands in the mail itself. */
export type Composable = Pick<Draft, "subject" | "headers"> & {
  readonly from: Pick<Address, "name" | "email">;
  readonly replyTo: Pick<Address, "name" | "email"> | null;
  readonly recipients: readonly Pick<DraftRecipient, "name" | "email" | "role">[];
  readonly attachments: readonly Pick<ReadAttachment, "filename" | "contentType" | "contentId" | "content">[];
};

export function templateOf(draft: Composable, texts: Texts, boundary: string) {
  const { from, replyTo, subject, headers, attachments } = draft;
  const cc = mailboxesOf(draft.recipients, "cc");
  const ownDomain = from.email.slice(from.email.lastIndexOf("@") + 1);
  const inline = attachments.flatMap(({ contentId, ...one }) =>
    contentId !== null && texts.html !== null
      ? [{ ...one, contentId: wholeContentId(contentId, ownDomain) }]
      : [],
  );
  const attached = attachments.filter(({ contentId }) => contentId === null || texts.html === null);
  return {
    from: mailboxOf(from),
    ...(replyTo && { replyTo: [mailboxOf(replyTo)] }),
    subject,
    headers: [...(cc.length > 0 ? [{ name: "Cc", kind: "mailboxes", value: cc } as const] : []), ...headers],
    ...(texts.text !== null && { text: texts.text }),
    ...(texts.html !== null && { html: withContentIds(texts.html, attachments, ownDomain) }),
    inlineImages: inline,
    attachments: attached,
    boundary,
  };
}

export function mailboxesOf(recipients: Composable["recipients"], role: RecipientRole) {
  return recipients.filter((one) => one.role === role).map(mailboxOf);
}

function mailboxOf({ name, email }: Pick<Address, "name" | "email">) {
  return { ...(name !== null && { name }), address: email };
}

/** RFC 2392 wants `left@right`, where most people write a word. */
function wholeContentId(contentId: string, domain: string): string {
  return contentId.includes("@") ? contentId : `${contentId}@${domain}`;
}

function withContentIds(html: string, attachments: Composable["attachments"], domain: string): string {
  let changed = html;
  for (const { contentId } of attachments) {
    if (contentId === null || contentId.includes("@")) continue;
    const named = new RegExp(`cid:${RegExp.escape(contentId)}(?=["'\\s)>&]|$)`, "gi");
    changed = changed.replaceAll(named, () => `cid:${wholeContentId(contentId, domain)}`);
  }
  return changed;
}
