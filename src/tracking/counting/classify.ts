/** Judges hits when they are counted: by then the ledger knows when the mail was accepted, and a burst is there as a whole. */
import { createHash } from "node:crypto";
import type { Tx } from "../../platform/db/db.ts";
import type { Hit } from "../hits/hits.ts";
import type { CountedLinks } from "../links/links.ts";
import { type Hit as JudgedHit, judgeHit, type RecentHit } from "../machines/machines.ts";

type MessageName = Pick<Hit, "accountId" | "sourceId" | "contactId">;
type PersonalHit = Hit & { readonly contactId: string };
/** Tells when the server accepted each of these messages; undefined where nobody knows. */
export type ReadAccepted = (
  tx: Tx,
  messages: readonly (MessageName & { readonly contactId: string })[],
) => Promise<readonly (Date | undefined)[]>;

/** Says of each hit why it is a machine's, or '' where it is a person's. */
export function createClassifier(readAccepted: ReadAccepted, countedLinks: CountedLinks) {
  return async (tx: Tx, hits: readonly Hit[]): Promise<readonly string[]> => {
    const personal = hits.filter((hit): hit is PersonalHit => hit.contactId !== null);
    const accepted = await readAccepted(tx, personal);
    const acceptedAt = new Map<Hit, Date | undefined>(personal.map((hit, index) => [hit, accepted[index]]));
    const links = await countedLinks(tx, hits);
    const asked = hits.map((hit) =>
      toJudged(hit, acceptedAt.get(hit), links.get(hit.sourceId)?.honeypot ?? null),
    );
    const byMessage = Map.groupBy(asked.keys(), (index) => nameOf(hits[index] as Hit));
    const reasons = new Array<string>(hits.length).fill("");
    for (const indexes of byMessage.values()) {
      // Hits of nobody in particular may be many people's, so each is judged by itself.
      const isSomebodys = hits[indexes[0] as number]?.contactId !== null;
      if (isSomebodys) judgeMessage(indexes, asked, reasons);
      else for (const index of indexes) judgeMessage([index], asked, reasons);
    }
    return reasons;
  };
}

/** So many neighbours in time are looked at, which bounds what a message with thousands of hits costs. */
const NEIGHBOURS = 50;

/** Judges the hits of one message, and once more those that come before one which showed a machine. */
function judgeMessage(indexes: readonly number[], asked: readonly JudgedHit[], reasons: string[]): void {
  const inTime = indexes.toSorted((one, other) => (asked[one]?.at ?? 0) - (asked[other]?.at ?? 0));
  const toRecent = (index: number): RecentHit => {
    const { at, link, kind, network, userAgentHash } = asked[index] as JudgedHit;
    return {
      at,
      link,
      kind,
      network,
      userAgentHash,
      reason: (reasons[index] || null) as RecentHit["reason"],
    };
  };
  for (const _round of [1, 2]) {
    for (const [place, index] of inTime.entries()) {
      if (reasons[index]) continue;
      const before = inTime.slice(Math.max(0, place - NEIGHBOURS), place);
      const recent = [...before, ...inTime.slice(place + 1, place + 1 + NEIGHBOURS)].map(toRecent);
      const judged = judgeHit({ ...(asked[index] as JudgedHit), recent });
      if (judged.machine) reasons[index] = judged.reason;
    }
  }
}

function toJudged(hit: Hit, acceptedAt: Date | undefined, honeypotLink: number | null): JudgedHit {
  return {
    kind: hit.link === null ? "open" : "click",
    link: hit.link,
    at: hit.at.getTime(),
    method: hit.isHead ? "HEAD" : "GET",
    userAgent: hit.userAgent,
    userAgentHash: createHash("sha256").update(hit.userAgent).digest("base64url"),
    headers: {
      ...(hit.isPrefetch && { "sec-purpose": "prefetch" }),
      ...(hit.hasFrom && { from: "somebody" }),
    },
    address: hit.address,
    network: networkOf(hit.address),
    sinceAcceptedMs: acceptedAt ? hit.at.getTime() - acceptedAt.getTime() : null,
    honeypotLink,
    recent: [],
  };
}

function nameOf({ accountId, sourceId, contactId }: MessageName): string {
  return `${accountId} ${sourceId} ${contactId}`;
}

/** The part of an address that its neighbours share: /24 of IPv4, /48 of IPv6. */
function networkOf(given: string): string {
  // A dual-stack socket shows IPv4 addresses this way (RFC 4291 §2.5.5.2).
  const address = given.replace(/^::ffff:(?=\d+\.)/i, "");
  return address.includes(":")
    ? address.split(":").slice(0, 3).join(":")
    : address.split(".").slice(0, 3).join(".");
}
