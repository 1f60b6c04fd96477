/**
 * Says whose an address under INBOUND_DOMAIN is. A return path names its source and contact; the account is found by the source, and
 * the MAC then proves that we made the address. Nothing else is taken, but for the addresses that every domain must have and that
 * complaints are sent to: what comes there is known by a return path of ours within it.
 */
import { findAccountsOfSource } from "../../delivery/delivery.ts";
import type { ReadReturnPath, ReturnPaths } from "../../messages/messages.ts";
import type { Db } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import type { InboundItem } from "../types.ts";
import { createReturnPathHosts } from "./return-path-hosts.ts";

/** Whose mail to an address is, and which message it is about; null where the address doesn't say. */
type OwnAddress = {
  readonly accountId: string;
  readonly addressed: NonNullable<InboundItem["addressed"]>;
};

export type OwnAddresses = {
  /** Returns undefined for an address that isn't ours, and `shared` for one of the addresses of the domain. */
  identify(address: string): Promise<OwnAddress | "shared" | undefined>;
  /** Finds whose mail is returned in this one, by a return path of ours anywhere in it. */
  findAccountIn(raw: Buffer): Promise<string | undefined>;
};

type AddressOptions = {
  readonly db: Pick<Db, "hot">;
  readonly returnPaths: Pick<ReturnPaths, "read" | "verify">;
  readonly domain: string;
};

/** RFC 5321 §4.5.1 and RFC 2142 want the first two. Complaints by feedback loop are sent to an address that was registered. */
const SHARED = new Set(["postmaster", "abuse", "fbl"]);
const MOST_SOURCES = 10_000;
/** Whoever writes many addresses that look like ours into a mail causes no more looks than this. */
const MOST_LOOKS = 5;

export function createOwnAddresses({ db, returnPaths, domain }: AddressOptions): OwnAddresses {
  const isReturnPath = createReturnPathHosts(db);
  const known = createLruCache<readonly string[]>(MOST_SOURCES);

  async function accountsOf(sourceId: string): Promise<readonly string[]> {
    const found = known.get(sourceId) ?? (await findAccountsOfSource(db.hot, sourceId));
    if (found.length > 0) known.set(sourceId, found);
    return found;
  }

  /** The host must be INBOUND_DOMAIN, or the return path of a domain of the very account. */
  async function accountOf(read: ReadReturnPath, host: string): Promise<string | undefined> {
    const accounts = await accountsOf(read.sourceId);
    const accountId = accounts.find((one) => returnPaths.verify(read, one));
    if (accountId === undefined || host === domain) return accountId;
    return (await isReturnPath(accountId, host)) ? accountId : undefined;
  }

  return {
    async identify(address) {
      const at = address.lastIndexOf("@");
      const host = address.slice(at + 1).toLowerCase();
      const local = address.slice(0, at);
      if (host === domain && SHARED.has(local.toLowerCase())) return "shared";
      const read = returnPaths.read(local);
      const accountId = read && (await accountOf(read, host));
      if (!read || accountId === undefined) return undefined;
      const { kind, sourceId, contactId } = read;
      return { accountId, addressed: { kind, sourceId, contactId } };
    },
    async findAccountIn(raw) {
      const text = raw.toString("latin1");
      const candidates = new Map<string, string>();
      for (const [, local = "", found = ""] of text.matchAll(/\b([bu][\da-z]{62})@([\da-z.-]{1,253})/gi)) {
        const host = found.toLowerCase();
        // What stands behind an address without a blank between is none of its host.
        const own = host.startsWith(domain) ? domain : host.replace(/[.-]+$/, "");
        candidates.set(local.toLowerCase(), own);
        if (candidates.size >= MOST_LOOKS) break;
      }
      for (const [local, host] of candidates) {
        const read = returnPaths.read(local);
        const accountId = read && (await accountOf(read, host));
        if (accountId !== undefined) return accountId;
      }
      return undefined;
    },
  };
}
