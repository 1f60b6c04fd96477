/** Composes mails for the sender. A mail is composed once, and every recipient of it gets the same bytes. */
import type { Composed, MessageComposer, PreparedRevision, Recipient } from "../delivery/delivery.ts";
import { messageIdOf } from "../delivery/delivery.ts";
import { parseAddress } from "../mail/addresses.ts";
import type { DkimKey } from "../mail/dkim/dkim.ts";
import { composeMessage, UnfitValue } from "../mail/mime/mime.ts";
import { signMail } from "../messages/messages.ts";
import type { Queryable } from "../platform/db/db.ts";
import type { Secrets } from "../platform/secrets.ts";
import { mailboxesOf, templateOf } from "./input/input.ts";
import { mailIdOf, nthOf } from "./mail-ids.ts";
import { type Body, type Envelope, openAttachment, openBody, openEnvelope } from "./sealed.ts";
import { readAttachmentContents, readContents, type SealedMail } from "./store.ts";

type ComposeTools = {
  readonly db: Queryable;
  readonly secrets: Secrets;
  readonly dkimKeys: readonly DkimKey[];
};

/** So much is composed at a time; what has attachments above it stays in the ledger and is composed next. */
const MOST_BYTES = 32 * 1_024 * 1_024;

/** Makes the composer of waves, which have no revision: a recipient's id says which mail it gets. */
export function createEmailComposer(tools: ComposeTools): MessageComposer {
  return {
    async prepare(accountId): Promise<PreparedRevision> {
      return {
        needsTags: false,
        compose: (sourceId, recipients) => composeMails(tools, accountId, sourceId, recipients),
      };
    },
  };
}

type ComposedMail = { readonly envelope: Envelope; readonly composed: Composed };

async function composeMails(
  tools: ComposeTools,
  accountId: string,
  sourceId: string,
  recipients: readonly Recipient[],
): Promise<readonly Composed[]> {
  const ids = [...new Set(recipients.map(({ contactId }) => mailIdOf(contactId)))];
  const kept = new Map((await readContents(tools.db, accountId, ids)).map((row) => [row.id, row]));
  const made = new Map<string, ComposedMail | Extract<Composed, { ok: false }>>();
  let bytes = 0;
  for (const id of ids) {
    const row = kept.get(id);
    const isTooMuch = bytes > MOST_BYTES && row !== undefined && row.attachments > 0;
    const one = isTooMuch ? LATER : row ? await composeMail(tools, accountId, sourceId, row) : GONE;
    if ("composed" in one && one.composed.ok) bytes += one.composed.message.length;
    made.set(id, one);
  }
  return recipients.map(({ contactId }) => copyFor(made.get(mailIdOf(contactId)) ?? GONE, contactId));
}

const LATER = { ok: false, reason: "others are composed first", isTransient: true } as const;
const GONE = { ok: false, reason: "content_gone: the mail is no longer kept" } as const;
const UNREADABLE = { ok: false, reason: "content_sealed: no SECRET_KEY opens the mail" } as const;

function copyFor(made: ComposedMail | Extract<Composed, { ok: false }>, recipientId: string): Composed {
  if (!("composed" in made)) return made;
  const to = made.envelope.recipients[nthOf(recipientId)]?.address?.email;
  if (to === undefined) return GONE;
  return made.composed.ok ? { ...made.composed, to } : made.composed;
}

async function composeMail(
  tools: ComposeTools,
  accountId: string,
  sourceId: string,
  row: SealedMail,
): Promise<ComposedMail | Extract<Composed, { ok: false }>> {
  const place = { accountId, contentId: row.content_id };
  if (row.body === null) return GONE;
  const envelope = openEnvelope(tools.secrets, place, row.envelope);
  const body = openBody(tools.secrets, place, row.body);
  if (!envelope || !body) return UNREADABLE;
  const contents = row.attachments > 0 ? await readAttachments(tools, accountId, row) : [];
  if (contents.length < row.attachments) return GONE;
  return { envelope, composed: await composeOnce(tools, sourceId, row, envelope, body, contents) };
}

async function readAttachments(tools: ComposeTools, accountId: string, row: SealedMail): Promise<Buffer[]> {
  const place = { accountId, contentId: row.content_id };
  const sealed = await readAttachmentContents(tools.db, accountId, row.id);
  return sealed.flatMap(({ n, content }) => openAttachment(tools.secrets, place, n, content) ?? []);
}

async function composeOnce(
  { dkimKeys }: ComposeTools,
  sourceId: string,
  row: SealedMail,
  envelope: Envelope,
  { html, text, headers }: Body,
  contents: readonly Buffer[],
): Promise<Composed> {
  const { from } = envelope;
  const parsed = parseAddress(from.email);
  const domain = parsed.ok ? parsed.asciiDomain : "";
  const recipients = envelope.recipients.flatMap(({ role, address }) =>
    address ? [{ role, ...address }] : [],
  );
  const attachments = envelope.attachments.map((head, nth) => ({
    ...head,
    content: contents[nth] as Buffer,
  }));
  // Whoever it was addressed to may have been erased meanwhile. A mail to hidden recipients alone names its own sender.
  const to = mailboxesOf(recipients, "to");
  try {
    const message = composeMessage({
      ...templateOf({ ...envelope, recipients, headers, attachments }, { html, text }, `postrider_${row.id}`),
      to: to.length > 0 ? to : [{ address: from.email }],
      date: row.send_at ?? row.created_at,
      messageId: `${messageIdOf(sourceId, row.id)}@${domain}`,
      values: [],
    });
    const composed = { ok: true, message, from: from.email, to: "" } as const;
    return await signMail(dkimKeys, domain, composed, row.created_at);
  } catch (error) {
    if (error instanceof UnfitValue) return { ok: false, reason: `unfit_header: ${error.message}` };
    throw error;
  }
}
