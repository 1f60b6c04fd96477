/** The keys of DKIM_KEYS. Whoever runs the instance says which accounts may sign with each. */
import { getAccount } from "../../accounts/accounts.ts";
import type { DkimKey } from "../../mail/dkim/dkim.ts";
import type { Queryable } from "../../platform/db/db.ts";

export type InstanceKey = {
  readonly key: DkimKey;
  /** The ids of those accounts; or all of them; or the first account of the instance alone. */
  readonly accounts: readonly string[] | "all" | "first";
};

/** Finds the keys that an account may sign mail of a domain with. */
export type FindInstanceKeys = (
  db: Queryable,
  accountId: string,
  domain: string,
) => Promise<readonly DkimKey[]>;

export function createInstanceKeys(keys: readonly InstanceKey[]): FindInstanceKeys {
  // The first account stays the first, also when it is gone, so it is looked up once.
  let first: string | undefined;
  return async (db, accountId, domain) => {
    const fitting = keys.filter(({ key }) => isAtOrBelow(domain, key.domain));
    if (fitting.some(({ accounts }) => accounts === "first"))
      first ??= (await getAccount(db, undefined))?.account_id;
    return nearest(fitting.filter((one) => mayUse(one, accountId, first)).map(({ key }) => key));
  };
}

/** Returns the keys of a domain for mail that the instance itself sends, in whichever account's name. */
export function keysOfInstance(keys: readonly InstanceKey[], domain: string): readonly DkimKey[] {
  return nearest(keys.map(({ key }) => key).filter((key) => isAtOrBelow(domain, key.domain)));
}

function mayUse({ accounts }: InstanceKey, accountId: string, first: string | undefined): boolean {
  if (accounts === "all") return true;
  return accounts === "first" ? accountId === first : accounts.includes(accountId);
}

function isAtOrBelow(domain: string, above: string): boolean {
  return domain === above || domain.endsWith(`.${above}`);
}

/** Picks the keys of the longest domain: DMARC takes the signature of a domain above the sender's as well (RFC 7489 §3.1.1). */
function nearest(keys: readonly DkimKey[]): readonly DkimKey[] {
  const longest = Math.max(0, ...keys.map((key) => key.domain.length));
  return keys.filter((key) => key.domain.length === longest);
}
