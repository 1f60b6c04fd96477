/** What segments ask about mail that was sent. Delivery and campaigns stand above this floor, and hand the answers in. */
import type { Queryable, Sql } from "../../platform/db/db.ts";

/** Whose opens, or clicks, of a mail can be seen: everybody's, those of people who agreed to it, or nobody's. */
export type Seen = "all" | "consenting" | "nobody";
export type Visibility = { readonly opens: Seen; readonly clicks: Seen };

/** One sending of a campaign. A campaign that was edited after a failure has several. */
export type SentSource = Visibility & {
  readonly id: string;
  readonly campaignId: string;
  readonly listId: string | null;
  readonly launchedAt: Date;
};

export type SentCampaigns = {
  /** Returns the names of those of these campaigns that the account has. */
  findNames(db: Queryable, accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the addresses of the links in a campaign's mail; undefined where it was never launched. */
  findLinks(db: Queryable, accountId: string, campaignId: string): Promise<ReadonlySet<string> | undefined>;
  /** Returns the sources of these campaigns that were launched before this time. They can be asked by links too. */
  ofCampaigns(
    db: Queryable,
    accountId: string,
    ids: readonly string[],
    before: Date,
    asked?: "by links",
  ): Promise<readonly SentSource[]>;
  /**
   * Returns the sources that were launched to each of these lists before this time, as far as the ledger goes, newest first. Asked by
   * links, nobody's clicks are seen in mail that has none; that reads the whole content of each.
   */
  ofLists(
    db: Queryable,
    accountId: string,
    listIds: readonly string[],
    before: Date,
    asked?: "by links",
  ): Promise<readonly SentSource[]>;
  /** A condition: one of these sources was sent to `subscribers s`; with `mayBe` also if it is not yet known to have been. */
  wasSent(sourceIds: readonly string[], mayBe?: "may be"): Sql;
  /** A condition: one of these sources that weren't launched before that time of `subscribers s` was sent to it. */
  wasSentSince(sources: readonly Pick<SentSource, "id" | "launchedAt">[], since: Sql): Sql;
  /**
   * A condition: these sources sent mail of at least so many campaigns to `subscribers s`; with `since`, those of them that weren't launched
   * before that time of `s`, and with `withoutSandbox`, those that left the house.
   */
  wasSentAtLeast(
    sources: readonly Pick<SentSource, "id" | "campaignId" | "launchedAt">[],
    campaigns: number,
    options?: { readonly since?: Sql; readonly withoutSandbox?: boolean },
  ): Sql;
  /** The ledger is kept for so long. */
  readonly ledgerMs: number;
};
