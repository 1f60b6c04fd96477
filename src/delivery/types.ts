/** These types pass between delivery and the floors above. The first two interfaces are all that delivery asks of them. */
import type { TxCtx } from "../platform/context.ts";
import type { MergeValues, SentCampaigns } from "../subscribers/subscribers.ts";

/** Makes the bytes of messages. */
export interface MessageComposer {
  /**
   * Its result is cached by account and revision. When it keeps throwing, the source ends as failed. A wave has no revision:
   * what its recipients get is found by their `contactId`.
   */
  prepare(accountId: string, revisionId: string, stream: Stream): Promise<PreparedRevision>;
}

/** Stands for what sources belong to on the floors above, such as campaigns. */
export interface SourceOwner {
  /**
   * Is called in the transaction in which delivery itself ends or pauses a source, with the system as actor. It is not called
   * when the floor above pauses or cancels the source.
   */
  sourceEnded(ctx: TxCtx, source: SourceName & { readonly id: string }, how: HowEnded): Promise<void>;
  /** Is called in the transaction in which delivery finds that a source has met a guardrail that doesn't pause it. */
  sourceWarned(ctx: TxCtx, source: SourceName & { readonly id: string }, warning: Warning): Promise<void>;
  /**
   * Returns the ids by which `email.*` events name what the source belongs to, such as {campaign_id: "cmp_…"}. The mails of a
   * wave are many, so there it is asked for one row of the ledger.
   */
  idsInEvents(source: SourceName, contactId?: string): Readonly<Record<string, string>>;
  /** Answers the rules of segments that ask what somebody was sent, opened and clicked. */
  readonly sentCampaigns: SentCampaigns;
}

export type Warning = {
  readonly reason: string;
  readonly detail: string;
  /** Whether it came too late for a pause, so that the account's next campaign is held. */
  readonly holdsNext: boolean;
};

/** The kinds of mail: to a list, to one person because of something that person did, or by an automation. */
export const STREAMS = ["campaign", "transactional", "automation"] as const;
export type Stream = (typeof STREAMS)[number];

/** The floors above name a source by its owner, since they don't know its id in the ledger. */
export type SourceName = { readonly stream: Stream; readonly ownerId: string };

export type PreparedRevision = {
  /** Whether its content may use tags, which are then read for each recipient. */
  readonly needsTags: boolean;
  /** Is called for a few recipients at a time, and answers in their order. */
  compose(sourceId: string, recipients: readonly Recipient[]): Promise<readonly Composed[]>;
};

/** Everybody on a list, or those on it who match a segment's rules as they are at the launch; of these, who gets the topic. */
export type Audience = {
  readonly listId: string;
  readonly segmentId: string | null;
  readonly topicId?: string | null;
};

/** What becomes of a message that was on the wire when its sender died: it is sent again, or it ends as `unknown`. */
export type OnAmbiguous = "resend" | "hold";

export type NewSource = {
  /** A UUIDv7. The owner's first source has the same id, and the ledger is partitioned by the time inside it. */
  readonly ownerId: string;
  readonly stream: Stream;
  readonly audience: Audience;
  /** The revision that `MessageComposer` is asked to prepare. */
  readonly revisionId: string;
  readonly onAmbiguous: OnAmbiguous;
  /** Whether the instance has a server of its own (SMTP_URL). */
  readonly hasInstanceServer: boolean;
  /** Whether it was checked for the sandbox, from which nothing leaves, for example because it has no sender or no server. */
  readonly isSandbox: boolean;
  /** The host of the account's own transport that it was checked for; undefined for the instance's server and the sandbox. */
  readonly ownHost: string | undefined;
};

/** A source that isn't planned from an audience: it is given its recipients one by one, until it is closed. */
export type NewGivenSource = Pick<
  NewSource,
  "stream" | "revisionId" | "onAmbiguous" | "hasInstanceServer"
> & {
  /** An owner may have any number of such sources, each with its own revision. */
  readonly ownerId: string;
  readonly listId: string | null;
  /** Who doesn't get the topic when the mail is about to leave is skipped. */
  readonly topicId?: string | null;
  /** Whether it was examined for the sandbox, and stays there, or for a server, for which it waits; else it goes where the account sends now. */
  readonly isSandbox?: boolean;
  /** The step of the owner that it sends for, where there are several. Events of opens and clicks name it. */
  readonly step?: string;
};

/** A recipient who is no subscriber is given with an address, and with the values for the mail's placeholders. */
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
  /** What templates can use of the subscriber. For a recipient who is no subscriber, it has only the address. */
  readonly subscriber: MergeValues;
  /** The values that came with a recipient who is no subscriber; empty for one who is. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What the subscriber answered about being tracked; null who was never asked, or is no subscriber. */
  readonly trackingConsent: boolean | null;
  /** The local part of Message-ID. It and `date` belong to the ledger's row, so a message sent again has the same ones. */
  readonly messageId: string;
  readonly date: Date;
};

/**
 * `from` and `to` are the envelope's. One that `isPrivate` has a link in it that only its recipient may follow. A message that can't be rendered ends as failed, with the reason in the ledger; if the
 * cause is a temporary one (`isTransient`), its row stays as it was and is tried later; where somebody has to mend it (`pausesFor`), its
 * source is paused until then; a mail of a wave waits by itself, as long as one that a server puts off, and then fails for that reason.
 */
export type Composed =
  | {
      readonly ok: true;
      readonly message: Buffer;
      readonly from: string;
      readonly to: string;
      /** The domain in its From; the envelope's where it isn't given. */
      readonly fromDomain?: string;
      readonly isPrivate?: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly isTransient?: boolean;
      readonly pausesFor?: "signing_key_unreadable";
    };

export type HowEnded =
  | { readonly kind: "done" }
  | { readonly kind: "no_recipients" }
  | { readonly kind: "paused"; readonly reason: string; readonly detail?: string }
  | {
      readonly kind: "failed";
      readonly reason: string;
      /** What somebody said about it, where they did. */
      readonly detail?: string;
    };

export type SourceCounts = {
  /** The number of rows in the ledger, which grows until planning has ended. */
  readonly recipients: number;
  /** The sum of ready, inflight and deferred: the rows that are neither sent, failed, unknown nor skipped. */
  readonly queued: number;
  readonly sent: number;
  /** The part of `queued` that waits for another attempt. */
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
  /** The refusals that came within the SMTP session, and the bounces that came later as mail, by kind. */
  readonly bounces: {
    readonly hard: number;
    readonly soft: number;
    readonly block: number;
    readonly total: number;
  };
  /** The number of recipients who unsubscribed because of this mail. */
  readonly unsubscribes: number;
  /** The number of recipients who complained about this mail. */
  readonly complaints: number;
  /** The number of recipients whose mail a server took and that bounced later. */
  readonly returned: number;
};

/** `domain` is '' for the sum of all but the largest domains and of recipients whose subscriber was deleted. */
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
  /** How many of those sent bounced later, as mail; they are among the bounces. */
  readonly returned: number;
  readonly complaints: number;
};

/** The counts of the quarter of an hour that begins at `at`. */
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
  /** null while nothing is being sent, because the source is paused or has ended. */
  readonly phase: "planning" | "sending" | "held" | "waiting" | "retrying" | null;
  /** The number of recipients, which is an estimate until planning has ended. */
  readonly total: number;
  readonly done: number;
  readonly remaining: number;
  readonly perSecond: number;
  readonly eta: Date | null;
  /** What the account may send today; null where it isn't limited, and where nothing is being sent. */
  readonly dailyLimit: {
    readonly allowed: number;
    readonly used: number;
    /** When the next day begins, with a limit of its own. */
    readonly until: Date;
  } | null;
  /** Who waits because its transport may be given no more today, the account has no mails left, or a provider is closed; null where nobody does. */
  readonly held: {
    readonly by: "transport" | "plan" | "provider";
    readonly until: Date;
    /** The mailbox providers; none where the transport's day is used up for all of them. */
    readonly providers: readonly string[];
  } | null;
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
  /** The reason why it was skipped or failed, in one word: suppressed, canceled, hard_bounce, expired, … */
  readonly why: string | null;
  /** The time at which it was planned. */
  readonly createdAt: Date;
  /** The time at which its status last changed. */
  readonly at: Date;
  readonly attempts: number;
  /** The code and the text of the server's last reply. */
  readonly code: number | null;
  readonly text: string | null;
};

/** The next page begins behind the contact whose id is given as `after`. */
export type RecipientPage = {
  readonly status?: RecipientStatus | undefined;
  /** Only rows that say this, in one word. Together with a status that few rows have. */
  readonly why?: string | undefined;
  /** Only rows whose subscriber has an address of this domain now. Together with a status that few rows have. */
  readonly domain?: string | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
};

/** What the ledger knows to have happened to a recipient. */
export type LedgerEvent =
  | "sent"
  | "failed"
  | "unknown"
  | "skipped"
  | "bounced"
  | "complained"
  | "unsubscribed";

/** Something that happened to a recipient: first when, how often, and whether a person had a part in it. */
export type Occurrence = {
  readonly sourceId: string;
  readonly contactId: string;
  readonly at: Date;
  readonly times: number;
  readonly isHuman: boolean;
};

export type AudienceExplained = {
  readonly onList: number;
  /**
   * The rules in the order in which they are applied: not_in_segment, not_in_topic, pending, unsubscribed, bounced, complained,
   * opted_out, paused, dormant, suppressed. A subscriber counts for the first rule that applies.
   */
  readonly excluded: readonly { readonly rule: string; readonly count: number }[];
  readonly willGet: number;
};

export type TestMessage = { readonly to: string; readonly message: Buffer; readonly from: string };
