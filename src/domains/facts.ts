/** Puts together what the records of a domain have to say, from its row, its keys, and what other floors know. */
import type { Queryable } from "../platform/db/db.ts";
import type { Dns } from "../platform/dns.ts";
import { inspectRecords } from "./records/records.ts";
import type { DomainFacts, DomainRecord, FetchTracking, SenderFacts } from "./records/types.ts";
import type { DomainRow, KeyRow } from "./store.ts";

/** What is asked of other floors, to know which records a domain needs. */
export type FactTools = {
  readonly publicUrl: () => string;
  /** The setting INBOUND_DOMAIN. */
  readonly inboundDomain: string | undefined;
  /** The address that the account's DMARC reports come to; null where nothing comes in. */
  readonly reportAddress: (accountId: string) => string | null;
  /** The servers that the account's mail leaves by. */
  readonly readSenders: (db: Queryable, accountId: string) => Promise<readonly SenderFacts[]>;
};

type Described = Pick<DomainRow, "account_id" | "name" | "return_path" | "tracking_host">;
type DescribedKey = Pick<KeyRow, "selector" | "algorithm" | "public_record" | "state">;

export async function readFacts(
  db: Queryable,
  tools: FactTools,
  domain: Described,
  keys: readonly DescribedKey[],
): Promise<DomainFacts> {
  return {
    name: domain.name,
    returnPath: domain.return_path,
    trackingHost: domain.tracking_host,
    keys: keys.map(({ selector, algorithm, public_record, state }) => ({
      selector,
      algorithm,
      record: public_record,
      state,
    })),
    rua: tools.reportAddress(domain.account_id),
    inboundDomain: tools.inboundDomain,
    publicHost: new URL(tools.publicUrl()).hostname,
    senders: await tools.readSenders(db, domain.account_id),
  };
}

const unasked = async () => ({ kind: "failed", detail: "nobody has looked yet" }) as const;
const NO_DNS: Dns = {
  txt: unasked,
  mx: unasked,
  cname: unasked,
  a: unasked,
  aaaa: unasked,
  ns: unasked,
  ptr: unasked,
};
const fetchNothing: FetchTracking = unasked;

/**
 * Says which records the domain needs, without asking the DNS, so that a transaction may do so. What was found before of a record that
 * has stayed the same is kept until the next look.
 */
export async function describeRecords(
  facts: DomainFacts,
  before: readonly DomainRecord[],
): Promise<readonly DomainRecord[]> {
  const { records } = await inspectRecords({ dns: NO_DNS, fetchTracking: fetchNothing }, facts);
  const known = new Map(before.map((record) => [identityOf(record), record]));
  return records.map((record) => {
    const old = known.get(identityOf(record));
    if (!old) return record;
    return isMerged(record) ? old : { ...record, found: old.found, status: old.status };
  });
}

/** What is expected of these is what was found, with ours merged in, so it can't be told without the DNS. */
function isMerged({ kind }: DomainRecord): boolean {
  return kind === "spf" || kind === "dmarc";
}

function identityOf(record: DomainRecord): string {
  const { kind, type, name, expected } = record;
  return JSON.stringify(isMerged(record) ? [kind] : [kind, type, name, expected]);
}
