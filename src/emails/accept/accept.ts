/**
 * Accepts mails. What must be read or made is prepared first; then one transaction stores all mails of a request, with their
 * rows in the ledger, in one message to the database.
 */
import type { ContentWorkers } from "../../content/content.ts";
import { addToWave, type Wave } from "../../delivery/delivery.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type HashAddress, sendContacts } from "../../subscribers/subscribers.ts";
import type { FillTemplate, TemplateRef } from "../../templates/templates.ts";
import { fillIn } from "../from-template/from-template.ts";
import { type Draft, makeTexts, readDraft, type Texts } from "../input/input.ts";
import { addDropJob, sendEmailKind } from "../job-kinds.ts";
import { newMailId, recipientIdOf } from "../mail-ids.ts";
import { recipientsSuppressed, sendAtPassed, sendAtTooFar } from "../problems.ts";
import type { EmailCreate } from "../schema.ts";
import {
  digestOf,
  type Envelope,
  sealAttachment,
  sealBody,
  sealEnvelope,
  type Term,
  wordsOf,
} from "../sealed.ts";
import { type NewEmail, sendEmails } from "../store.ts";
import { chooseTracking, type Tracking, trackHtml } from "../tracked-html.ts";
import { findContactsTogether } from "./contacts-together.ts";
import { findRefused, type RoomFinder } from "./quota.ts";
import { refuseUnverified, type SenderFinder } from "./sender-domain.ts";
import { checkSize, readTransportId, type WaveFinder } from "./ways.ts";

export { createRoomFinder } from "./quota.ts";
export { createSenderFinder } from "./sender-domain.ts";
export { createWaveFinder } from "./ways.ts";

export type AcceptTools = {
  readonly secrets: Secrets;
  readonly hashAddress: HashAddress;
  readonly workers: Pick<ContentWorkers, "compile">;
  readonly fillTemplate: FillTemplate;
  /** Whether the instance has a server of its own (SMTP_URL). */
  readonly hasInstanceServer: boolean;
  /** Tells senders of a source that has something to send, once that is committed. */
  readonly wakeSenders: (sourceId: string) => void;
  /** Says by which wave mail leaves; `createWaveFinder` makes it, once for a process. */
  readonly findWave: WaveFinder;
  /** Says how many mails the account may hand over; `createRoomFinder` makes it, once for a process. */
  readonly findRoom: RoomFinder;
  /** Says what the account has proved of a sender's domain; `createSenderFinder` makes it, once for a process. */
  readonly senders: SenderFinder;
  /** Where the links and pixels of tracked mail lead. */
  readonly publicUrl: () => string;
};

const MOST_AHEAD_MS = 30 * 24 * 3_600_000;

type CheckedRecipient = Draft["recipients"][number] & {
  readonly hash: Buffer;
  readonly isKnown: boolean;
  readonly suppressedFor: string | null;
};

/** A mail that is ready to be stored. */
export type PreparedEmail = Omit<Draft, "recipients"> & {
  readonly texts: Texts;
  /** What its texts were made from. */
  readonly template: TemplateRef | null;
  readonly recipients: readonly CheckedRecipient[];
  readonly wave: Wave;
  /** The transport that the request names; null where it names none. */
  readonly transportId: string | null;
  readonly tracking: Tracking;
  /** Undefined for the mail of programs. */
  readonly own: OwnMail | undefined;
};

/** What sets the product's own mail apart. */
export type OwnMail = {
  /** Whether it has a link in it that only its recipient may follow. */
  readonly isPrivate: boolean;
  /** Whether its recipients get it whatever people have suppressed by hand: they sign in here, and it is about their account. */
  readonly isOwed: boolean;
  /** Whether the instance answers for its sender, so that it leaves whatever the account has proved. */
  readonly isVouchedFor: boolean;
  /** What it leaves by, where its sender has looked already; else it is looked for. */
  readonly wave?: Wave;
};

/** Checks one request and makes what takes long. It throws a refusal, and changes nothing. */
export async function prepareEmail(
  ctx: Ctx,
  tools: AcceptTools,
  given: EmailCreate,
  own?: OwnMail,
): Promise<PreparedEmail> {
  const prepared = await prepareWithin(ctx, tools, given, own);
  const [refused] = (await findRefused(ctx, tools.findRoom, [prepared])).values();
  if (refused) throw refused;
  return prepared;
}

/** Does so but for asking whether the account has mails left. */
async function prepareWithin(
  ctx: Ctx,
  tools: AcceptTools,
  given: EmailCreate,
  own?: OwnMail,
): Promise<PreparedEmail> {
  const filled = await fillIn(ctx, tools.fillTemplate, given);
  const read = readDraft(filled.mail);
  const faults = [...filled.faults, ...("faults" in read ? read.faults : [])];
  if ("faults" in read || faults.length > 0) throw invalid(...faults);
  const { draft } = read;
  checkTime(ctx, draft.sendAt);
  const transportId = readTransportId(given.transport_id);
  const { domain } = draft.from;
  const [recipients, made, wave, tracking, sender] = await Promise.all([
    checkRecipients(ctx, tools, draft, own?.isOwed ?? false),
    makeTexts(tools.workers, ctx.accountId, draft),
    own?.wave ?? tools.findWave(ctx, transportId),
    chooseTracking(ctx, given.tracking),
    tools.senders.find(ctx, domain),
  ]);
  if (!own?.isVouchedFor) refuseUnverified(tools.senders, domain, sender, wave);
  checkSize(wave, draft, made);
  const texts = await trackHtml(tools, ctx.accountId, made, tracking, sender);
  return { ...draft, template: filled.template, recipients, texts, wave, transportId, tracking, own };
}

function checkTime({ clock }: Ctx, sendAt: Date | null): void {
  if (sendAt === null) return;
  const aheadMs = sendAt.getTime() - clock.now().getTime();
  if (aheadMs <= 0) throw new AppError(sendAtPassed, "send_at has passed already");
  if (aheadMs > MOST_AHEAD_MS) throw new AppError(sendAtTooFar, "send_at is more than 30 days ahead");
}

async function checkRecipients(
  ctx: Ctx,
  tools: AcceptTools,
  draft: Draft,
  isOwed: boolean,
): Promise<CheckedRecipient[]> {
  const hashed = draft.recipients.map((one) => ({ ...one, hash: tools.hashAddress(one.key) }));
  const known = await findContactsTogether(
    ctx,
    hashed.map(({ hash }) => hash),
  );
  const recipients = hashed.map((one) => {
    const found = known.get(one.hash.toString("hex"));
    const suppressedFor = isOwed && !found?.isFoundOut ? null : (found?.suppressedFor ?? null);
    return { ...one, isKnown: found !== undefined, suppressedFor };
  });
  if (recipients.some(({ suppressedFor }) => suppressedFor === null)) return recipients;
  const numbers = { to: 0, cc: 0, bcc: 0 };
  throw new AppError(recipientsSuppressed, "every recipient is suppressed; see errors", {
    faults: recipients.map(({ role, suppressedFor }) => ({
      pointer: `/${role}/${numbers[role]++}`,
      code: "suppressed",
      detail: `this address is suppressed: ${suppressedFor}`,
    })),
  });
}

export type Accepted = { readonly row: NewEmail; readonly envelope: Envelope };

/** Stores mails in the caller's transaction, without waiting for an answer: they are accepted when it has committed. */
export async function acceptEmails(
  ctx: TxCtx,
  tools: AcceptTools,
  prepared: readonly PreparedEmail[],
): Promise<Accepted[]> {
  const unknown = prepared.flatMap(({ recipients }) => recipients.filter(({ isKnown }) => !isKnown));
  if (unknown.length > 0)
    sendContacts(
      ctx,
      unknown.map(({ hash }) => hash),
    );
  const accepted = prepared.map((one) => ({ one, ...toRow(ctx, tools, one) }));
  sendEmails(
    ctx.sql,
    ctx.accountId,
    accepted.map(({ row }) => row),
  );
  const now = accepted.filter(({ one }) => one.sendAt === null);
  for (const some of Map.groupBy(now, ({ one }) => one.wave.id).values()) {
    const { wave } = (some[0] as (typeof some)[number]).one;
    const mails = some.map(({ one, row }) => ({
      ids: { email_id: toPublicId("msg", row.id) },
      recipients: waveRecipients(row.id, one.recipients, one.own?.isOwed),
    }));
    await addToWave(ctx, wave, mails);
    ctx.sql.afterCommit(() => tools.wakeSenders(wave.id));
  }
  await addJobs(
    ctx,
    accepted.map(({ row, one }) => ({ ...row, own: one.own })),
  );
  return accepted;
}

/** Returns the recipients as the ledger knows them. Those who are suppressed are not among them. */
export function waveRecipients(
  mailId: string,
  recipients: readonly Pick<CheckedRecipient, "hash" | "domain" | "suppressedFor">[],
  isOwed = false,
) {
  return recipients.flatMap(({ hash, domain, suppressedFor }, nth) =>
    suppressedFor === null
      ? [{ id: recipientIdOf(mailId, nth), addressHash: hash, domain, ...(isOwed && { isOwed }) }]
      : [],
  );
}

function toRow(ctx: TxCtx, { secrets }: AcceptTools, mail: PreparedEmail): Accepted {
  const { accountId, clock } = ctx;
  // The times inside the ids are those that are shown, so that a search by time finds what it should.
  const now = clock.now();
  const id = newMailId({ ...clock, now: () => now });
  const contentId = newId({ ...clock, now: () => mail.sendAt ?? now });
  const place = { accountId, contentId };
  const envelope: Envelope = {
    from: addressOf(mail.from),
    replyTo: mail.replyTo && addressOf(mail.replyTo),
    recipients: mail.recipients.map((one) => ({
      role: one.role,
      address: addressOf(one),
      suppressedFor: one.suppressedFor,
    })),
    subject: mail.subject,
    tags: mail.tags,
    metadata: mail.metadata,
    attachments: mail.attachments.map(({ content: _content, ...head }) => head),
    tracking: mail.tracking,
    ...(mail.template && { template: mail.template }),
    ...(mail.own && { isOwn: true }),
    ...(mail.own?.isPrivate && { isPrivate: true }),
  };
  const row: NewEmail = {
    id,
    content_id: contentId,
    wave_id: mail.sendAt === null ? mail.wave.id : null,
    transport_id: mail.transportId,
    send_at: mail.sendAt,
    recipients: mail.recipients.length,
    attachments: mail.attachments.length,
    created_at: now,
    envelope: sealEnvelope(secrets, place, envelope),
    body: sealBody(secrets, place, { ...mail.texts, headers: mail.headers }),
    sealedAttachments: mail.attachments.map(({ content }, nth) =>
      sealAttachment(secrets, place, nth, content),
    ),
    terms: termsOf(mail).map((term) => digestOf(secrets, accountId, term)),
  };
  return { row, envelope };
}

function addressOf({ name, email }: { readonly name: string | null; readonly email: string }) {
  return { name, email };
}

function termsOf({ recipients, tags, metadata, subject, template, sendAt }: PreparedEmail): Term[] {
  const hasSuppressed = recipients.some(({ suppressedFor }) => suppressedFor !== null);
  return [
    ...(hasSuppressed ? [{ kind: "suppressed" } as const] : []),
    // Only what still waits for its time keeps a template from being deleted.
    ...(template && sendAt ? [{ kind: "template", id: template.id } as const] : []),
    ...recipients.map(({ key }) => ({ kind: "to", key }) as const),
    ...tags.map((tag) => ({ kind: "tag", tag }) as const),
    ...Object.entries(metadata).map(([name, value]) => ({ kind: "metadata", name, value }) as const),
    ...wordsOf(subject).map((word) => ({ kind: "word", word }) as const),
  ];
}

async function addJobs(
  { sql, accountId, clock }: TxCtx,
  rows: readonly (NewEmail & Pick<PreparedEmail, "own">)[],
): Promise<void> {
  for (const { id, send_at: sendAt, attachments, own } of rows) {
    const payload = { account_id: accountId, email_id: id };
    if (sendAt) await addJob(sql, sendEmailKind, payload, { runAt: sendAt, key: `send ${id}` });
    if (attachments > 0 || own?.isPrivate) await addDropJob(sql, accountId, id, sendAt ?? clock.now());
  }
}

/** What became of one mail of a batch. */
export type BatchOutcome = { readonly accepted: Accepted } | { readonly refused: AppError };
/** What is ready to be stored of a batch; a mail that was refused stops no other. */
export type PreparedBatch = readonly (
  | { readonly prepared: PreparedEmail }
  | { readonly refused: AppError }
)[];

/** Checks the mails of a batch, each by itself, and all together whether there are mails left for them. */
export async function prepareBatch(
  ctx: Ctx,
  tools: AcceptTools,
  given: readonly unknown[],
  check: (one: unknown) => EmailCreate,
): Promise<PreparedBatch> {
  const batch = await Promise.all(
    given.map(async (one) => {
      try {
        return { prepared: await prepareWithin(ctx, tools, check(one)) };
      } catch (error) {
        if (error instanceof AppError) return { refused: error };
        throw error;
      }
    }),
  );
  const prepared = batch.flatMap((one) => ("prepared" in one ? [one.prepared] : []));
  const refused = await findRefused(ctx, tools.findRoom, prepared);
  return batch.map((one) => {
    const refusal = "prepared" in one ? refused.get(one.prepared) : undefined;
    return refusal ? { refused: refusal } : one;
  });
}

/** Stores those mails of a batch that may be sent, and answers for all in their order. */
export async function acceptBatch(
  ctx: TxCtx,
  tools: AcceptTools,
  batch: PreparedBatch,
): Promise<BatchOutcome[]> {
  const prepared = batch.flatMap((one) => ("prepared" in one ? [one.prepared] : []));
  const accepted = (prepared.length > 0 ? await acceptEmails(ctx, tools, prepared) : []).values();
  return batch.map((one) =>
    "refused" in one ? { refused: one.refused } : { accepted: accepted.next().value as Accepted },
  );
}
