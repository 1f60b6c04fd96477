/** Statements about the sources of reports and who is behind them. */
import { type Queryable, sql, type Writable } from "../../platform/db/db.ts";

/** Lists sources that nobody has looked up, or not for long, those with the newest mail first. */
export async function listDueSources(
  db: Queryable,
  accountId: string,
  { now, most }: { readonly now: Date; readonly most: number },
): Promise<string[]> {
  const rows = await db.many<{ ip: string }>(sql`
    select host(source_ip) as ip from dmarc_sources where account_id = ${accountId} and next_look_at <= ${now}
    order by last_day desc, source_ip limit ${most}`);
  return rows.map(({ ip }) => ip);
}

/** The index dmarc_sources_looked_up serves it. */
export async function countLookedUp(db: Queryable, accountId: string, since: Date): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from dmarc_sources where account_id = ${accountId} and looked_up_at > ${since}`);
  return count;
}

export type LookedUp = {
  readonly ip: string;
  readonly host: string | null;
  readonly service: string | null;
  /** Nobody answered: what was known stays. */
  readonly isFailed: boolean;
  readonly nextLookAt: Date;
};

export async function writeLookedUp(
  db: Writable,
  accountId: string,
  found: readonly LookedUp[],
  now: Date,
): Promise<void> {
  const column = <T>(pick: (one: LookedUp) => T) => found.map(pick);
  await db.execute(sql`
    update dmarc_sources s set next_look_at = one.next_look_at, looked_up_at = ${now},
      host = case when one.is_failed then s.host else one.host end,
      service = case when one.is_failed then s.service else one.service end
    from unnest(${column((one) => one.ip)}::inet[], ${column((one) => one.host)}::text[],
      ${column((one) => one.service)}::text[], ${column((one) => one.isFailed)}::boolean[],
      ${column((one) => one.nextLookAt)}::timestamptz[]) as one (ip, host, service, is_failed, next_look_at)
    where s.account_id = ${accountId} and s.source_ip = one.ip`);
}

export type SourceMail = {
  domain_id: string;
  domain: string;
  ip: string;
  host: string | null;
  first_seen_at: Date;
  messages: number;
  unaligned: number;
};

/**
 * Lists sources that are neither the account's nor a known service's, were first told of after `since`, and whose mail in a domain's
 * name failed more than so many times from that day on.
 */
export function listNewUnknown(
  db: Queryable,
  accountId: string,
  options: {
    readonly own: readonly string[];
    readonly since: Date;
    readonly fromDay: string;
    readonly atLeast: number;
  },
): Promise<SourceMail[]> {
  const { own, since, fromDay, atLeast } = options;
  return db.many<SourceMail>(sql`
    select m.domain_id, d.name as domain, host(m.source_ip) as ip, s.host, s.first_seen_at, m.messages, m.unaligned
    from (
      select domain_id, source_ip, sum(messages)::bigint as messages, sum(messages - aligned)::bigint as unaligned
      from dmarc_source_counts
      where account_id = ${accountId} and domain_id in (select id from domains where account_id = ${accountId})
        and span = 'day' and begins >= ${fromDay}
      group by domain_id, source_ip having sum(messages - aligned) >= ${atLeast}
    ) as m
    join dmarc_sources s on s.account_id = ${accountId} and s.source_ip = m.source_ip
    join domains d on d.account_id = ${accountId} and d.id = m.domain_id
    where s.service is null and s.looked_up_at is not null and s.first_seen_at >= ${since}
      and not (s.source_ip = any(${[...own]}::inet[]))
    order by d.name, m.unaligned desc, ip`);
}

export type OwnMail = { domain_id: string; domain: string; messages: number; unaligned: number };

/** Adds up what the account's own addresses sent in the name of each domain, from that day on. */
export function listOwnMail(
  db: Queryable,
  accountId: string,
  { own, fromDay }: { readonly own: readonly string[]; readonly fromDay: string },
): Promise<OwnMail[]> {
  return db.many<OwnMail>(sql`
    select d.id as domain_id, d.name as domain, sum(m.messages)::bigint as messages,
      sum(m.messages - m.aligned)::bigint as unaligned
    from domains d join dmarc_source_counts m on m.account_id = ${accountId} and m.domain_id = d.id and m.span = 'day'
      and m.begins >= ${fromDay} and m.source_ip = any(${[...own]}::inet[])
    where d.account_id = ${accountId}
    group by d.id, d.name order by d.name`);
}
