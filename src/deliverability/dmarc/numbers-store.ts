/** Statements that add up what reports say, for a page. All but those about one address read `dmarc_daily`. */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { Grouping } from "./schema.ts";

export type Range = {
  readonly domainIds: readonly string[];
  readonly from: string;
  readonly to: string;
  /** Counts the mail from this address alone. */
  readonly sourceIp: string | undefined;
};

export type Counts = {
  messages: number;
  aligned: number;
  dkim_aligned: number;
  spf_aligned: number;
  none: number;
  quarantined: number;
  rejected: number;
};

export type GroupRow = Counts & { key: string; last_day: string; groups: number };
export type SourceRow = GroupRow & {
  kind: "own_transport" | "known_service" | "unknown";
  host: string | null;
  addresses: number;
  source_ips: string[];
};

/** Nothing that a stranger wrote is among these words. */
const SUMS = sql`coalesce(sum(messages), 0)::bigint as messages, coalesce(sum(aligned), 0)::bigint as aligned,
  coalesce(sum(dkim_aligned), 0)::bigint as dkim_aligned, coalesce(sum(spf_aligned), 0)::bigint as spf_aligned,
  coalesce(sum(none), 0)::bigint as none, coalesce(sum(quarantined), 0)::bigint as quarantined,
  coalesce(sum(rejected), 0)::bigint as rejected`;

/** The rows that a grouping adds up. The primary key of dmarc_daily serves it, and the index dmarc_rows_of_source. */
function counted(accountId: string, { domainIds, from, to, sourceIp }: Range, grouping: Grouping): Sql {
  const where = sql`account_id = ${accountId} and domain_id = any(${[...domainIds]}::uuid[])
    and day between ${from}::date and ${to}::date`;
  if (sourceIp === undefined)
    return sql`(select * from dmarc_daily where ${where} and grouping = ${grouping})`;
  const key = {
    source: sql`host(source_ip)`,
    reporter: sql`reporter`,
    selector: sql`selectors`,
    day: sql`''`,
  }[grouping];
  const when = (condition: Sql) => sql`case when ${condition} then messages else 0 end`;
  return sql`(
    select day, ${key} as key, messages, ${when(sql`dkim_aligned or spf_aligned`)} as aligned,
      ${when(sql`dkim_aligned`)} as dkim_aligned, ${when(sql`spf_aligned`)} as spf_aligned,
      ${when(sql`disposition = 'none'`)} as none, ${when(sql`disposition = 'quarantine'`)} as quarantined,
      ${when(sql`disposition = 'reject'`)} as rejected
    from dmarc_rows where ${where} and source_ip = ${sourceIp}::inet)`;
}

export function readTotals(
  db: Queryable,
  accountId: string,
  range: Range,
): Promise<Counts & { reports: number }> {
  const { domainIds, from, to } = range;
  return db.one<Counts & { reports: number }>(sql`
    select ${SUMS}, (
      select count(*) from dmarc_reports where account_id = ${accountId} and domain_id = any(${[...domainIds]}::uuid[])
        and day between ${from}::date and ${to}::date) as reports
    from ${counted(accountId, range, "day")} as c`);
}

export function readDays(db: Queryable, accountId: string, range: Range, limit: number): Promise<GroupRow[]> {
  return db.many<GroupRow>(sql`
    select day::text as key, day::text as last_day, count(*) over () as groups, ${SUMS}
    from ${counted(accountId, range, "day")} as c group by day order by day limit ${limit}`);
}

export function readGroups(
  db: Queryable,
  accountId: string,
  range: Range & { readonly grouping: "reporter" | "selector" },
  limit: number,
): Promise<GroupRow[]> {
  return db.many<GroupRow>(sql`
    select key, max(day)::text as last_day, count(*) over () as groups, ${SUMS}
    from ${counted(accountId, range, range.grouping)} as c
    group by key order by messages desc, key limit ${limit}`);
}

/** The account's own addresses are one source, those of a service are another, and each unknown address is one. */
export function readSources(
  db: Queryable,
  accountId: string,
  range: Range & { readonly own: readonly string[] },
  limit: number,
): Promise<SourceRow[]> {
  return db.many<SourceRow>(sql`
    with by_address as (
      select key as ip, max(day) as last_day, ${SUMS} from ${counted(accountId, range, "source")} as c group by key
    ), named as (
      select a.*, s.host, case when o.ip is not null then 'own_transport' else coalesce(s.service, a.ip) end as key,
        case when o.ip is not null then 'own_transport' when s.service is not null then 'known_service' else 'unknown' end as kind
      from by_address a
      left join dmarc_sources s on s.account_id = ${accountId} and s.source_ip = a.ip::inet
      left join (select distinct host(one) as ip from unnest(${[...range.own]}::inet[]) as one) as o on o.ip = a.ip
    )
    select key, kind, max(last_day)::text as last_day, count(*) over () as groups, count(*) as addresses,
      case when kind = 'unknown' then max(host) end as host,
      (array_agg(ip order by messages desc, ip))[1:10] as source_ips, ${SUMS}
    from named group by key, kind
    order by kind = 'unknown' desc, sum(messages) desc, key limit ${limit}`);
}

type Alignment = {
  readonly domain: string;
  readonly messages: number;
  readonly aligned: number;
  readonly dkimAligned: number;
  readonly spfAligned: number;
};

/** Adds up what is said of each domain of the account over these days. */
export function readAlignment(
  db: Queryable,
  accountId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Alignment[]> {
  return db.many<Alignment>(sql`
    select d.name as domain, sum(m.messages)::bigint as messages, sum(m.aligned)::bigint as aligned,
      sum(m.dkim_aligned)::bigint as "dkimAligned", sum(m.spf_aligned)::bigint as "spfAligned"
    from domains d join dmarc_daily m on m.account_id = ${accountId} and m.domain_id = d.id and m.grouping = 'day'
      and m.day between ${from}::date and ${to}::date
    where d.account_id = ${accountId} group by d.name order by d.name`);
}
