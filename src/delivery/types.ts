/** What passes between delivery and those above it. The two interfaces here are all that it asks of them. */
import type { TxCtx } from "../platform/context.ts";
import type { MergeValues } from "../subscribers/subscribers.ts";

/** Where the bytes of messages come from. */
export interface MessageComposer {
  /** What it returns is kept, by account and revision. When it throws again and again, the source ends as failed. */
  prepare(accountId: string, revisionId: string): Promise<PreparedRevision>;
}

/** What sources belong to on the floors above: campaigns, say. */
export interface SourceOwner {
  /** Called in the transaction that ends or pauses a source, with the system as actor; never for a verb of the caller's. */
  sourceEnded(ctx: TxCtx, source: SourceName & { readonly id: string }, how: HowEnded): Promise<void>;
  /** The ids by which `email.*` events name what the source belongs to, such as {campaign_id: "cmp_…"}. */
  idsInEvents(source: SourceName): Readonly<Record<string, string>>;
}

/** What kind of mail an account sends: to a list, to one person for something that person did, or by an automation. */
export const STREAMS = ["campaign", "transactional", "automation"] as const;
export type Stream = (typeof STREAMS)[number];

/** By which everybody outside delivery knows a source. */
export type SourceName = { readonly stream: Stream; readonly ownerId: string };

export type PreparedRevision = {
  /** Its text may speak of tags: then they are read for each recipient. */
  readonly needsTags: boolean;
  /** Called for a few recipients at a time; answers in their order. */
  compose(sourceId: string, recipients: readonly Recipient[]): Promise<readonly Composed[]>;
};

/** Everybody on a list, or those of them that a segment's rules match at the launch. */
export type Audience = { readonly listId: string; readonly segmentId: string | null };

export type OnAmbiguous = "resend" | "hold";

export type NewSource = {
  /** A UUIDv7, which the owner's first source has too: the ledger is partitioned by the time inside it. */
  readonly ownerId: string;
  readonly stream: Stream;
  readonly audience: Audience;
  /** What `MessageComposer` is asked for. */
  readonly revisionId: string;
  readonly onAmbiguous: OnAmbiguous;
  /** Whether the instance has a server of its own (SMTP_URL). */
  readonly hasInstanceServer: boolean;
  /** It was looked over for the sandbox, where nothing leaves: it has no sender, perhaps, or no way out. */
  readonly isSandbox: boolean;
  /** Of the account's own transport that it was looked over for; undefined: the instance's, or the sandbox. */
  readonly ownHost: string | undefined;
};

/** A source that isn't planned from an audience, but given its recipients until it is closed. */
export type NewGivenSource = Pick<
  NewSource,
  "stream" | "revisionId" | "onAmbiguous" | "hasInstanceServer"
> & {
  /** It may have any number of such sources, each with a revision of its own. */
  readonly ownerId: string;
  readonly listId: string | null;
};

/** Who is no subscriber comes with an address, and with the values that the mail is written with. */
export type GivenRecipient =
  | { readonly contactId: string; readonly subscriberId: string }
  | {
      readonly contactId: string;
      readonly subscriberId: null;
      readonly email: string;
      readonly values: Readonly<Record<string, unknown>>;
    };

export type Recipient = {
  readonly contactId: string;
  /** null for a recipient who is no subscriber. */
  readonly subscriberId: string | null;
  readonly listId: string | null;
  readonly email: string;
  /** What templates see of the subscriber. Of who is none, only the address is there. */
  readonly subscriber: MergeValues;
  /** The values that came with a recipient who is no subscriber; empty for one who is. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What stands before the @ of Message-ID. It and `date` belong to the ledger's row: a resend has the same again. */
  readonly messageId: string;
  readonly date: Date;
};

/**
 * `from` and `to` are the envelope's. One that can't be rendered is failed, with the reason in the ledger; one that couldn't
 * be rendered just now (`isPassing`) is left as it was.
 */
export type Composed =
  | { readonly ok: true; readonly message: Buffer; readonly from: string; readonly to: string }
  | { readonly ok: false; readonly reason: string; readonly isPassing?: boolean };

export type HowEnded =
  | { readonly kind: "done" }
  | { readonly kind: "no_recipients" }
  | { readonly kind: "paused"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

export type SourceCounts = {
  /** Rows of the ledger; until planning has ended, those planned so far. */
  readonly recipients: number;
  /** ready + inflight + deferred: what is neither sent, failed, unknown nor skipped. */
  readonly queued: number;
  readonly sent: number;
  /** Those of `queued` that wait for another attempt. */
  readonly deferred: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: {
    readonly suppressed: number;
    readonly unsubscribed: number;
    readonly invalid: number;
    readonly canceled: number;
    readonly deleted: number;
    readonly total: number;
  };
  /** Refusals in session, by kind. */
  readonly bounces: {
    readonly hard: number;
    readonly soft: number;
    readonly block: number;
    readonly total: number;
  };
  /** Recipients who left because of it. */
  readonly unsubscribes: number;
};

/** `domain` is '' for all but the largest domains, and for those whose subscriber is gone. */
export type DomainCounts = {
  readonly domain: string;
  readonly recipients: number;
  readonly sent: number;
  readonly deferred: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
  readonly hard: number;
  readonly soft: number;
  readonly block: number;
};

/** What was counted within the quarter of an hour that begins `at`. */
export type QuarterCounts = {
  readonly at: Date;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
  readonly hard: number;
  readonly soft: number;
  readonly block: number;
  readonly unsubscribes: number;
};

export type Progress = {
  /** null: it isn't sending, because it is paused or has ended. */
  readonly phase: "planning" | "sending" | "retrying" | null;
  /** While planning, an estimate. */
  readonly total: number;
  readonly done: number;
  readonly remaining: number;
  readonly perSecond: number;
  readonly eta: Date | null;
};

export const RECIPIENT_STATUSES = [
  "ready",
  "inflight",
  "sent",
  "deferred",
  "failed",
  "skipped",
  "unknown",
] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

export type RecipientRow = {
  readonly contactId: string;
  readonly subscriberId: string | null;
  /** null once the person's data is deleted. */
  readonly email: string | null;
  readonly status: RecipientStatus;
  /** Why it was skipped or failed, in a word: suppressed, canceled, hard_bounce, expired, … */
  readonly why: string | null;
  /** When it was planned. */
  readonly createdAt: Date;
  /** When its status last changed. */
  readonly at: Date;
  readonly attempts: number;
  /** What the server said last. */
  readonly code: number | null;
  readonly text: string | null;
};

/** The next page begins behind the `contactId` given as `after`. */
export type RecipientPage = {
  readonly status?: RecipientStatus | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
};

export type AudienceExplained = {
  readonly onList: number;
  /** In the order in which they are asked: not_in_segment, pending, unsubscribed, bounced, complained, opted_out, suppressed. */
  readonly excluded: readonly { readonly rule: string; readonly count: number }[];
  readonly willGet: number;
};

export type TestMessage = { readonly to: string; readonly message: Buffer; readonly from: string };
