/** All statements of storms, and of the reports that they hold. */
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";

export type StormState = "open" | "released" | "dismissed";

export type StormRow = {
  id: string;
  domain: string;
  state: StormState;
  hard: number;
  mails: number;
  usual_share: number;
  held: number;
  created_at: Date;
  last_at: Date;
  decided_at: Date | null;
};

const columns = sql`x.id, x.domain, x.state, x.hard, x.mails, x.usual_share, x.held, x.created_at, x.last_at, x.decided_at`;

/** Finds the newest storm of each of these domains, as far as they had one. */
export function findLastStorms(tx: Tx, accountId: string, domains: readonly string[]): Promise<StormRow[]> {
  return tx.many<StormRow>(sql`
    select x.* from unnest(${[...domains]}::text[]) as d (domain) cross join lateral (
      select ${columns} from bounce_storms x
      where x.account_id = ${accountId} and x.domain = d.domain order by x.created_at desc, x.id desc limit 1) as x`);
}

/** Opens a storm, or returns the one that another transaction opened just now. */
export function openStorm(
  tx: Tx,
  accountId: string,
  storm: Pick<StormRow, "id" | "domain" | "hard" | "mails" | "usual_share" | "created_at">,
): Promise<{ id: string }> {
  return tx.one<{ id: string }>(sql`
    insert into bounce_storms as x (account_id, id, domain, state, hard, mails, usual_share, held, created_at, last_at)
    values (${accountId}, ${storm.id}, ${storm.domain}, 'open', ${storm.hard}, ${storm.mails}, ${storm.usual_share}, 0,
            ${storm.created_at}, ${storm.created_at})
    on conflict (account_id, domain) where state = 'open' do update set last_at = greatest(x.last_at, excluded.last_at)
    returning id`);
}

export async function addHeld(
  tx: Tx,
  accountId: string,
  id: string,
  { held, at }: { held: number; at: Date },
): Promise<void> {
  await tx.execute(sql`
    update bounce_storms set held = held + ${held}, last_at = greatest(last_at, ${at}::timestamptz)
    where account_id = ${accountId} and id = ${id}`);
}

type HardOfDomain = { readonly domain: string; readonly sourceId: string; readonly count: number };

/** Counts the mails to a domain that bounced hard between two times, by their sources. It uses the index inbound_reports_hard. */
export function countHard(
  db: Queryable,
  accountId: string,
  domains: readonly string[],
  { after, upto }: { readonly after: Date; readonly upto: Date },
): Promise<HardOfDomain[]> {
  return db.many<HardOfDomain>(sql`
    select domain, source_id as "sourceId", count(*) as count from inbound_reports
    where account_id = ${accountId} and domain = any(${[...domains]}::text[]) and received_at > ${after}
      and received_at <= ${upto} and ${isActedOn} and item_id >= ${leastIdAt(after)}
    group by domain, source_id`);
}

const isActedOn: Sql = sql`class = 'hard' and outcome in ('suppressed', 'held')`;

/** An item is stored when it comes, so its id is no older than its time; an hour is left for clocks that differ. */
function leastIdAt(at: Date): string {
  const hex = Math.max(0, at.getTime() - 3_600_000)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

export type HeldReport = { readonly sourceId: string; readonly contactId: string; readonly personId: string };

const heldColumns = sql`source_id as "sourceId", contact_id as "contactId", person_id as "personId"`;

/** Holds those that were acted on since then, before the storm was known, and returns them. */
export function holdEarlier(
  tx: Tx,
  accountId: string,
  {
    stormId,
    domain,
    sources,
    after,
    why,
  }: { stormId: string; domain: string; sources: readonly string[]; after: Date; why: string },
): Promise<HeldReport[]> {
  return tx.many<HeldReport>(sql`
    update inbound_reports set outcome = 'held', why = ${why}, storm_id = ${stormId}
    where account_id = ${accountId} and domain = ${domain} and received_at > ${after} and class = 'hard'
      and source_id = any(${[...sources]}::uuid[]) and outcome = 'suppressed' and storm_id is null and item_id >= ${leastIdAt(after)}
    returning ${heldColumns}`);
}

/** Finds which of these mails somebody has dismissed in a storm. It uses the index inbound_reports_of_person. */
export function findDismissed(
  tx: Tx,
  accountId: string,
  mails: readonly HeldReport[],
): Promise<HeldReport[]> {
  return tx.many<HeldReport>(sql`
    select distinct ${heldColumns} from inbound_reports r
    join bounce_storms x on x.account_id = ${accountId} and x.id = r.storm_id and x.state = 'dismissed'
    where r.account_id = ${accountId} and r.person_id = any(${mails.map((one) => one.personId)}::uuid[])
      and (r.source_id, r.contact_id) in (
        select * from unnest(${mails.map((one) => one.sourceId)}::uuid[], ${mails.map((one) => one.contactId)}::uuid[]))`);
}

/** Decides about what a storm holds, and returns it. It uses the index inbound_reports_of_storm. */
export function decideHeld(
  tx: Tx,
  accountId: string,
  stormId: string,
  { outcome, why }: { readonly outcome: string; readonly why: string },
): Promise<HeldReport[]> {
  return tx.many<HeldReport>(sql`
    update inbound_reports set outcome = ${outcome}, why = ${why}
    where account_id = ${accountId} and storm_id = ${stormId} and outcome = 'held'
    returning ${heldColumns}`);
}

/** The items are listed by what was made of them, so they follow their reports. */
export async function summariseItems(
  tx: Tx,
  accountId: string,
  stormId: string,
  outcome: string,
): Promise<void> {
  await tx.execute(sql`
    update inbound_items i set outcome = ${outcome}
    where i.account_id = ${accountId} and i.outcome is distinct from ${outcome} and i.id in (
      select item_id from inbound_reports where account_id = ${accountId} and storm_id = ${stormId})`);
}

export function lockStorm(tx: Tx, accountId: string, id: string): Promise<StormRow | undefined> {
  return tx.maybeOne<StormRow>(sql`
    select ${columns} from bounce_storms x where x.account_id = ${accountId} and x.id = ${id} for update`);
}

export function findStorm(db: Queryable, accountId: string, id: string): Promise<StormRow | undefined> {
  return db.maybeOne<StormRow>(sql`
    select ${columns} from bounce_storms x where x.account_id = ${accountId} and x.id = ${id}`);
}

export function decideStorm(
  tx: Tx,
  accountId: string,
  id: string,
  state: StormState,
  at: Date,
): Promise<StormRow> {
  return tx.one<StormRow>(sql`
    update bounce_storms x set state = ${state}, decided_at = ${at} where x.account_id = ${accountId} and x.id = ${id}
    returning ${columns}`);
}

export function listStorms(
  db: Queryable,
  accountId: string,
  state: string | undefined,
  page: AgePage,
): Promise<StormRow[]> {
  return db.many<StormRow>(sql`
    select ${columns} from bounce_storms x where x.account_id = ${accountId} ${inState(state)} ${newestFirst(page, "x")}`);
}

export async function countStorms(
  db: Queryable,
  accountId: string,
  state: string | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from bounce_storms x where x.account_id = ${accountId} ${inState(state)}`,
  );
  return count;
}

function inState(state: string | undefined): Sql {
  return state === undefined ? sql`` : sql`and x.state = ${state}`;
}
