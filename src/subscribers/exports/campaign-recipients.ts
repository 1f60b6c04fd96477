/** What this floor asks of campaigns, which stand above it. */
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";

/** What may have happened to a recipient of a campaign. */
export const RECIPIENT_EVENTS = [
  "sent",
  "failed",
  "unknown",
  "skipped",
  "bounced",
  "opened",
  "clicked",
  "complained",
  "unsubscribed",
] as const;
export type RecipientEvent = (typeof RECIPIENT_EVENTS)[number];

/** Those to whom this happened. What only machines opened or clicked counts where that is said. */
export type RecipientFilter = { readonly type: RecipientEvent; readonly includeMachines: boolean };

/** Campaigns stand above this floor; they hand in how to ask whom they went to. */
export type CampaignRecipients = {
  exists(db: Queryable, accountId: string, id: string): Promise<boolean>;
  /** Returns them in the order of their contacts, from behind `after`. */
  list(
    db: Queryable,
    accountId: string,
    id: string,
    page: { limit: number; after: string | undefined; event?: RecipientFilter | undefined },
  ): Promise<readonly CampaignRecipient[]>;
  /** Says that the contact has just left because of this campaign. */
  noteUnsubscribe(ctx: TxCtx, id: string, contactId: string): Promise<void>;
  /** Returns the mails to one subscriber, the latest launch first, from below `before`. */
  readonly mailsTo: ListEntries;
  /** Returns what one subscriber opened and clicked, the latest first, from below `before`. */
  readonly engagementsOf: ListEntries;
  /** Returns the names of campaigns by their ids; one that is gone has none. */
  namesOf(db: Queryable, accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

/** What a timeline asks of campaigns. */
export type CampaignsInTimeline = Pick<CampaignRecipients, "mailsTo" | "engagementsOf" | "namesOf">;

/** Lists a page of what a subscriber's timeline shows of mail. */
export type ListEntries = (
  db: Queryable,
  accountId: string,
  addressee: { subscriberId: string; contactId: string; listId: string; since: Date },
  limit: number,
  before: { createdAt: string; id: string } | undefined,
) => Promise<readonly MailEntry[]>;

/** This is a mail, an open or a click as a subscriber's timeline shows it. */
type MailEntry = {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
  readonly updated_at: Date;
};

export type CampaignRecipient = {
  readonly contactId: string;
  /** What became of its mail; null once nobody knows any more. */
  readonly row: RecipientRow | null;
  /** What was asked for: first when it happened, how often, and whether a person had a part in it. */
  readonly event: { readonly at: Date; readonly times: number; readonly isHuman: boolean } | null;
  /** What its reader did in person, as far as that may be known: first when, and how often. */
  readonly opened: Done | null;
  readonly clicked: Done | null;
};

type Done = { readonly at: Date; readonly times: number };

type RecipientRow = {
  /** The address is null once the subscriber is deleted. */
  readonly email: string | null;
  readonly status: string;
  readonly why: string | null;
  readonly at: Date;
  readonly attempts: number;
  readonly code: number | null;
  readonly text: string | null;
};
