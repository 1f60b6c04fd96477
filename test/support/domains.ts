/** Sender domains and their keys as the tables have them, for tests that send mail from domains which are proved already. */
import { generateKeyPairSync } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { loadDkimKey, publicKeyRecord } from "../../src/mail/dkim/dkim.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql, type Writable } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import type { Secrets } from "../../src/platform/secrets.ts";
import type { DnsServer } from "./dns-server.ts";

type NewDomain = {
  readonly name: string;
  readonly status?: "pending" | "verified" | "failing" | "unverified";
  readonly return_path?: string | null;
  readonly tracking_host?: string | null;
  readonly return_path_ok?: boolean;
  readonly tracking_ok?: boolean;
};

/** Adds a domain that is verified unless something else is said, and returns its id. */
export async function addDomain(db: Writable, accountId: string, domain: NewDomain): Promise<string> {
  const { name, status = "verified", return_path = null, tracking_host = null } = domain;
  const { return_path_ok = false, tracking_ok = false } = domain;
  const [id, now] = [newId(systemClock), new Date()];
  await db.execute(sql`
    insert into domains (account_id, id, name, status, return_path, tracking_host, return_path_ok, tracking_ok, tracking_cname_ok, ed25519,
      version, keys_version, verified_at, records, looks, next_check_at, created_at, updated_at)
    values (${accountId}, ${id}, ${name}, ${status}, ${return_path}, ${tracking_host}, ${return_path_ok}, ${tracking_ok},
      ${tracking_ok}, false, 1, 1, ${status === "pending" ? null : now}, '[]', 0, '2100-01-01', ${now}, ${now})`);
  return id;
}

type NewKey = {
  readonly selector: string;
  readonly algorithm?: "rsa" | "ed25519";
  readonly state?: "standby" | "active" | "retiring" | "retired";
  readonly isSeen?: boolean;
};

/** Adds a key that signs unless something else is said, and returns what has to stand in the DNS. */
export async function addDomainKey(
  db: Writable,
  secrets: Pick<Secrets, "seal">,
  accountId: string,
  domainId: string,
  { selector, algorithm = "rsa", state = "active", isSeen = true }: NewKey,
): Promise<string> {
  const { privateKey } =
    algorithm === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const loaded = loadDkimKey({ domain: "example.org", selector, pem });
  if (!loaded.ok) throw new Error(loaded.detail);
  const record = publicKeyRecord(loaded.key);
  const [id, now] = [newId(systemClock), new Date()];
  await db.execute(sql`
    insert into domain_keys (account_id, domain_id, id, algorithm, selector, state, private_key, public_record, seen_at, created_at)
    values (${accountId}, ${domainId}, ${id}, ${algorithm}, ${selector}, ${state},
      ${secrets.seal("domain-key", pem, `${accountId} ${domainId} ${id}`)}, ${record}, ${isSeen ? now : null}, ${now})`);
  return record;
}

/** Asks the DNS about each signature of a mail: the selector, the domain and the result. */
export async function readSignatures(dns: Pick<DnsServer, "address">, mail = ""): Promise<string[]> {
  if (!mail.includes("DKIM-Signature:")) return [];
  const asked = new Resolver();
  asked.setServers([dns.address]);
  const resolver = (name: string, type: string) => asked.resolve(name, type) as Promise<string[][]>;
  const { results } = await dkimVerify(Buffer.from(mail), { resolver, strict: true });
  return results.map(
    ({ signingDomain, selector, status }) => `${selector} ${signingDomain} ${status.result}`,
  );
}
