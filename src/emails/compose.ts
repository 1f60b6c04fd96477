/** Composes mails for the sender. One that isn't tracked is composed once, and every recipient of it gets the same bytes. */
import type { Composed, MessageComposer, PreparedRevision, Recipient } from "../delivery/delivery.ts";
import { messageIdOf } from "../delivery/delivery.ts";
import type { SenderIdentity, SigningKeys } from "../domains/domains.ts";
import { parseAddress } from "../mail/addresses.ts";
import { composeMessage, UnfitValue } from "../mail/mime/mime.ts";
import { type LinkTokens, type ReturnPaths, signMail, unsignable } from "../messages/messages.ts";
import type { Queryable } from "../platform/db/db.ts";
import { DbError } from "../platform/db/errors.ts";
import { toPublicId } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";
import { mailboxesOf, templateOf } from "./input/input.ts";
import { mailIdOf, nthOf } from "./mail-ids.ts";
import { type Body, type Envelope, openAttachment, openBody, openEnvelope } from "./sealed.ts";
import { readAttachmentContents, readContents, type SealedMail } from "./store.ts";
import { htmlFor } from "./tracked-html.ts";

type ComposeTools = {
  readonly db: Queryable;
  readonly secrets: Secrets;
  /** It is asked for each mail and each try, since keys change. */
  readonly signing: Pick<SigningKeys, "identityOf" | "ofInstance">;
  /** The address of SYSTEM_FROM, in whose name the instance itself sends for every account. */
  readonly systemFrom: string | undefined;
  readonly linkTokens: Pick<LinkTokens, "makerFor" | "pathTo">;
  readonly returnPaths: Pick<ReturnPaths, "bounceFor">;
  /** The domain of return paths; where it is undefined, mail is sent from the address in its From. */
  readonly inboundDomain: string | undefined;
  readonly log: Log;
};

/** So much is composed at a time; what has attachments above it stays in the ledger and is composed next. */
const MOST_BYTES = 32 * 1_024 * 1_024;

/** Makes the composer of waves, which have no revision: a recipient's id says which mail it gets. */
export function createEmailComposer(tools: ComposeTools): MessageComposer {
  return {
    async prepare(accountId): Promise<PreparedRevision> {
      return {
        needsTags: false,
        compose: (sourceId, recipients) => composeMails(tools, { accountId, sourceId }, recipients),
      };
    },
  };
}

type WaveName = { readonly accountId: string; readonly sourceId: string };
type Failed = Extract<Composed, { ok: false }>;
/** A mail that is ready to be composed for each of its recipients. */
type OpenMail = {
  readonly row: SealedMail;
  readonly envelope: Envelope;
  readonly body: Body;
  readonly contents: readonly Buffer[];
  readonly identity: SenderIdentity;
  /** The bytes that all recipients share; undefined until the first is composed, and always where copies differ. */
  shared?: Composed;
};

/** A mail that can't be composed fails by itself: those beside it have nothing to do with it. */
async function composeMails(
  tools: ComposeTools,
  wave: WaveName,
  recipients: readonly Recipient[],
): Promise<readonly Composed[]> {
  const ids = [...new Set(recipients.map(({ contactId }) => mailIdOf(contactId)))];
  const kept = new Map((await readContents(tools.db, wave.accountId, ids)).map((row) => [row.id, row]));
  const opened = new Map<string, OpenMail | Failed>();
  const composed: Composed[] = [];
  const made = new Set<Buffer>();
  let bytes = 0;
  for (const { contactId } of recipients) {
    const id = mailIdOf(contactId);
    const row = kept.get(id);
    const known = opened.get(id);
    const isAnother = !(known && "shared" in known);
    if (row && row.attachments > 0 && bytes > MOST_BYTES && isAnother) {
      composed.push(LATER);
      continue;
    }
    const mail =
      known ?? (row ? await orFailed(tools, id, () => openMail(tools, wave.accountId, row)) : GONE);
    opened.set(id, mail);
    const one = "ok" in mail ? mail : await orFailed(tools, id, () => copyFor(tools, wave, mail, contactId));
    composed.push(one);
    if (!one.ok || made.has(one.message)) continue;
    made.add(one.message);
    bytes += one.message.length;
  }
  return composed;
}

const LATER = { ok: false, reason: "others are composed first", isTransient: true } as const;
const GONE = { ok: false, reason: "content_gone: the mail is no longer kept" } as const;
const UNREADABLE = { ok: false, reason: "content_sealed: no SECRET_KEY opens the mail" } as const;

/** Turns an error into the failure of this mail alone. The database may answer the next time. */
async function orFailed<T>({ log }: ComposeTools, id: string, work: () => Promise<T>): Promise<T | Failed> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnfitValue) return { ok: false, reason: `unfit_header: ${error.message}` };
    if (error instanceof DbError) return { ok: false, reason: error.message, isTransient: true };
    log.error({ err: error, email: toPublicId("msg", id) }, "a mail could not be composed");
    return { ok: false, reason: "compose_failed: the mail could not be composed" };
  }
}

async function openMail(tools: ComposeTools, accountId: string, row: SealedMail): Promise<OpenMail | Failed> {
  const place = { accountId, contentId: row.content_id };
  if (row.body === null) return GONE;
  const envelope = openEnvelope(tools.secrets, place, row.envelope);
  const body = openBody(tools.secrets, place, row.body);
  if (!envelope || !body) return UNREADABLE;
  const contents = row.attachments > 0 ? await readAttachments(tools, accountId, row) : [];
  if (contents.length < row.attachments) return GONE;
  const domain = domainOf(envelope.from.email);
  const known = await tools.signing.identityOf(accountId, domain);
  const isSystem = envelope.isOwn === true && envelope.from.email === tools.systemFrom;
  const keys = isSystem && known.keys.length === 0 ? tools.signing.ofInstance(domain) : known.keys;
  if (known.isUnreadable && keys.length === 0) return unsignable(domain) as Failed;
  return { row, envelope, body, contents, identity: { ...known, keys } };
}

async function copyFor(
  tools: ComposeTools,
  wave: WaveName,
  mail: OpenMail,
  recipientId: string,
): Promise<Composed> {
  const { envelope, body } = mail;
  const to = envelope.recipients[nthOf(recipientId)]?.address?.email;
  if (to === undefined) return GONE;
  const way = { to, ...returnPathOf(tools, wave, mail.identity, recipientId) };
  if (body.tracked) {
    const token = tools.linkTokens.makerFor(wave.accountId, wave.sourceId)(recipientId);
    const html = htmlFor(body.tracked, tools.linkTokens, token, mail.identity);
    const composed = await composeCopy(wave.sourceId, mail, { ...body, html });
    return composed.ok ? { ...composed, ...way } : composed;
  }
  mail.shared ??= await composeCopy(wave.sourceId, mail, body);
  return mail.shared.ok ? { ...mail.shared, ...way } : mail.shared;
}

/** The envelope sender is each recipient's own, though the bytes are shared. */
function returnPathOf(
  { returnPaths, inboundDomain }: ComposeTools,
  { accountId, sourceId }: WaveName,
  { returnPath }: SenderIdentity,
  recipientId: string,
): { readonly from?: string } {
  if (inboundDomain === undefined) return {};
  return {
    from: `${returnPaths.bounceFor(accountId, sourceId, recipientId)}@${returnPath ?? inboundDomain}`,
  };
}

async function readAttachments(tools: ComposeTools, accountId: string, row: SealedMail): Promise<Buffer[]> {
  const place = { accountId, contentId: row.content_id };
  const sealed = await readAttachmentContents(tools.db, accountId, row.id);
  return sealed.flatMap(({ n, content }) => openAttachment(tools.secrets, place, n, content) ?? []);
}

async function composeCopy(
  sourceId: string,
  { row, envelope, contents, identity }: OpenMail,
  body: Body,
): Promise<Composed> {
  const { from } = envelope;
  const message = composeBytes(sourceId, row, envelope, body, contents);
  const { isPrivate = false } = envelope;
  const fromDomain = domainOf(from.email);
  const composed = { ok: true, message, from: from.email, fromDomain, to: "", isPrivate } as const;
  return signMail(identity.keys, composed, row.created_at);
}

/** Composes a mail for somebody who looks at it: without its attachments, and unsigned. */
export function composeForShow(
  sourceId: string | null,
  row: SealedMail,
  envelope: Envelope,
  body: Body,
): Buffer {
  return composeBytes(sourceId ?? row.content_id, row, { ...envelope, attachments: [] }, body, []);
}

function domainOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed.ok ? parsed.asciiDomain : "";
}

function composeBytes(
  sourceId: string,
  row: SealedMail,
  envelope: Envelope,
  { html, text, headers }: Body,
  contents: readonly Buffer[],
): Buffer {
  const { from } = envelope;
  const recipients = envelope.recipients.flatMap(({ role, address }) =>
    address ? [{ role, ...address }] : [],
  );
  const attachments = envelope.attachments.map((head, nth) => ({
    ...head,
    content: contents[nth] as Buffer,
  }));
  // Whoever it was addressed to may have been erased meanwhile. A mail to hidden recipients alone names its own sender.
  const to = mailboxesOf(recipients, "to");
  return composeMessage({
    ...templateOf({ ...envelope, recipients, headers, attachments }, { html, text }, `postrider_${row.id}`),
    to: to.length > 0 ? to : [{ address: from.email }],
    date: row.send_at ?? row.created_at,
    messageId: `${messageIdOf(sourceId, row.id)}@${domainOf(from.email)}`,
    values: [],
  });
}
