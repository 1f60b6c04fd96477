/** Says what is known of the domain that a mail is from, and refuses one that isn't proved where the instance wants that. */
import { SANDBOX_TRANSPORT, type Wave } from "../../delivery/delivery.ts";
import type { SenderFacts, SigningKeys } from "../../domains/domains.ts";
import { sayUnverified, type UnverifiedSenders } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { AppError } from "../../platform/problems.ts";
import { unverifiedDomain } from "../problems.ts";

export type SenderFinder = {
  find(ctx: Ctx, domain: string): Promise<SenderFacts>;
  readonly unverifiedSenders: UnverifiedSenders;
};

/** So long a process takes for granted what an account has proved. */
const KNOWN_MS = 1_000;
const MOST_KNOWN = 10_000;

/** Makes the finder, once for a process. It asks once a second for an account and a domain, because programs send many mails. */
export function createSenderFinder(
  signing: Pick<SigningKeys, "readFacts">,
  unverifiedSenders: UnverifiedSenders,
): SenderFinder {
  const found = createLruCache<{ readonly facts: Promise<SenderFacts>; readonly atMs: number }>(MOST_KNOWN);
  return {
    unverifiedSenders,
    find({ sql, accountId, clock }, domain) {
      const nowMs = clock.monotonicMs();
      const key = `${accountId} ${domain}`;
      const known = found.get(key);
      if (known && nowMs - known.atMs < KNOWN_MS) return known.facts;
      const facts = signing.readFacts(sql, accountId, domain);
      found.set(key, { facts, atMs: nowMs });
      facts.catch(() => found.delete(key));
      return facts;
    },
  };
}

/** Mail that goes into the sandbox, where nothing leaves, may be from anybody. */
export function refuseUnverified(
  { unverifiedSenders }: Pick<SenderFinder, "unverifiedSenders">,
  domain: string,
  { isProved }: SenderFacts,
  { transportId }: Pick<Wave, "transportId">,
): void {
  if (unverifiedSenders !== "refuse" || isProved || transportId === SANDBOX_TRANSPORT) return;
  const detail = sayUnverified(domain);
  throw new AppError(unverifiedDomain, detail, {
    faults: [{ pointer: "/from", code: unverifiedDomain.code, detail }],
  });
}
