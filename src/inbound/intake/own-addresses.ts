/**
 * Says whose an address under INBOUND_DOMAIN is. A return path names its source and contact; the account is found by the source, and
 * the MAC then proves that we made the address. An account takes DMARC reports, and the mails of its mail tests while they wait.
 * Nothing else is taken, but for the addresses that every domain must have and that complaints are sent to: what comes there is known
 * by a return path of ours within it.
 */
import { getAccount, readAccountAddress } from "../../accounts/accounts.ts";
import { findAccountsOfSource } from "../../delivery/delivery.ts";
import { isReturnPathOf } from "../../domains/domains.ts";
import type { ReadReturnPath, ReturnPaths } from "../../messages/messages.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Queryable } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import type { Addressed } from "../types.ts";
import { readLately } from "./list-store.ts";

/** Whose mail to an address is, and which message it is about; null where the address doesn't say. */
type OwnAddress = {
  readonly accountId: string;
  readonly addressed: Addressed;
};

export type OwnAddresses = {
  /**
   * Returns undefined for an address that isn't ours, `shared` for one of the addresses of the domain, and `flooded` for one that
   * has taken more of late than anybody who is meant would send.
   */
  identify(address: string): Promise<OwnAddress | "shared" | "flooded" | undefined>;
  /** Finds whose mail is returned in this one, by a return path of ours anywhere in it. */
  findAccountIn(raw: Buffer): Promise<string | undefined>;
};

type AddressOptions = {
  readonly db: Pick<Db, "hot">;
  readonly clock: Clock;
  /** Says whether a mail test exists and its mail may still come. */
  readonly isOpenTest: IsOpenTest;
  readonly returnPaths: Pick<ReturnPaths, "read" | "verify">;
  readonly domain: string;
};

export type IsOpenTest = (db: Queryable, accountId: string, testId: string, now: Date) => Promise<boolean>;

/** RFC 5321 §4.5.1 and RFC 2142 want the first two. Complaints by feedback loop are sent to an address that was registered. */
const SHARED = new Set(["postmaster", "abuse", "fbl"]);
const MOST_SOURCES = 10_000;
/** Whoever writes many addresses that look like ours into a mail causes no more looks than this. */
const MOST_LOOKS = 5;

/**
 * The address for DMARC reports can be read in the DNS by everybody. This many are more than the
 * reporters of a hundred domains are expected to send in an hour.
 */
const MOST_REPORTS = { withinMs: 3_600_000, items: 2_000, bytes: 200 * 1_024 * 1_024 };

export function createOwnAddresses({
  db,
  clock,
  isOpenTest,
  returnPaths,
  domain,
}: AddressOptions): OwnAddresses {
  const known = createLruCache<readonly string[]>(MOST_SOURCES);

  async function accountsOf(sourceId: string): Promise<readonly string[]> {
    const found = known.get(sourceId) ?? (await findAccountsOfSource(db.hot, sourceId));
    if (found.length > 0) known.set(sourceId, found);
    return found;
  }

  /**
   * The MAC alone proves whose it is, whatever the host: bounces of mail that left from a domain's return path come for days, also
   * after the account has changed it or deleted the domain.
   */
  async function accountOf(read: ReadReturnPath): Promise<string | undefined> {
    const accounts = await accountsOf(read.sourceId);
    return accounts.find((one) => returnPaths.verify(read, one));
  }

  /** What comes back of a mail test comes to where it left from, which may be a return path of the account's own. */
  async function identifyAccount(local: string, host: string): Promise<OwnAddress | "flooded" | undefined> {
    const read = readAccountAddress(local);
    if (!read) return undefined;
    const { accountId } = read;
    if (host !== domain && (read.kind !== "mail_test" || !(await isReturnPathOf(db.hot, accountId, host))))
      return undefined;
    if (read.kind === "mail_test") {
      const { kind, testId } = read;
      const isOpen = await isOpenTest(db.hot, accountId, testId, clock.now());
      return isOpen ? { accountId, addressed: { kind, testId } } : undefined;
    }
    if (!(await getAccount(db.hot, accountId))) return undefined;
    const lately = await readLately(
      db.hot,
      accountId,
      new Date(clock.now().getTime() - MOST_REPORTS.withinMs),
      MOST_REPORTS.items,
    );
    const isFlooded = lately.items >= MOST_REPORTS.items || lately.bytes >= MOST_REPORTS.bytes;
    return isFlooded ? "flooded" : { accountId, addressed: { kind: read.kind } };
  }

  return {
    async identify(address) {
      // Without a domain it is that of whoever is asked (RFC 5321 §4.1.1.3).
      if (address.toLowerCase() === "postmaster") return "shared";
      const at = address.lastIndexOf("@");
      const host = address.slice(at + 1).toLowerCase();
      const local = address.slice(0, at);
      if (host === domain && SHARED.has(local.toLowerCase())) return "shared";
      const read = returnPaths.read(local);
      if (!read) return identifyAccount(local, host);
      const accountId = await accountOf(read);
      if (accountId === undefined) return undefined;
      const { kind, sourceId, contactId } = read;
      return { accountId, addressed: { kind, sourceId, contactId } };
    },
    async findAccountIn(raw) {
      const text = raw.toString("latin1");
      const candidates = new Set<string>();
      for (const [, local = ""] of text.matchAll(/\b([bu][\da-z]{62})@[\da-z]/gi)) {
        candidates.add(local.toLowerCase());
        if (candidates.size >= MOST_LOOKS) break;
      }
      for (const local of candidates) {
        const read = returnPaths.read(local);
        const accountId = read && (await accountOf(read));
        if (accountId !== undefined) return accountId;
      }
      return undefined;
    },
  };
}
