/** Statements that keep reports and list them. Those that add their numbers up are in `numbers-store.ts`. */
import { intArray, textArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { OwnReport } from "./own-rows.ts";
import type { CHANNELS } from "./schema.ts";
import { beginningsOf } from "./spans.ts";

export type Channel = (typeof CHANNELS)[number];

export type ReportRow = {
  id: string;
  domain_id: string;
  policy_domain: string;
  reporter: string;
  contact: string | null;
  report_id: string;
  begins_at: Date;
  ends_at: Date;
  policy: OwnReport["report"]["policy"];
  channel: Channel;
  sender_domain: string | null;
  messages: number;
  aligned: number;
  records: number;
  records_left_out: number;
  created_at: Date;
};

const COLUMNS = sql`id, domain_id, policy_domain, reporter, contact, report_id, begins_at, ends_at, policy, channel,
  sender_domain, messages, aligned, records, records_left_out, created_at`;

/** The index domains_by_name serves it. */
export async function readDomainIds(db: Queryable, accountId: string): Promise<Map<string, string>> {
  const rows = await db.many<{ id: string; name: string }>(sql`
    select id, name from domains where account_id = ${accountId}`);
  return new Map(rows.map(({ id, name }) => [name, id]));
}

type NewReport = OwnReport & {
  readonly id: string;
  readonly channel: Channel;
  readonly senderDomain: string | null;
  readonly at: Date;
};

/** Returns undefined where the same report is there already; of two at once, the second waits for the first. */
export function insertReport(tx: Tx, accountId: string, one: NewReport): Promise<ReportRow | undefined> {
  const { report } = one;
  return tx.maybeOne<ReportRow>(sql`
    insert into dmarc_reports (account_id, id, domain_id, policy_domain, reporter, contact, report_id, begins_at, ends_at, day,
      policy, channel, sender_domain, messages, aligned, records, records_left_out, created_at)
    values (${accountId}, ${one.id}, ${one.domainId}, ${report.policyDomain}, ${report.org}, ${report.email}, ${report.reportId},
      ${report.begin}, ${report.end}, ${one.day}, ${JSON.stringify(report.policy)}::jsonb, ${one.channel}, ${one.senderDomain},
      ${one.messages}, ${one.aligned}, ${report.records}, ${one.leftOut}, ${one.at})
    on conflict (account_id, policy_domain, reporter, report_id) do nothing
    returning ${COLUMNS}`);
}

export function findSameReport(
  db: Queryable,
  accountId: string,
  { report }: Pick<OwnReport, "report">,
): Promise<ReportRow> {
  return db.one<ReportRow>(sql`
    select ${COLUMNS} from dmarc_reports where account_id = ${accountId} and policy_domain = ${report.policyDomain}
      and reporter = ${report.org} and report_id = ${report.reportId}`);
}

/** Adds the rows of a report to those of its day, to what is added up of them, and to the sources that are known. */
export async function addRows(tx: Tx, accountId: string, own: OwnReport, now: Date): Promise<void> {
  const { rows, day, report } = own;
  const column = <T>(pick: (row: (typeof rows)[number]) => T) => rows.map(pick);
  const spans = beginningsOf(day);
  await tx.execute(sql`
    with given as materialized (
      select domain_id, source_ip::inet, selectors, disposition, flags & 1 > 0 as dkim, flags & 2 > 0 as spf, messages::bigint
      from unnest(${uuidArray(column((row) => row.domainId))}::uuid[], ${textArray(column((row) => row.sourceIp))}::text[],
        ${textArray(column((row) => row.selectors))}::text[], ${textArray(column((row) => row.disposition))}::text[],
        ${intArray(column((row) => (row.isDkimAligned ? 1 : 0) + (row.isSpfAligned ? 2 : 0)))}::int[],
        ${column((row) => row.messages)}::float8[]
      ) as one (domain_id, source_ip, selectors, disposition, flags, messages)
    ), counted as (
      insert into dmarc_rows as d (account_id, domain_id, day, source_ip, reporter, selectors, disposition, dkim_aligned,
        spf_aligned, messages)
      select ${accountId}::uuid, domain_id, ${day}::date, source_ip, ${report.org}, selectors, disposition, dkim, spf,
        sum(messages)
      from given group by domain_id, source_ip, selectors, disposition, dkim, spf
      order by domain_id, source_ip, selectors, disposition, dkim, spf
      on conflict (account_id, domain_id, day, source_ip, reporter, selectors, disposition, dkim_aligned, spf_aligned)
        do update set messages = d.messages + excluded.messages
    ), seen as (
      insert into dmarc_sources as d (account_id, source_ip, last_day, first_seen_at, next_look_at)
      select distinct ${accountId}::uuid, source_ip, ${day}::date, ${now}::timestamptz, ${now}::timestamptz from given
      order by source_ip
      on conflict (account_id, source_ip) do update set last_day = excluded.last_day where d.last_day < excluded.last_day
    ), by_source as (
      insert into dmarc_source_counts as d (account_id, domain_id, span, begins, source_ip, last_day, messages, aligned,
        dkim_aligned, spf_aligned, quarantined, rejected)
      select ${accountId}::uuid, domain_id, s.span, s.begins, source_ip, ${day}::date, ${SUMS}
      from given, unnest(${spans.map(({ span }) => span)}::text[], ${spans.map(({ begins }) => begins)}::date[]) as s (span, begins)
      group by domain_id, s.span, s.begins, source_ip order by domain_id, s.span, s.begins, source_ip
      on conflict (account_id, domain_id, span, begins, source_ip) do update set
        last_day = greatest(d.last_day, excluded.last_day), ${ADDED}
    )
    insert into dmarc_daily as d (account_id, domain_id, grouping, day, key, messages, aligned, dkim_aligned, spf_aligned,
      quarantined, rejected, none)
    select ${accountId}::uuid, domain_id, g.grouping, ${day}::date, g.key, ${SUMS}, ${part(sql`disposition = 'none'`)}
    from given, lateral (values ('day', ''), ('reporter', ${report.org}), ('selector', selectors)) as g (grouping, key)
    group by domain_id, g.grouping, g.key order by domain_id, g.grouping, g.key
    on conflict (account_id, domain_id, grouping, day, key) do update set ${ADDED}, none = d.none + excluded.none`);
}

const part = (condition: Sql) => sql`coalesce(sum(messages) filter (where ${condition}), 0)`;
const SUMS = sql`sum(messages), ${part(sql`dkim or spf`)}, ${part(sql`dkim`)}, ${part(sql`spf`)},
  ${part(sql`disposition = 'quarantine'`)}, ${part(sql`disposition = 'reject'`)}`;
const ADDED = sql`messages = d.messages + excluded.messages, aligned = d.aligned + excluded.aligned,
  dkim_aligned = d.dkim_aligned + excluded.dkim_aligned, spf_aligned = d.spf_aligned + excluded.spf_aligned,
  quarantined = d.quarantined + excluded.quarantined, rejected = d.rejected + excluded.rejected`;

type ReportFilter = { readonly domainId: string | undefined };

/** The indexes dmarc_reports_by_age and dmarc_reports_of_domain serve it. */
export function listReports(
  db: Queryable,
  accountId: string,
  { domainId }: ReportFilter,
  page: AgePage,
): Promise<ReportRow[]> {
  return db.many<ReportRow>(sql`
    select ${COLUMNS} from dmarc_reports where account_id = ${accountId} ${ofDomain(domainId)} ${newestFirst(page)}`);
}

export async function countReports(
  db: Queryable,
  accountId: string,
  { domainId }: ReportFilter,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from dmarc_reports where account_id = ${accountId} ${ofDomain(domainId)}`);
  return count;
}

function ofDomain(domainId: string | undefined): Sql {
  return domainId === undefined ? sql`` : sql`and domain_id = ${domainId}`;
}

/** Counts the reports that came by mail since then, and the records in them. The index is dmarc_reports_by_age. */
export function countMailed(
  db: Queryable,
  accountId: string,
  since: Date,
): Promise<{ reports: number; records: number }> {
  return db.one<{ reports: number; records: number }>(sql`
    select count(*) as reports, coalesce(sum(records), 0)::float8 as records from dmarc_reports
    where account_id = ${accountId} and created_at > ${since} and channel = 'mail'`);
}

/** Forgets what is about days before that one, of all accounts. Each table has an index by its day. */
export async function removeBefore(db: Writable, day: string): Promise<void> {
  await db.execute(sql`delete from dmarc_rows where day < ${day}`);
  await db.execute(sql`delete from dmarc_daily where day < ${day}`);
  await db.execute(sql`delete from dmarc_source_counts where last_day < ${day}`);
  await db.execute(sql`delete from dmarc_reports where day < ${day}`);
  await db.execute(sql`delete from dmarc_sources where last_day < ${day}`);
}
