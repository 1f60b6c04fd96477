/**
 * Says under which recipient domain a message is counted. That is decided at its first hit and stays, so that the sums of a domain
 * equal a recount whatever becomes of the subscriber. A source has so many domains at most; the others are counted together.
 */
import { readRecipientDomains } from "../../delivery/delivery.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type DomainOfSource, type MessageKey, type MessageRow, readDomainRoom } from "./count-store.ts";

/** So many domains of a source are counted by themselves, first come, first served; and its largest ones in any case. */
export const MOST_DOMAINS = 1_000;

/** Answers the domain of each of these messages, in their order; '' stands for all that aren't counted by themselves. */
export async function placeInDomains(
  tx: Tx,
  keys: readonly MessageKey[],
  known: readonly (MessageRow | undefined)[],
): Promise<readonly string[]> {
  const fresh = keys.filter((_key, index) => (known[index]?.domain ?? null) === null);
  if (fresh.length === 0) return known.map((row) => row?.domain ?? "");
  const found = await readRecipientDomains(tx, fresh);
  const wanted = new Map<string, DomainOfSource & { readonly isLarge: boolean }>();
  const placed = new Map<MessageKey, string>();
  for (const [index, key] of fresh.entries()) {
    const { domain = "", isLarge = false } = found[index] ?? {};
    const { accountId, sourceId } = key;
    placed.set(key, domain);
    if (domain !== "") wanted.set(nameOf(sourceId, domain), { accountId, sourceId, domain, isLarge });
  }
  const allowed = await chooseDomains(tx, [...wanted.values()]);
  return keys.map((key, index) => {
    const domain = placed.get(key);
    if (domain === undefined) return known[index]?.domain ?? "";
    return allowed.has(nameOf(key.sourceId, domain)) ? domain : "";
  });
}

async function chooseDomains(
  tx: Tx,
  wanted: readonly (DomainOfSource & { readonly isLarge: boolean })[],
): Promise<ReadonlySet<string>> {
  if (wanted.length === 0) return new Set();
  const allowed = new Set<string>();
  const added = new Map<string, number>();
  for (const [index, { sourceId, domain, isCounted, taken }] of (
    await readDomainRoom(tx, wanted)
  ).entries()) {
    const more = added.get(sourceId) ?? 0;
    if (!isCounted && !wanted[index]?.isLarge && taken + more >= MOST_DOMAINS) continue;
    if (!isCounted) added.set(sourceId, more + 1);
    allowed.add(nameOf(sourceId, domain));
  }
  return allowed;
}

function nameOf(sourceId: string, domain: string): string {
  return `${sourceId} ${domain}`;
}
