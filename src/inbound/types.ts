/** These types pass between the rooms of this folder: what came in, what it says, and what was made of it. */
import { PROVIDERS, type Provider } from "../mail/providers/providers.ts";
import type { SessionFacts } from "../mail/smtp-server/smtp-server.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";

export const CHANNELS = ["smtp", "mailbox", "webhook"] as const;
export type Channel = (typeof CHANNELS)[number];

export { PROVIDERS, type Provider };

/** The message that a return path or an unsubscribe address of ours names; its MAC was checked. */
export type NamedMessage = {
  readonly sourceId: string;
  /** As it stands in the ledger; in a wave it is the id of the row, and not of the person. */
  readonly contactId: string;
};

/** What an address of ours names: a mail, whose bounce or unsubscribe comes there, or a thing of the account's. */
export type Addressed =
  | (NamedMessage & { readonly kind: "bounce" | "unsubscribe" })
  | { readonly kind: "dmarc_report" }
  | { readonly kind: "mail_test"; readonly testId: string };

export type AddressKind = Addressed["kind"];
/** What comes to these addresses is about no mail of the ledger, and floors above say what it is. */
export const OTHER_KINDS = ["dmarc_report", "mail_test"] as const satisfies readonly AddressKind[];
export type OtherKind = (typeof OTHER_KINDS)[number];

/** Anybody may send DMARC reports, and large ones: they wait apart, so that they hold up nothing else. */
export const QUEUES = ["returned", "dmarc_reports"] as const;
export type Queue = (typeof QUEUES)[number];

export function queueOf(kind: AddressKind | null): Queue {
  return kind === "dmarc_report" ? "dmarc_reports" : "returned";
}

/** Something that came back, as it is kept. */
export type InboundItem = {
  readonly accountId: string;
  readonly id: string;
  readonly channel: Channel;
  /** The mailbox, or the address that the provider posts to; null for SMTP. */
  readonly channelId: string | null;
  readonly provider: Provider | null;
  /** MAIL FROM: "" for none, as bounces have it; null where nobody knows. */
  readonly envelopeFrom: string | null;
  /** What the address that it came to names; null where it came by another way. */
  readonly addressed: Addressed | null;
  /** The SMTP session that it came by; null where it came by another way. */
  readonly session: SessionFacts | null;
  readonly raw: Buffer;
  readonly receivedAt: Date;
};

/** Something that came back, as it is handed to `storeInbound`. */
export type NewInboundItem = Omit<InboundItem, "id" | "receivedAt" | "session"> & {
  readonly session?: SessionFacts;
  /** How large it was, where `raw` is only its beginning. */
  readonly bytes?: number;
};

/** What an item says about one recipient. One item may say it of many. */
export type Report = {
  readonly kind: "bounce" | "delay" | "delivered" | "complaint" | "unsubscribe" | "auto_reply" | "other";
  /** Of a bounce alone. */
  readonly class: "hard" | "soft" | "block" | null;
  readonly reason: string | null;
  /** The enhanced status, such as 5.1.1. */
  readonly status: string | null;
  readonly diagnostic: string;
  /** The address that it is about, as it is told. */
  readonly recipient: string | null;
  readonly clues: Clues;
  /** When it happened, as it is told. */
  readonly at: Date | null;
  /** The provider's own id of the event; null for mail. */
  readonly eventId: string | null;
};

/** By these a report is matched with a message of the ledger, in this order. */
export type Clues = {
  /** Is trusted, because we checked its MAC. */
  readonly named: NamedMessage | null;
  /** The local part of a return path of ours, as it was found in returned headers or metadata; its MAC isn't checked yet. */
  readonly token: string | null;
  /** The id that the provider gave in its 250, or a Message-ID that it put in place of ours. */
  readonly providerId: string | null;
  /** The Message-ID with its angle brackets. */
  readonly messageId: string | null;
};

/** What was made of one report, in the order of the reports. */
export type ReportOutcome = {
  /** A word such as `suppressed`, `counted`, `unsubscribed`, `duplicate`, `unmatched` or `ignored`. */
  readonly outcome: string;
  /** A sentence that says why. */
  readonly why: string;
  /** The message that it is about; null where none was found. */
  readonly named: NamedMessage | null;
};

/** What was made of an item that is about no mail of the ledger. `kind` says what it is, where its address says something else. */
export type OtherOutcome = ReportOutcome & { readonly kind?: "tls_report" };

/** Reading and acting, as the job asks for them. */
export type InboundHandlers = {
  /** Never throws on what a stranger wrote; an error is a bug, and fails the item after some tries. */
  readonly readItem: (item: InboundItem) => readonly Report[];
  /** Acts in the transaction that marks the item read. */
  readonly actOn: (
    ctx: TxCtx,
    item: InboundItem,
    reports: readonly Report[],
  ) => Promise<readonly ReportOutcome[]>;
  /** Each gets what came to an address of its kind, whole. What asks the network is left to a job of its own. */
  readonly others: Readonly<Record<OtherKind, OtherHandler>>;
};

/** Reads an item before any transaction, and returns what then acts in the transaction that marks the item read. */
export type OtherHandler = (
  db: Queryable,
  item: InboundItem,
  now: Date,
) => Promise<(ctx: TxCtx) => Promise<OtherOutcome>>;

/** Returns the message that an address names; null where it names none. */
export function namedBy(addressed: Addressed | null): NamedMessage | null {
  if (addressed?.kind !== "bounce" && addressed?.kind !== "unsubscribe") return null;
  return { sourceId: addressed.sourceId, contactId: addressed.contactId };
}
