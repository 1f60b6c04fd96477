/** Says who of a source's recipients waits because their mailbox provider is closed for its transport. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import { findProviders, OTHER_PROVIDER } from "../../recipient-domains/recipient-domains.ts";
import { lookUpDomain } from "../../subscribers/subscribers.ts";
import { readClosings } from "./close.ts";

export type ClosedFor = {
  readonly providers: readonly string[];
  /** When the last of them opens. */
  readonly until: Date;
  /** Whether nobody who was put off is due before that. */
  readonly isAll: boolean;
};

type SourceOf = { readonly sourceId: string; readonly transportId: string };

/** So many of those who come first after a provider opens say who waits for it. */
const LOOKED_AT = 200;

/**
 * Asks for closings once, and for the rest only where there are any, which is seldom. The ledger doesn't say why a row waits: one that is due
 * after the provider of its mailbox opens waits for that.
 */
export async function readClosedFor(
  db: Queryable,
  accountId: string,
  sources: readonly SourceOf[],
  now: Date,
): Promise<ReadonlyMap<string, ClosedFor>> {
  if (sources.length === 0) return new Map();
  const transportIds = [...new Set(sources.map(({ transportId }) => transportId))];
  const closings = await readClosings(db, accountId, transportIds, now);
  const found = new Map<string, ClosedFor>();
  for (const { sourceId, transportId } of closings.length === 0 ? [] : sources) {
    const own = closings.filter((one) => one.transport_id === transportId);
    const waiting: (typeof own)[number][] = [];
    for (const closing of own)
      if ((await providersAfter(db, accountId, sourceId, closing.until)).has(closing.provider))
        waiting.push(closing);
    if (waiting.length === 0) continue;
    const times = waiting.map(({ until }) => until.getTime());
    found.set(sourceId, {
      providers: [...new Set(waiting.map(({ provider }) => provider))].sort(),
      until: new Date(Math.max(...times)),
      isAll: !(await isAnyDueBefore(db, accountId, sourceId, new Date(Math.min(...times)))),
    });
  }
  return found;
}

/** The providers of those who are due first after that time. The index retries_due serves it. */
async function providersAfter(
  db: Queryable,
  accountId: string,
  sourceId: string,
  from: Date,
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ domain: string }>(sql`
    select distinct p.domain from (
      select contact_id from retries
      where account_id = ${accountId} and source_id = ${sourceId} and not claimed and due_at >= ${from}
      order by due_at limit ${LOOKED_AT}
    ) as r
    join deliveries d on d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = r.contact_id
    join lateral ${lookUpDomain(accountId, sql`d.subscriber_id`)} as p on true`);
  const domains = rows.map(({ domain }) => domain);
  const known = await findProviders(db, domains);
  return new Set(domains.map((domain) => known.get(domain)?.key ?? OTHER_PROVIDER));
}

async function isAnyDueBefore(
  db: Queryable,
  accountId: string,
  sourceId: string,
  time: Date,
): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`
    select exists (
      select from retries
      where account_id = ${accountId} and source_id = ${sourceId} and not claimed and due_at < ${time}) as found`);
  return found;
}
