/**
 * Counts what became of a source's mail by the recipients' domain. Nothing is written for this while mail is sent: the ledger
 * is counted when somebody asks, and a last time when the source has ended, which is kept. Bounces that came later and complaints
 * are added.
 */
import type { Ctx } from "../../platform/context.ts";
import { prepared, type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import { domainsOfList, lookUpDomain } from "../../subscribers/subscribers.ts";
import type { SourcePayload } from "../job-kinds.ts";
import { listSources } from "../ledger/ledger.ts";
import type { DomainCounts } from "../types.ts";
import { createKeptCounts } from "./kept-counts.ts";
import { readLaterByDomain } from "./later-bounces.ts";
import { holdDomains } from "./settle.ts";

/** So many domains with the most recipients are counted one by one; all others are counted together. */
export const MOST_DOMAINS = 200;

type CountedDomains = { readonly asOf: Date; readonly domains: readonly DomainCounts[] };
type ReadDomains = (ctx: Ctx, ownerId: string) => Promise<CountedDomains>;
/** What the ledger says, which knows nothing of bounces that came later. */
type LedgerCounts = Omit<DomainCounts, "returned" | "complaints">;

/** A process has one such reader, which caches the counts of sources that are still being sent. */
export function createDomainReader(): ReadDomains {
  const count = createKeptCounts(async ({ sql: db, accountId, clock }: Ctx, sourceId) => {
    const asOf = clock.now();
    return { asOf, domains: await countDomains(db, accountId, sourceId) };
  });

  const read = async (ctx: Ctx, sourceId: string): Promise<CountedDomains> =>
    (await readEnded(ctx.sql, ctx.accountId, sourceId)) ?? count(ctx, sourceId);

  return async (ctx, ownerId) => {
    const ids = await listSources(ctx.sql, ctx.accountId, ownerId);
    const [first, ...others] = await Promise.all(ids.map((id) => read(ctx, id)));
    return others.reduce(addDomains, first ?? { asOf: ctx.clock.now(), domains: [] });
  };
}

const NOTHING: DomainCounts = {
  domain: "",
  recipients: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
  hard: 0,
  soft: 0,
  block: 0,
  returned: 0,
  complaints: 0,
};

/** Adds bounces that came later, and complaints. Those of a domain that isn't counted by itself are among the others. */
async function addLater(
  db: Queryable,
  accountId: string,
  sourceId: string,
  domains: readonly LedgerCounts[],
): Promise<DomainCounts[]> {
  const later = await readLaterByDomain(db, accountId, sourceId);
  const byName = new Map<string, DomainCounts>(
    domains.map((one) => [one.domain, { ...one, returned: 0, complaints: 0 }]),
  );
  for (const { domain, hard, soft, block, complaints } of later) {
    const name = byName.has(domain) ? domain : "";
    const one = byName.get(name) ?? NOTHING;
    byName.set(name, {
      ...one,
      hard: one.hard + hard,
      soft: one.soft + soft,
      block: one.block + block,
      returned: one.returned + hard + soft + block,
      complaints: one.complaints + complaints,
    });
  }
  return [...byName.values()];
}

/** Adds the counts of two sources of one owner, as of the older count, and keeps only the largest domains apart again. */
function addDomains(one: CountedDomains, other: CountedDomains): CountedDomains {
  const sums = addByName([...one.domains, ...other.domains]).sort(
    (a, b) => Number(a.domain === "") - Number(b.domain === "") || b.recipients - a.recipients,
  );
  const domains = sums.map((sum, at) => (at < MOST_DOMAINS ? sum : { ...sum, domain: "" }));
  return { asOf: one.asOf < other.asOf ? one.asOf : other.asOf, domains: addByName(domains) };
}

function addByName(all: readonly DomainCounts[]): DomainCounts[] {
  const sum = (a: DomainCounts, b: DomainCounts): DomainCounts => ({
    domain: a.domain,
    recipients: a.recipients + b.recipients,
    sent: a.sent + b.sent,
    deferred: a.deferred + b.deferred,
    failed: a.failed + b.failed,
    unknown: a.unknown + b.unknown,
    skipped: a.skipped + b.skipped,
    hard: a.hard + b.hard,
    soft: a.soft + b.soft,
    block: a.block + b.block,
    returned: a.returned + b.returned,
    complaints: a.complaints + b.complaints,
  });
  return [...Map.groupBy(all, ({ domain }) => domain).values()].map((same) => same.reduce(sum));
}

async function countDomains(db: Queryable, accountId: string, sourceId: string): Promise<DomainCounts[]> {
  const counting = countingDomains(accountId, sourceId, await readLedgerSize(db, accountId, sourceId));
  return addLater(db, accountId, sourceId, await db.many<LedgerCounts>(counting));
}

async function readEnded(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<CountedDomains | undefined> {
  const rows = await db.many<LedgerCounts & { asOf: Date }>(
    prepared(sql`
      select domain, recipients, sent, deferred, failed, unknown, skipped, hard, soft, block, counted_at as "asOf"
      from source_domains where account_id = ${accountId} and source_id = ${sourceId}`),
  );
  const [first] = rows;
  if (!first) return undefined;
  const domains = rows.map(({ asOf: _, ...counts }) => counts);
  return { asOf: first.asOf, domains: await addLater(db, accountId, sourceId, domains) };
}

/** Runs as a job once a source has ended for good. Running it twice changes nothing, because the first count is kept. */
export async function keepDomains({ db, clock }: JobCtx, payload: SourcePayload): Promise<void> {
  const { account_id: accountId, source_id: sourceId } = payload;
  const counting = countingDomains(accountId, sourceId, await readLedgerSize(db, accountId, sourceId));
  await db.transaction(async (tx) => {
    await holdDomains(tx, [sourceId], "alone");
    await tx.execute(sql`
      insert into source_domains (domain, recipients, sent, deferred, failed, unknown, skipped, hard, soft, block,
                                  account_id, source_id, counted_at)
      select counted.*, ${accountId}, ${sourceId}, ${clock.now()} from (${counting}) as counted
      on conflict do nothing`);
  });
}

/**
 * Below this number of recipients, and where a source is given its recipients, each subscriber is looked up by key. Above it,
 * the whole list is read, which is then quicker.
 */
const LOOKED_UP = 20_000;

/**
 * Counts in one pass over the source's rows. We choose between two plans ourselves: on a ledger without statistics, the
 * server's own choice took 79 s for a million rows. `offset 0` forces a lookup by key for each subscriber, and a full join
 * can't be done row by row.
 */
function countingDomains(accountId: string, sourceId: string, { recipients, isGiven }: LedgerSize): Sql {
  const rows = sql`(
    select contact_id, subscriber_id, state, why from deliveries where account_id = ${accountId} and source_id = ${sourceId}) as d`;
  const listId = sql`(select list_id from sources where account_id = ${accountId} and id = ${sourceId})`;
  const ofSubscriber = lookUpDomain(accountId, sql`d.subscriber_id`);
  const ofGiven = sql`(
    select domain from ${ofSubscriber} as subscriber
    union all
    select split_part(g.email_key, '@', -1) from given_recipients g
    where d.subscriber_id is null and g.account_id = ${accountId} and g.source_id = ${sourceId} and g.contact_id = d.contact_id)`;
  const from =
    recipients < LOOKED_UP || isGiven
      ? sql`${rows} left join lateral ${isGiven ? ofGiven : ofSubscriber} as p on true`
      : sql`${rows} full join ${domainsOfList(accountId, listId)} as p on p.id = d.subscriber_id`;
  return sql`
    with tallied as materialized (
      select coalesce(p.domain, '') as domain, count(d.contact_id) as recipients,
             count(*) filter (where d.state = 'sent') as sent, count(*) filter (where d.state = 'deferred') as deferred,
             count(*) filter (where d.state = 'failed') as failed, count(*) filter (where d.state = 'unknown') as unknown,
             count(*) filter (where d.state = 'skipped') as skipped,
             count(*) filter (where d.why = 'hard_bounce') as hard, count(*) filter (where d.why = 'soft_bounce') as soft,
             count(*) filter (where d.why = 'block_bounce') as block
      from ${from} group by 1 having count(d.contact_id) > 0
    ), placed as (
      select *, row_number() over (order by domain = '', recipients desc, domain) as place from tallied
    )
    select case when place <= ${MOST_DOMAINS} then domain else '' end as domain,
           sum(recipients)::bigint as recipients, sum(sent)::bigint as sent, sum(deferred)::bigint as deferred,
           sum(failed)::bigint as failed, sum(unknown)::bigint as unknown, sum(skipped)::bigint as skipped,
           sum(hard)::bigint as hard, sum(soft)::bigint as soft, sum(block)::bigint as block
    from placed group by 1`;
}

type LedgerSize = { recipients: number; isGiven: boolean };

/** Reads how many recipients were planned or given so far. */
async function readLedgerSize(db: Queryable, accountId: string, sourceId: string): Promise<LedgerSize> {
  const size = await db.maybeOne<LedgerSize>(
    prepared(sql`
      select p.recipients, src.is_given as "isGiven" from plans p
      join sources src on src.account_id = p.account_id and src.id = p.source_id
      where p.account_id = ${accountId} and p.source_id = ${sourceId}`),
  );
  return size ?? { recipients: 0, isGiven: false };
}
