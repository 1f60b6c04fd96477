/**
 * What hits say of a contact and of a campaign's mail to it. The rules are pure, and the order of hits doesn't matter: facts only
 * ever become true, and times only later.
 */

/** One open or click of one contact's mail, as tracking judged it. */
export type EngagementHit = {
  readonly accountId: string;
  readonly contactId: string;
  /** Null where the mail is part of no campaign. */
  readonly campaignId: string | null;
  readonly kind: "open" | "click";
  /** The key of the link's address (`linkKeyOf`); null for an open, and for a link without an address of its own. */
  readonly linkKey: string | null;
  readonly at: Date;
  /** A prefetch is an open ahead of the reader, whose own open then never shows. */
  readonly by: "human" | "machine" | "prefetch";
};

export type ContactFacts = {
  readonly accountId: string;
  readonly contactId: string;
  lastOpenAt: Date;
  lastHumanOpenAt: Date | null;
  lastClickAt: Date | null;
  lastHumanClickAt: Date | null;
  lastPrefetchAt: Date | null;
};

export type CampaignFacts = {
  readonly accountId: string;
  readonly contactId: string;
  readonly campaignId: string;
  humanOpened: boolean;
  prefetched: boolean;
  clicked: boolean;
  humanClicked: boolean;
  readonly links: Set<string>;
  readonly humanLinks: Set<string>;
};

/** Sums hits up by contact, in the order of the keys, so that two who write the same rows wait for each other. */
export function factsOfContacts(hits: readonly EngagementHit[]): ContactFacts[] {
  const byContact = new Map<string, ContactFacts>();
  for (const { accountId, contactId, kind, at, by } of hits) {
    const key = `${accountId} ${contactId}`;
    const facts = byContact.get(key) ?? {
      accountId,
      contactId,
      lastOpenAt: at,
      lastHumanOpenAt: null,
      lastClickAt: null,
      lastHumanClickAt: null,
      lastPrefetchAt: null,
    };
    // Whoever clicks has opened.
    facts.lastOpenAt = later(facts.lastOpenAt, at);
    if (by === "human") facts.lastHumanOpenAt = later(facts.lastHumanOpenAt, at);
    if (by === "prefetch") facts.lastPrefetchAt = later(facts.lastPrefetchAt, at);
    if (kind === "click") facts.lastClickAt = later(facts.lastClickAt, at);
    if (kind === "click" && by === "human") facts.lastHumanClickAt = later(facts.lastHumanClickAt, at);
    byContact.set(key, facts);
  }
  return inOrder(byContact);
}

export function factsOfCampaigns(hits: readonly EngagementHit[]): CampaignFacts[] {
  const byMail = new Map<string, CampaignFacts>();
  for (const { accountId, contactId, campaignId, kind, linkKey, by } of hits) {
    if (campaignId === null) continue;
    const key = `${accountId} ${contactId} ${campaignId}`;
    const facts = byMail.get(key) ?? {
      accountId,
      contactId,
      campaignId,
      humanOpened: false,
      prefetched: false,
      clicked: false,
      humanClicked: false,
      links: new Set<string>(),
      humanLinks: new Set<string>(),
    };
    const isHuman = by === "human";
    facts.humanOpened ||= isHuman;
    facts.prefetched ||= by === "prefetch";
    facts.clicked ||= kind === "click";
    facts.humanClicked ||= kind === "click" && isHuman;
    if (linkKey !== null) facts.links.add(linkKey);
    if (linkKey !== null && isHuman) facts.humanLinks.add(linkKey);
    byMail.set(key, facts);
  }
  return inOrder(byMail);
}

function later(known: Date | null, at: Date): Date {
  return known && known >= at ? known : at;
}

function inOrder<T>(byKey: ReadonlyMap<string, T>): T[] {
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, facts]) => facts);
}
