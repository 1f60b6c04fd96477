/** From a frozen revision to bytes: prepared once, then a join for each recipient. */
import {
  type ContentWorkers,
  type PreparedContent,
  prepareContent,
  type Recipient as Reader,
  renderValues,
} from "../content/content.ts";
import type { Compose, Composed, Recipient } from "../delivery/delivery.ts";
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
import { toPublicId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { INERT_TOKEN, linksFor, tokenMaker } from "./links.ts";
import type { Revision } from "./revision.ts";

type ComposeTools = {
  readonly secrets: Pick<Secrets, "mac">;
  readonly workers: Pick<ContentWorkers, "render">;
  /** Mail from their domains is signed, and from those below them. */
  readonly dkimKeys: readonly DkimKey[];
  readonly clock: Clock;
};

type Prepared = {
  readonly revision: Revision;
  readonly content: PreparedContent;
  readonly message: CompiledMessage;
  /** Behind the @ of every Message-ID. */
  readonly domain: string;
};

/** What the engine is handed. */
export function createCompose({ secrets, workers, dkimKeys, clock }: ComposeTools): Compose {
  return async ({ accountId, id, revision }) => {
    const prepared = prepareRevision(revision as Revision);
    const keys = keysFor(dkimKeys, prepared.domain);
    const { isFast } = prepared.content.compiled;
    const tokenFor = tokenMaker(secrets, accountId, id);
    return async (recipients) => {
      const composed = isFast
        ? recipients.map((one) => composeFast(prepared, one, tokenFor(one.contactId)))
        : await Promise.all(
            recipients.map((one) => composeSlowly(workers, prepared, one, tokenFor(one.contactId))),
          );
      if (keys.length === 0) return composed;
      return Promise.all(composed.map((one) => signWith(keys, one, clock.now())));
    };
  };
}

/** Those of the domain itself, else of the nearest domain above it, which DMARC takes as well (RFC 7489 §3.1.1). */
function keysFor(keys: readonly DkimKey[], domain: string): readonly DkimKey[] {
  const above = keys.filter((key) => domain === key.domain || domain.endsWith(`.${key.domain}`));
  const longest = Math.max(0, ...above.map((key) => key.domain.length));
  return above.filter((key) => key.domain.length === longest);
}

async function signWith(keys: readonly DkimKey[], composed: Composed, now: Date): Promise<Composed> {
  if (!composed.ok || keys.length === 0) return composed;
  const signed = await signMessage(composed.message, keys, { now });
  if (!signed.ok) return { ok: false, reason: `unsigned: ${signed.detail}` };
  return { ...composed, message: Buffer.concat([signed.fields, composed.message]) };
}

export type TestReader = Omit<Recipient, "contactId" | "listId">;

/** The mail as it would be, but nothing in it leads anywhere that does something. */
export async function composeTest(
  { workers, dkimKeys }: Pick<ComposeTools, "workers" | "dkimKeys">,
  revision: Revision,
  reader: TestReader,
): Promise<Composed> {
  const prepared = prepareRevision(revision);
  const composed = prepared.content.compiled.isFast
    ? composeFast(prepared, reader, INERT_TOKEN)
    : await composeSlowly(workers, prepared, reader, INERT_TOKEN);
  return signWith(keysFor(dkimKeys, prepared.domain), composed, reader.date);
}

function prepareRevision(revision: Revision): Prepared {
  const { compiled, from, replyTo } = revision;
  const domain = domainOf(from.email);
  const unsubscribe: Pieces = [{ slot: compiled.slots.length }];
  const message = compileMessage({
    from: { ...(from.name !== null && { name: from.name }), address: from.email },
    ...(replyTo !== null && { replyTo: [{ address: replyTo }] }),
    subject: compiled.subject,
    headers: headersOf(revision, domain, unsubscribe),
    text: compiled.text,
    ...(compiled.html && { html: compiled.html }),
    boundary: `postrider_${revision.campaign.id}`,
  });
  return { revision, content: prepareContent(compiled), message, domain };
}

/** RFC 8058 for the first two, RFC 2919 for the third; Feedback-ID is what Gmail's statistics are grouped by. */
function headersOf({ list, campaign }: Revision, domain: string, unsubscribe: Pieces): HeaderField[] {
  return [
    { name: "List-Unsubscribe", kind: "urls", value: [unsubscribe] },
    { name: "List-Unsubscribe-Post", kind: "token", value: "List-Unsubscribe=One-Click" },
    { name: "List-Id", kind: "list_id", value: { name: list.name, id: `${list.id}.${domain}` } },
    { name: "Feedback-ID", kind: "token", value: `${campaign.id}:${list.id}:campaign:postrider` },
    { name: "Precedence", kind: "token", value: "bulk" },
  ];
}

/** At once, without a promise, which would take a mail 1 µs more. */
function composeFast(prepared: Prepared, recipient: TestReader, token: string): Composed {
  const reader = toReader(prepared.revision, recipient, token);
  return joinValues(prepared, recipient, reader, renderValues(prepared.content, reader));
}

async function composeSlowly(
  workers: Pick<ContentWorkers, "render">,
  prepared: Prepared,
  recipient: TestReader,
  token: string,
): Promise<Composed> {
  const { compiled } = prepared.content;
  const reader = toReader(prepared.revision, recipient, token);
  const rendered = await workers.render(compiled, reader);
  // By the clock on the wall, which also runs while the process stands still: nobody is failed for that.
  const isTooSlow = !rendered.ok && rendered.fault.code === "too_slow";
  return joinValues(
    prepared,
    recipient,
    reader,
    isTooSlow ? await workers.render(compiled, reader) : rendered,
  );
}

function joinValues(
  { revision, message, domain }: Prepared,
  recipient: TestReader,
  reader: Reader,
  rendered: ReturnType<typeof renderValues>,
): Composed {
  if (!rendered.ok) {
    const { code, detail } = rendered.fault;
    return { ok: false, reason: `${code}: ${detail}`, isPassing: code === "worker_failed" };
  }
  try {
    const bytes = joinMessage(message, {
      to: [{ address: recipient.email }],
      date: recipient.date,
      messageId: `${recipient.messageId}@${domain}`,
      values: [...rendered.values, reader.urls.unsubscribe],
    });
    return { ok: true, message: bytes, from: revision.from.email, to: recipient.email };
  } catch (error) {
    if (error instanceof UnfitValue) return { ok: false, reason: `unfit_header: ${error.message}` };
    throw error;
  }
}

function toReader(revision: Revision, recipient: TestReader, token: string): Reader {
  return {
    subscriber: {
      id: toPublicId("sub", recipient.subscriberId),
      email: recipient.email,
      first_name: recipient.firstName,
      last_name: recipient.lastName,
      fields: recipient.fields,
      tags: recipient.tags,
      locale: recipient.locale,
      time_zone: recipient.timeZone,
    },
    list: revision.list,
    campaign: revision.campaign,
    postalAddress: revision.postalAddress,
    urls: linksFor(revision.publicUrl, token),
  };
}

function domainOf(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed.ok) throw new Error("a frozen sender is an address");
  return parsed.asciiDomain;
}
