/**
 * Statements that add up what reports say, for a page. They read what was added up when the reports came: by source
 * `dmarc_source_counts`, else `dmarc_daily`. Those about one address read its rows.
 */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { Grouping } from "./schema.ts";
import { piecesOf } from "./spans.ts";

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
function counted(accountId: string, range: Range, grouping: Grouping): Sql {
  const { sourceIp } = range;
  const where = sql`${ofDomains(accountId, range)} and day between ${range.from}::date and ${range.to}::date`;
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
  return db.one<Counts & { reports: number }>(sql`
    select ${SUMS}, (
      select count(*) from dmarc_reports where ${ofDomains(accountId, range)}
        and day between ${range.from}::date and ${range.to}::date) as reports
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

/**
 * Widens a range over the days beside it of which there is no mail, up to whole quarters: it then holds the same mail, and larger
 * spans fit into it. The primary key of dmarc_daily serves it.
 */
async function widen(
  db: Queryable,
  accountId: string,
  range: Range,
): Promise<{ readonly from: string; readonly to: string }> {
  const days = sql`dmarc_daily where ${ofDomains(accountId, range)} and grouping = 'day'`;
  return db.one<{ from: string; to: string }>(sql`
    select coalesce((select max(day) + 1 from ${days} and day >= q.first and day < ${range.from}::date), q.first)::text as from,
      coalesce((select min(day) - 1 from ${days} and day < q.next and day > ${range.to}::date), q.next - 1)::text as to
    from (select date_trunc('quarter', ${range.from}::date)::date as first,
      (date_trunc('quarter', ${range.to}::date) + interval '3 months')::date as next) as q`);
}

/** Adds up each address. Sums of float8 are exact up to 2^53, and take half the time of those of bigint. */
function byAddress(accountId: string, range: Range): Sql {
  const sum = (name: Sql) => sql`sum(${name}::float8) as ${name}`;
  const pieces = piecesOf(range);
  const column = <T>(pick: (piece: (typeof pieces)[number]) => T) => pieces.map(pick);
  const from =
    range.sourceIp === undefined
      ? sql`unnest(${column(({ span }) => span)}::text[], ${column(({ from }) => from)}::date[], ${column(({ to }) => to)}::date[])
          as piece (span, first, last)
        join dmarc_source_counts c on ${ofDomains(accountId, range)} and c.span = piece.span
          and c.begins between piece.first and piece.last`
      : sql`(select day as last_day, ${range.sourceIp}::inet as source_ip, c.*
             from ${counted(accountId, range, "source")} as c) as c`;
  return sql`
    select source_ip, max(last_day) as last_day, ${sum(sql`messages`)}, ${sum(sql`aligned`)}, ${sum(sql`dkim_aligned`)},
      ${sum(sql`spf_aligned`)}, ${sum(sql`quarantined`)}, ${sum(sql`rejected`)}
    from ${from} group by source_ip`;
}

/** The account's own addresses are one source, those of a service are another, and each unknown address is one. */
export async function readSources(
  db: Queryable,
  accountId: string,
  range: Range & { readonly own: readonly string[] },
  limit: number,
): Promise<SourceRow[]> {
  const widened = range.sourceIp === undefined ? await widen(db, accountId, range) : {};
  const isOwn = sql`a.source_ip = any(${[...range.own]}::inet[])`;
  return db.many<SourceRow>(sql`
    with by_address as (${byAddress(accountId, { ...range, ...widened })}), named as (
      select a.*, a.messages - a.quarantined - a.rejected as none, s.host,
        case when ${isOwn} then 'own_transport' else coalesce(s.service, host(a.source_ip)) end as key,
        case when ${isOwn} then 'own_transport' when s.service is not null then 'known_service' else 'unknown' end as kind
      from by_address a
      left join dmarc_sources s on s.account_id = ${accountId} and s.source_ip = a.source_ip
    )
    select key, kind, max(last_day)::text as last_day, count(*) over () as groups, count(*) as addresses,
      case when kind = 'unknown' then max(host) end as host,
      (array_agg(host(source_ip) order by messages desc, source_ip))[1:10] as source_ips, ${SUMS}
    from named group by key, kind
    order by kind = 'unknown' desc, sum(messages) desc, key limit ${limit}`);
}

function ofDomains(accountId: string, { domainIds }: Pick<Range, "domainIds">): Sql {
  return sql`account_id = ${accountId} and domain_id = any(${[...domainIds]}::uuid[])`;
}

type Alignment = {
  readonly messages: number;
  readonly aligned: number;
  readonly dkimAligned: number;
  readonly spfAligned: number;
};

/**
 * Adds up what is said, from that day on, of mail that left by these addresses. Mail by others is forwarded or forged, and says
 * nothing about the account's own.
 */
export function readAlignment(
  db: Queryable,
  accountId: string,
  { own, fromDay }: { readonly own: readonly string[]; readonly fromDay: string },
): Promise<Alignment> {
  return db.one<Alignment>(sql`
    select coalesce(sum(messages), 0)::bigint as messages, coalesce(sum(aligned), 0)::bigint as aligned,
      coalesce(sum(dkim_aligned), 0)::bigint as "dkimAligned", coalesce(sum(spf_aligned), 0)::bigint as "spfAligned"
    from dmarc_source_counts
    where account_id = ${accountId} and domain_id in (select id from domains where account_id = ${accountId})
      and span = 'day' and begins >= ${fromDay} and source_ip = any(${[...own]}::inet[])`);
}
