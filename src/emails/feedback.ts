/** Notes what comes back about a transactional mail after a server took it: a bounce that arrives as mail, or a complaint. */
import { noteFeedback, readPersons, type SourceOwner } from "../delivery/delivery.ts";
import { recordEvent } from "../events/events.ts";
import { parseAddress } from "../mail/addresses.ts";
import type { TxCtx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { suppressContact } from "../subscribers/subscribers.ts";
import { recipientIdOf } from "./mail-ids.ts";
import { type Envelope, openEnvelope } from "./sealed.ts";
import { findEmail } from "./store.ts";

export type ReturnedEmail = {
  /** The Message-ID of what was returned, with its angle brackets or without. */
  readonly messageId: string;
  /** Whom the report names; null where it names nobody, which tells enough of a mail to one person. */
  readonly address: string | null;
  readonly kind: Parameters<typeof noteFeedback>[2]["kind"];
};

/**
 * Notes it for the recipient whom it is about, each kind once, and suppresses the address where it never works, or where the person
 * wants no such mail. Returns false where it names no mail of this account that was sent, or none of its recipients.
 */
export async function noteReturnedEmail(
  ctx: TxCtx,
  { secrets, owner }: { readonly secrets: Secrets; readonly owner: SourceOwner },
  { messageId, address, kind }: ReturnedEmail,
): Promise<boolean> {
  const { sql, accountId } = ctx;
  const named = readMessageId(messageId);
  const row = named && (await findEmail(sql, accountId, named.mailId));
  if (!row || row.wave_id !== named.waveId) return false;
  const place = { accountId, contentId: row.content_id };
  const envelope = row.envelope ? openEnvelope(secrets, place, row.envelope) : undefined;
  const nth = placeOf(envelope, address, row.recipients);
  if (nth === undefined) return false;
  const contactId = recipientIdOf(row.id, nth);
  if (!(await noteFeedback(ctx, owner, { ownerId: accountId, contactId, kind }))) return false;
  const [personId] = await readPersons(sql, [{ accountId, sourceId: row.wave_id, contactId }]);
  if (personId === undefined) return true;
  if (kind === "hard_bounce") await suppressContact(ctx, personId, kind, "delivery");
  if (kind === "complaint")
    await suppressContact(ctx, personId, kind, "delivery", { about: "transactional" });
  else {
    const ids = { email_id: toPublicId("msg", row.id), contact_id: toPublicId("con", personId) };
    await recordEvent(ctx, { type: "email.bounced", data: { ...ids, reason: kind } });
  }
  return true;
}

const MESSAGE_ID = /^<?([0-9a-f]{32})\.([0-9a-f]{32})@/;

function readMessageId(text: string): { readonly waveId: string; readonly mailId: string } | undefined {
  const [, wave, mail] = MESSAGE_ID.exec(text) ?? [];
  return wave && mail ? { waveId: toUuid(wave), mailId: toUuid(mail) } : undefined;
}

function toUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Every recipient of a mail gets the same Message-ID, so the report's own words say whom it is about. */
function placeOf(
  envelope: Envelope | undefined,
  address: string | null,
  recipients: number,
): number | undefined {
  const parsed = parseAddress(address ?? "");
  if (!parsed.ok || !envelope) return recipients === 1 ? 0 : undefined;
  const at = envelope.recipients.findIndex(({ address: one }) => {
    const own = parseAddress(one?.email ?? "");
    return own.ok && own.key === parsed.key;
  });
  // A server may have forwarded the mail, and then names an address that we never wrote to.
  if (at < 0) return recipients === 1 ? 0 : undefined;
  return at;
}
