/** Says what an item reports, and of whom. It knows no database, and never throws on what a stranger wrote. */
import { type ReturnedMail, readReturnedMail } from "../../mail/dsn/dsn.ts";
import { type Clues, type InboundItem, namedBy, type Provider, type Report } from "../types.ts";

type ReadProviderBody = (provider: Provider, raw: Buffer) => readonly Report[];

export function readItem(item: InboundItem, readProviderBody: ReadProviderBody): readonly Report[] {
  if (item.channel === "webhook") return item.provider ? readProviderBody(item.provider, item.raw) : [];
  return reportsOf(item, readReturnedMail(item.raw, { envelopeFrom: item.envelopeFrom ?? undefined }));
}

type Recipient = ReturnedMail["recipients"][number];

const NOTHING = { class: null, reason: null, status: null, diagnostic: "", at: null, eventId: null } as const;

function reportsOf(item: InboundItem, mail: ReturnedMail): Report[] {
  const clues = cluesOf(item, mail);
  const alone = { ...NOTHING, recipient: mail.sender, clues };
  if (item.addressed?.kind === "unsubscribe") return [{ ...alone, kind: kindAtUnsubscribe(mail) }];
  switch (mail.kind) {
    case "bounce":
    case "delay":
    case "delivered":
      return mail.recipients.map((one) => ({ ...shapeRecipient(one), clues }));
    case "complaint": {
      // A provider may hide who complained; the mail that it returns says it.
      const addresses = mail.recipients.length > 0 ? mail.recipients.map(({ address }) => address) : [null];
      return addresses.map((recipient) => ({
        ...NOTHING,
        kind: "complaint",
        reason: mail.feedbackType,
        recipient,
        clues,
      }));
    }
    case "unsubscribe":
      return [
        {
          ...alone,
          kind: "unsubscribe",
          ...(mail.recipients[0] && { recipient: mail.recipients[0].address }),
        },
      ];
    case "auto_reply":
    case "other":
      return [{ ...alone, kind: mail.kind, reason: mail.feedbackType }];
  }
}

/** Whatever a person writes to an unsubscribe address, they want no more mail. Machines that answer, or return a mail, want nothing. */
function kindAtUnsubscribe({ kind, isByMachine }: ReturnedMail): Report["kind"] {
  if (kind === "auto_reply") return "auto_reply";
  if (isByMachine) return "other";
  return kind === "bounce" || kind === "delay" || kind === "delivered" ? "other" : "unsubscribe";
}

function cluesOf({ addressed }: InboundItem, { token, originalMessageId }: ReturnedMail): Clues {
  return { named: namedBy(addressed), token, providerId: null, messageId: originalMessageId };
}

function shapeRecipient({
  address,
  status,
  reason,
  class: kind,
  diagnostic,
}: Recipient): Omit<Report, "clues"> {
  const told = { reason, status, diagnostic, recipient: address, at: null, eventId: null };
  if (kind === "none") return { ...told, kind: "delivered", class: null };
  if (kind === "delay") return { ...told, kind: "delay", class: null };
  return { ...told, kind: "bounce", class: kind };
}
