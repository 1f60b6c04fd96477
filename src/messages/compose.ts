/** Composes mail from a frozen revision: it is prepared once, and then joined with the values of each recipient. */
import {
  type ContentWorkers,
  HERE,
  isRunaway,
  type MergeData,
  type PreparedContent,
  prepareContent,
  renderValues,
} from "../content/content.ts";
import type { Composed, MessageComposer, PreparedRevision, Recipient } from "../delivery/delivery.ts";
import type { SenderIdentity, SigningKeys } from "../domains/domains.ts";
import { parseAddress } from "../mail/addresses.ts";
import { type DkimKey, signMessage } from "../mail/dkim/dkim.ts";
import {
  type CompiledMessage,
  compileMessage,
  type HeaderField,
  joinMessage,
  type Pieces,
  UnfitValue,
} from "../mail/mime/mime.ts";
import type { Clock } from "../platform/clock.ts";
import type { Queryable } from "../platform/db/db.ts";
import { createComposeTime } from "./compose-time.ts";
import { feedbackSenderOf } from "./feedback-id.ts";
import { createHitTokens } from "./hit-tokens.ts";
import {
  type HitTokens,
  INERT_TOKEN,
  type LinkTokens,
  linksFor,
  type MailReturnPaths,
  type ReturnPaths,
} from "./links/links.ts";
import type { Revision } from "./revision.ts";
import { readRevision } from "./revision-store.ts";

type ComposeTools = {
  readonly linkTokens: LinkTokens;
  readonly returnPaths: Pick<ReturnPaths, "makerFor">;
  /** The domain of return paths; where it is undefined, mail is sent from the address in its From. */
  readonly inboundDomain: string | undefined;
  readonly workers: Pick<ContentWorkers, "render">;
  /** Says by which keys mail is signed, and from which hosts it leaves. It is asked for each batch: keys change while mail is sent. */
  readonly signing: Pick<SigningKeys, "identityOf">;
  readonly clock: Clock;
};

type Prepared = {
  readonly revision: Revision;
  /** The parsed content. It is undefined where only the workers may render it: then it isn't even parsed here. */
  readonly content: PreparedContent | undefined;
  readonly message: CompiledMessage;
  /** The domain that stands behind the @ of every Message-ID. */
  readonly domain: string;
};

/** Makes the composer that delivery is given; `db` is where revisions are. */
export function createComposer({ db, ...tools }: ComposeTools & { readonly db: Queryable }): MessageComposer {
  return {
    async prepare(accountId, revisionId) {
      return prepareComposing(tools, accountId, (await readRevision(db, accountId, revisionId)) as Revision);
    },
  };
}

export function prepareComposing(
  { linkTokens, returnPaths, inboundDomain, workers, signing, clock }: ComposeTools,
  accountId: string,
  revision: Revision,
): PreparedRevision {
  const prepared = prepareRevision(accountId, revision);
  const senderFor = ({ bounce }: MailReturnPaths, { returnPath }: SenderIdentity) =>
    inboundDomain === undefined ? revision.from.email : `${bounce}@${returnPath ?? inboundDomain}`;
  const composeSlowly = createSlowComposer(workers, prepared, accountId);
  const time = createComposeTime(clock);
  const hasPaths = inboundDomain !== undefined || revision.inboundDomain !== undefined;
  return {
    needsTags: JSON.stringify(revision).includes("tags"),
    async compose(sourceId, recipients) {
      const identity = await signing.identityOf(accountId, prepared.domain);
      if (identity.isUnreadable) return recipients.map(() => unsignable(prepared.domain));
      const publicUrl = linkAddressOf(revision, identity);
      const tokenFor = linkTokens.makerFor(accountId, sourceId);
      // It is the same for all, so it is made at most once here.
      let aggregate: string | undefined;
      const hitTokensFor = createHitTokens(revision, () => {
        aggregate ??= linkTokens.aggregateFor(accountId, sourceId);
        return aggregate;
      });
      const pathsFor = hasPaths ? returnPaths.makerFor(accountId, sourceId) : () => INERT_PATHS;
      const copies = recipients.map((recipient): Copy => {
        const token = tokenFor(recipient.contactId);
        const paths = pathsFor(recipient.contactId);
        const hitTokens = hitTokensFor(token, recipient.trackingConsent);
        const from = senderFor(paths, identity);
        return { recipient, token, hitTokens, publicUrl, unsubscribePath: paths.unsubscribe, from };
      });
      const fast = time.each(copies, (copy) => composeFast(prepared, copy));
      const slow = (await composeSlowly(copies.filter((_, at) => !fast[at]))).values();
      const composed = fast.map((one) => one ?? (slow.next().value as Composed));
      if (identity.keys.length === 0) return composed;
      return Promise.all(composed.map((one) => signMail(identity.keys, one, clock.now())));
    },
  };
}

/** Links lead over the sender's own host while it is the one that was frozen and its record is right, else to the instance. */
function linkAddressOf(revision: Revision, { trackingHost }: SenderIdentity): string {
  const isUsable = revision.trackingHost !== undefined && revision.trackingHost === trackingHost;
  return isUsable ? `https://${trackingHost}` : revision.publicUrl;
}

/** Says that a mail must wait: to send it unsigned from a domain that is proved would spoil what people think of the domain. */
export function unsignable(domain: string): Composed {
  const reason = `the key of ${domain} can't be opened under this SECRET_KEY`;
  return { ok: false, reason, isTransient: true, pausesFor: "signing_key_unreadable" };
}

/** Puts the signature of each key in front of a mail. */
export async function signMail(keys: readonly DkimKey[], composed: Composed, now: Date): Promise<Composed> {
  if (!composed.ok || keys.length === 0) return composed;
  const signed = await signMessage(composed.message, keys, { now });
  if (!signed.ok) return { ok: false, reason: `unsigned: ${signed.detail}` };
  return { ...composed, message: Buffer.concat([signed.fields, composed.message]) };
}

/** Tests carry these, and so does mail of which nothing comes back here. */
const INERT_PATHS: MailReturnPaths = { bounce: INERT_TOKEN, unsubscribe: INERT_TOKEN };

export type TestRecipient = Omit<Recipient, "contactId" | "listId" | "values" | "trackingConsent">;

/** The local parts of a test's own addresses, where it leaves as the mail itself would, from its return path. */
export type TestPaths = MailReturnPaths;

/** Composes a mail as it would be sent, but its links lead nowhere that does something. */
export async function composeTest(
  accountId: string,
  { workers, signing }: Pick<ComposeTools, "workers" | "signing">,
  revision: Revision,
  recipient: TestRecipient,
  paths?: TestPaths,
): Promise<Composed> {
  const prepared = prepareRevision(accountId, revision);
  const identity = await signing.identityOf(accountId, prepared.domain);
  if (identity.isUnreadable) return unsignable(prepared.domain);
  const copy = {
    recipient,
    publicUrl: linkAddressOf(revision, identity),
    token: INERT_TOKEN,
    hitTokens: { pixel: INERT_TOKEN, links: INERT_TOKEN },
    unsubscribePath: (paths ?? INERT_PATHS).unsubscribe,
    from:
      paths && revision.inboundDomain !== undefined
        ? `${paths.bounce}@${identity.returnPath ?? revision.inboundDomain}`
        : revision.from.email,
  };
  const fast = composeFast(prepared, copy);
  const [slow] = fast ? [] : await createSlowComposer(workers, prepared, accountId)([copy]);
  const composed = (fast ?? slow) as Composed;
  return signMail(identity.keys, composed, recipient.date);
}

function prepareRevision(accountId: string, revision: Revision): Prepared {
  const { compiled, from, replyTo } = revision;
  const domain = domainOf(from.email);
  const unsubscribe: Pieces[] = [[{ slot: compiled.slots.length }]];
  if (revision.inboundDomain !== undefined)
    unsubscribe.push([
      "mailto:",
      { slot: compiled.slots.length + 1 },
      `@${revision.inboundDomain}?subject=unsubscribe`,
    ]);
  const message = compileMessage({
    from: { ...(from.name !== null && { name: from.name }), address: from.email },
    ...(replyTo !== null && { replyTo: [{ address: replyTo }] }),
    subject: compiled.subject,
    headers: headersOf(accountId, revision, domain, unsubscribe),
    text: compiled.text,
    ...(compiled.html && { html: compiled.html }),
    boundary: `postrider_${revision.ownerId}`,
  });
  return { revision, content: compiled.isBounded ? prepareContent(compiled) : undefined, message, domain };
}

/**
 * RFC 8058 asks for the first two, and RFC 2919 for the third; Gmail groups its statistics by Feedback-ID. Mail that belongs to
 * no list has nothing to unsubscribe from.
 */
function headersOf(
  accountId: string,
  { list, topic, ownerId, stream }: Revision,
  domain: string,
  unsubscribe: readonly Pieces[],
): HeaderField[] {
  const feedbackId: HeaderField = {
    name: "Feedback-ID",
    kind: "token",
    value: `${ownerId}:${list?.id ?? ""}:${stream}:${feedbackSenderOf(accountId)}`,
  };
  if (!list) return [feedbackId];
  // Receivers group and mute by List-Id, so that it names what one click leaves.
  const about = topic ?? list;
  return [
    { name: "List-Unsubscribe", kind: "urls", value: unsubscribe },
    { name: "List-Unsubscribe-Post", kind: "token", value: "List-Unsubscribe=One-Click" },
    { name: "List-Id", kind: "list_id", value: { name: about.name, id: `${about.id}.${domain}` } },
    feedbackId,
    { name: "Precedence", kind: "token", value: "bulk" },
  ];
}

/**
 * Composes at once, without a promise, which would take a mail 1 µs more. It answers undefined for what a thread that can be
 * killed must render.
 */
function composeFast(prepared: Prepared, copy: Copy): Composed | undefined {
  if (!prepared.content) return undefined;
  const mergeData = toMergeData(prepared.revision, copy);
  const rendered = renderValues(prepared.content, mergeData, HERE);
  if (!rendered.ok && isRunaway(rendered.fault)) return undefined;
  return joinValues(prepared, copy, mergeData, rendered);
}

/** This many recipients of a source are rendered at a time, and this many in a row may run away. */
const RENDERED_AT_ONCE = 4;
const MOST_RUNAWAYS = 5;

/** One recipient's copy of a message, with the token that its links share, and those that tell whose a hit is, or not. */
type Copy = {
  readonly recipient: TestRecipient;
  readonly token: string;
  readonly hitTokens: HitTokens;
  /** The address that its links begin with. */
  readonly publicUrl: string;
  /** The local part of its `mailto:` unsubscribe. */
  readonly unsubscribePath: string;
  /** The envelope sender. */
  readonly from: string;
};

/**
 * Content that runs away keeps a thread for seconds, and others wait for it. So this throws when too many recipients in a row
 * do so, and the engine then fails the source. Asked again, it tries one recipient first.
 */
function createSlowComposer(
  workers: Pick<ContentWorkers, "render">,
  prepared: Prepared,
  accountId: string,
): (copies: readonly Copy[]) => Promise<readonly Composed[]> {
  const { compiled } = prepared.revision;
  let runaways = 0;

  async function render(mergeData: MergeData) {
    const rendered = await workers.render(compiled, mergeData, accountId);
    // The time limit runs also while the whole process stands still, and nobody shall fail for that: so it is tried once more.
    const mayBeOurs = !rendered.ok && rendered.fault.code === "too_slow" && runaways === 0;
    return mayBeOurs ? workers.render(compiled, mergeData, accountId) : rendered;
  }

  async function composeOne(copy: Copy): Promise<Composed> {
    const mergeData = toMergeData(prepared.revision, copy);
    const rendered = await render(mergeData);
    if (rendered.ok) runaways = 0;
    else if (isRunaway(rendered.fault)) runaways++;
    if (!rendered.ok && runaways >= MOST_RUNAWAYS) throw new Error(runawayReason(rendered.fault.detail));
    return joinValues(prepared, copy, mergeData, rendered);
  }

  return async (copies) => {
    const atOnce = runaways > 0 ? 1 : RENDERED_AT_ONCE;
    runaways = Math.min(runaways, MOST_RUNAWAYS - 1);
    const composed: Composed[] = [];
    const entries = copies.entries();
    const takeTurns = async () => {
      for (const [at, copy] of entries) {
        if (runaways >= MOST_RUNAWAYS) return;
        composed[at] = await composeOne(copy);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, takeTurns));
    return composed;
  };
}

function runawayReason(detail: string): string {
  return `its content ran away for ${MOST_RUNAWAYS} recipients in a row: ${detail}`;
}

function joinValues(
  { message, domain }: Prepared,
  { recipient, unsubscribePath, from }: Copy,
  mergeData: MergeData,
  rendered: ReturnType<typeof renderValues>,
): Composed {
  if (!rendered.ok) {
    const { code, detail } = rendered.fault;
    return { ok: false, reason: `${code}: ${detail}`, isTransient: code === "worker_failed" };
  }
  try {
    const bytes = joinMessage(message, {
      to: [{ address: recipient.email }],
      date: recipient.date,
      messageId: `${recipient.messageId}@${domain}`,
      values: [...rendered.values, mergeData.urls.unsubscribe, unsubscribePath],
    });
    return { ok: true, message: bytes, from, fromDomain: domain, to: recipient.email };
  } catch (error) {
    if (error instanceof UnfitValue) return { ok: false, reason: `unfit_header: ${error.message}` };
    throw error;
  }
}

function toMergeData(revision: Revision, { recipient, token, hitTokens, publicUrl }: Copy): MergeData {
  return {
    subscriber: recipient.subscriber,
    list: revision.list,
    campaign: revision.campaign,
    postalAddress: revision.postalAddress,
    urls: linksFor(publicUrl, token, hitTokens),
  };
}

function domainOf(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed.ok) throw new Error("a frozen sender is an address");
  return parsed.asciiDomain;
}
