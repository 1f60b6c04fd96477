/** The statements by which senders read what an account has proved. */
import { prepared, type Queryable, sql, type Writable } from "../../platform/db/db.ts";

export type ProvedDomain = {
  id: string;
  name: string;
  /** Is raised whenever anything here or of its keys changes. */
  keys_version: number;
  return_path: string | null;
  tracking_host: string | null;
};

/**
 * Finds which of these names the account has proved, the longest first. Mail goes on for some time after a proof is gone. The hosts
 * are null while their records are wrong. The index domains_by_name serves it.
 */
export function findProvedDomains(
  db: Queryable,
  accountId: string,
  names: readonly string[],
): Promise<ProvedDomain[]> {
  return db.many<ProvedDomain>(
    prepared(sql`
      select id, name, keys_version, case when return_path_ok then return_path end as return_path,
        case when tracking_ok then tracking_host end as tracking_host
      from domains
      where account_id = ${accountId} and name = any(${[...names]}::text[]) and status in ('verified', 'failing')
      order by length(name) desc`),
  );
}

/** Has the domain looked at soon, because something is wrong with its keys that a look tells of. */
export async function lookSoon(db: Writable, accountId: string, domainId: string, now: Date): Promise<void> {
  await db.execute(sql`
    update domains set next_check_at = ${now} where account_id = ${accountId} and id = ${domainId} and next_check_at > ${now}`);
}

export type SealedKey = { id: string; selector: string; private_key: Buffer };

/** The keys of a domain that sign: those in use whose records were found in the DNS. RSA, which all receivers know, comes first. */
export function readSigningKeys(db: Queryable, accountId: string, domainId: string): Promise<SealedKey[]> {
  return db.many<SealedKey>(
    prepared(sql`
      select id, selector, private_key from domain_keys
      where account_id = ${accountId} and domain_id = ${domainId} and state = 'active' and seen_at is not null
        and private_key is not null
      order by algorithm desc`),
  );
}
