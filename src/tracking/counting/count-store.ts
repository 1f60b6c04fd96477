/** The tables of what was counted. One process counts at a time, so what was read is what is there when it is written. */
import { intArray, textArray, timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { join, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type CountedHit, type MessageEngagement, NO_SUMS, type Sums } from "./count.ts";

const NOBODY = "00000000-0000-0000-0000-000000000000";
const PIXEL = -1;

export type MessageKey = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly contactId: string;
};

const columnsOf = (keys: readonly MessageKey[]) =>
  sql`unnest(${uuidArray(keys.map((key) => key.accountId))}::uuid[], ${uuidArray(keys.map((key) => key.sourceId))}::uuid[],
    ${uuidArray(keys.map((key) => key.contactId))}::uuid[])`;

/** Keeps every hit, repeats within a minute as one with a count: whatever was counted can be recounted from here. */
export async function insertCounted(tx: Tx, hits: readonly CountedHit[]): Promise<void> {
  await tx.execute(sql`
    insert into counted_hits as known (account_id, source_id, contact_id, link, created_at, machine, at, times)
    select account_id, source_id, contact_id, link, date_trunc('minute', at), machine, min(at), sum(times)
    from unnest(${uuidArray(hits.map((hit) => hit.accountId))}::uuid[], ${uuidArray(hits.map((hit) => hit.sourceId))}::uuid[],
                ${uuidArray(hits.map((hit) => hit.contactId ?? NOBODY))}::uuid[],
                ${intArray(hits.map((hit) => hit.link ?? PIXEL))}::int[], ${timeArray(hits.map((hit) => hit.at))}::timestamptz[],
                ${intArray(hits.map((hit) => hit.times))}::int[], ${textArray(hits.map((hit) => hit.machine))}::text[])
      as hit (account_id, source_id, contact_id, link, at, times, machine)
    group by account_id, source_id, contact_id, link, date_trunc('minute', at), machine
    on conflict (account_id, source_id, contact_id, link, created_at, machine)
      do update set times = known.times + excluded.times`);
}

/** `domain` is what the message is counted under; null where it was counted before domains were. */
export type MessageRow = MessageKey & MessageEngagement & CountedFlow & { readonly domain: string | null };

/** The flow and the time that the message is counted for by provider; both are null where it isn't. */
export type CountedFlow = { readonly flowId: number | null; readonly mailedAt: Date | null };

/** Lists what is known of any mail to these contacts, by the index message_engagements_of_contact. */
export function listMessagesOf(
  tx: Tx,
  contacts: readonly { readonly accountId: string; readonly contactId: string }[],
): Promise<MessageKey[]> {
  return tx.many<MessageKey>(sql`
    select m.account_id as "accountId", m.source_id as "sourceId", m.contact_id as "contactId"
    from unnest(${uuidArray(contacts.map((one) => one.accountId))}::uuid[],
                ${uuidArray(contacts.map((one) => one.contactId))}::uuid[]) as c (account_id, contact_id)
    join message_engagements m on m.account_id = c.account_id and m.contact_id = c.contact_id`);
}

export function readMessages(tx: Tx, keys: readonly MessageKey[]): Promise<MessageRow[]> {
  return tx.many<MessageRow>(sql`
    select account_id as "accountId", source_id as "sourceId", contact_id as "contactId", pixels,
           human_pixels as "humanPixels", clicks, human_clicks as "humanClicks", first_at as "firstAt", last_at as "lastAt",
           first_click_at as "firstClickAt", last_click_at as "lastClickAt", first_human_at as "firstHumanAt",
           first_human_click_at as "firstHumanClickAt", domain, flow_id as "flowId", mailed_at as "mailedAt"
    from message_engagements
    where (account_id, source_id, contact_id) in (select * from ${columnsOf(keys)})`);
}

export async function writeMessages(tx: Tx, rows: readonly MessageRow[]): Promise<void> {
  const counts = (pick: (row: MessageRow) => number) => intArray(rows.map(pick));
  const times = (pick: (row: MessageRow) => Date | null) =>
    rows.map((row) => pick(row)?.toISOString() ?? null);
  await tx.execute(sql`
    insert into message_engagements (account_id, source_id, contact_id, pixels, human_pixels, clicks, human_clicks, first_at,
                                     last_at, first_click_at, last_click_at, first_human_at, first_human_click_at, domain,
                                     flow_id, mailed_at)
    select * from unnest(${uuidArray(rows.map((row) => row.accountId))}::uuid[],
      ${uuidArray(rows.map((row) => row.sourceId))}::uuid[], ${uuidArray(rows.map((row) => row.contactId))}::uuid[],
      ${counts((row) => row.pixels)}::int[], ${counts((row) => row.humanPixels)}::int[],
      ${counts((row) => row.clicks)}::int[], ${counts((row) => row.humanClicks)}::int[],
      ${times((row) => row.firstAt)}::timestamptz[], ${times((row) => row.lastAt)}::timestamptz[],
      ${times((row) => row.firstClickAt)}::timestamptz[], ${times((row) => row.lastClickAt)}::timestamptz[],
      ${times((row) => row.firstHumanAt)}::timestamptz[], ${times((row) => row.firstHumanClickAt)}::timestamptz[],
      ${textArray(rows.map((row) => row.domain))}::text[], ${rows.map((row) => row.flowId)}::int[],
      ${times((row) => row.mailedAt)}::timestamptz[])
    on conflict (account_id, source_id, contact_id) do update set
      pixels = excluded.pixels, human_pixels = excluded.human_pixels, clicks = excluded.clicks,
      human_clicks = excluded.human_clicks, first_at = excluded.first_at, last_at = excluded.last_at,
      first_click_at = excluded.first_click_at, last_click_at = excluded.last_click_at,
      first_human_at = excluded.first_human_at, first_human_click_at = excluded.first_human_click_at,
      domain = excluded.domain`);
}

export type LinkRow = MessageKey & {
  readonly link: number;
  readonly clicks: number;
  readonly humanClicks: number;
  /** Null in rows from before it was kept. */
  readonly firstAt: Date | null;
};

export function readLinks(tx: Tx, keys: readonly MessageKey[]): Promise<LinkRow[]> {
  return tx.many<LinkRow>(sql`
    select account_id as "accountId", source_id as "sourceId", contact_id as "contactId", link, clicks,
           human_clicks as "humanClicks", first_at as "firstAt"
    from link_engagements
    where (account_id, source_id, contact_id) in (select * from ${columnsOf(keys)})`);
}

export async function writeLinks(tx: Tx, rows: readonly LinkRow[]): Promise<void> {
  await tx.execute(sql`
    insert into link_engagements (account_id, source_id, contact_id, link, clicks, human_clicks, first_at)
    select * from unnest(${uuidArray(rows.map((row) => row.accountId))}::uuid[],
      ${uuidArray(rows.map((row) => row.sourceId))}::uuid[], ${uuidArray(rows.map((row) => row.contactId))}::uuid[],
      ${intArray(rows.map((row) => row.link))}::int[], ${intArray(rows.map((row) => row.clicks))}::int[],
      ${intArray(rows.map((row) => row.humanClicks))}::int[],
      ${rows.map((row) => row.firstAt?.toISOString() ?? null)}::timestamptz[])
    on conflict (account_id, source_id, contact_id, link) do update set
      clicks = excluded.clicks, human_clicks = excluded.human_clicks, first_at = excluded.first_at`);
}

/**
 * A part of a source: all of it, one of its links, an address that several links have, a recipient domain, or a quarter of an
 * hour of it.
 */
export type Part = "" | `link ${number}` | `url ${number}` | `domain ${string}` | `quarter ${string}`;
export type Addition = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly part: Part;
  readonly sums: Sums;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly lastClickAt: Date | null;
};

export type SumsChange = Pick<Addition, "accountId" | "sourceId" | "part" | "sums">;

/** Changes sums that are there, and no times. */
export async function changeSums(tx: Tx, all: readonly SumsChange[]): Promise<void> {
  const names = ["opens", "openers", "humanOpens", "humanOpeners"] as const;
  const more = ["clicks", "clickers", "humanClicks", "humanClickers"] as const;
  const arrays = [...names, ...more].map(
    (name) => sql`${intArray(all.map(({ sums }) => sums[name]))}::int[]`,
  );
  await tx.execute(sql`
    update engagement_sums s set
      opens = s.opens + c.opens, openers = s.openers + c.openers, human_opens = s.human_opens + c.human_opens,
      human_openers = s.human_openers + c.human_openers, clicks = s.clicks + c.clicks, clickers = s.clickers + c.clickers,
      human_clicks = s.human_clicks + c.human_clicks, human_clickers = s.human_clickers + c.human_clickers
    from unnest(${uuidArray(all.map((one) => one.accountId))}::uuid[], ${uuidArray(all.map((one) => one.sourceId))}::uuid[],
                ${textArray(all.map((one) => one.part))}::text[], ${join(arrays)})
      as c (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers, human_clicks,
            human_clickers)
    where s.account_id = c.account_id and s.source_id = c.source_id and s.part = c.part`);
}

/** Deletes what is known of these messages; their hits become those of nobody in particular. */
export async function forgetMessages(tx: Tx, keys: readonly MessageKey[]): Promise<void> {
  const these = sql`(account_id, source_id, contact_id) in (select * from ${columnsOf(keys)})`;
  await tx.execute(sql`delete from message_engagements where ${these}`);
  await tx.execute(sql`delete from link_engagements where ${these}`);
  await tx.execute(sql`
    with gone as (delete from counted_hits where ${these} returning *)
    insert into counted_hits as known (account_id, source_id, contact_id, link, created_at, machine, at, times)
    select account_id, source_id, ${NOBODY}, link, created_at, machine, min(at), sum(times)
    from gone group by account_id, source_id, link, created_at, machine
    on conflict (account_id, source_id, contact_id, link, created_at, machine)
      do update set times = known.times + excluded.times`);
}

export async function addToSources(tx: Tx, all: readonly Addition[]): Promise<void> {
  const counts = (pick: (sums: Sums) => number) => intArray(all.map(({ sums }) => pick(sums)));
  await tx.execute(sql`
    insert into engagement_sums as known (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks,
                                          clickers, human_clicks, human_clickers, first_at, last_at, last_click_at)
    select * from unnest(${uuidArray(all.map((one) => one.accountId))}::uuid[],
      ${uuidArray(all.map((one) => one.sourceId))}::uuid[], ${textArray(all.map((one) => one.part))}::text[],
      ${counts((sums) => sums.opens)}::int[], ${counts((sums) => sums.openers)}::int[],
      ${counts((sums) => sums.humanOpens)}::int[], ${counts((sums) => sums.humanOpeners)}::int[],
      ${counts((sums) => sums.clicks)}::int[], ${counts((sums) => sums.clickers)}::int[],
      ${counts((sums) => sums.humanClicks)}::int[], ${counts((sums) => sums.humanClickers)}::int[],
      ${timeArray(all.map((one) => one.firstAt))}::timestamptz[], ${timeArray(all.map((one) => one.lastAt))}::timestamptz[],
      ${all.map((one) => one.lastClickAt?.toISOString() ?? null)}::timestamptz[])
    on conflict (account_id, source_id, part) do update set
      opens = known.opens + excluded.opens, openers = known.openers + excluded.openers,
      human_opens = known.human_opens + excluded.human_opens,
      human_openers = known.human_openers + excluded.human_openers,
      clicks = known.clicks + excluded.clicks, clickers = known.clickers + excluded.clickers,
      human_clicks = known.human_clicks + excluded.human_clicks,
      human_clickers = known.human_clickers + excluded.human_clickers,
      first_at = least(known.first_at, excluded.first_at), last_at = greatest(known.last_at, excluded.last_at),
      last_click_at = greatest(known.last_click_at, excluded.last_click_at)`);
}

export type DomainOfSource = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly domain: string;
};

/** Tells of each of these domains whether it has sums of its own already, and how many domains of its source have. */
export function readDomainRoom(
  tx: Tx,
  wanted: readonly DomainOfSource[],
): Promise<(DomainOfSource & { readonly isCounted: boolean; readonly taken: number })[]> {
  return tx.many(sql`
    with wanted as materialized (
      select * from unnest(${uuidArray(wanted.map((one) => one.accountId))}::uuid[],
        ${uuidArray(wanted.map((one) => one.sourceId))}::uuid[], ${textArray(wanted.map((one) => one.domain))}::text[])
        with ordinality as w (account_id, source_id, domain, n)
    ), room as materialized (
      select account_id, source_id, (
        select count(*) from engagement_sums e
        where e.account_id = o.account_id and e.source_id = o.source_id and e.part ^@ 'domain ')::int as taken
      from (select distinct account_id, source_id from wanted) as o
    )
    select w.account_id as "accountId", w.source_id as "sourceId", w.domain, r.taken, exists (
             select from engagement_sums e
             where e.account_id = w.account_id and e.source_id = w.source_id and e.part = 'domain ' || w.domain) as "isCounted"
    from wanted w join room r on r.account_id = w.account_id and r.source_id = w.source_id
    order by w.n`);
}

export type PartSums = Sums & {
  readonly part: Part;
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  readonly lastClickAt: Date | null;
};

/** Which parts are read: all mail alone, all mail and every domain, every link, every address that several links have, or every quarter of
 * an hour. */
const KINDS = {
  whole: sql`part = ''`,
  // In the order of the key the whole comes first, and then the domains: they are read together, as of one moment.
  domains: sql`part < 'domain!'`,
  links: sql`part ^@ 'link '`,
  urls: sql`part ^@ 'url '`,
  quarters: sql`part ^@ 'quarter '`,
} as const;

/** The sums of these sources together. */
export function readSums(
  db: Queryable,
  accountId: string,
  sourceIds: readonly string[],
  kind: keyof typeof KINDS,
): Promise<PartSums[]> {
  return db.many<PartSums>(sql`
    select part, ${sumColumns} from engagement_sums
    where account_id = ${accountId} and source_id = any(${[...sourceIds]}::uuid[]) and ${KINDS[kind]}
    group by part order by part`);
}

const sumColumns = sql`sum(opens)::bigint as opens, sum(openers)::bigint as openers, sum(human_opens)::bigint as "humanOpens",
  sum(human_openers)::bigint as "humanOpeners", sum(clicks)::bigint as clicks, sum(clickers)::bigint as clickers,
  sum(human_clicks)::bigint as "humanClicks", sum(human_clickers)::bigint as "humanClickers",
  min(first_at) as "firstAt", max(last_at) as "lastAt", max(last_click_at) as "lastClickAt"`;

export type Totals = Omit<PartSums, "part">;
export const NO_TOTALS: Totals = { ...NO_SUMS, firstAt: null, lastAt: null, lastClickAt: null };

/** The sums of groups of sources, each group by its name, in one statement. A group that nothing came back of is left out. */
export async function readTotalsOfGroups(
  db: Queryable,
  accountId: string,
  sources: readonly { readonly id: string; readonly group: string }[],
): Promise<Map<string, Totals>> {
  const rows = await db.many<Totals & { group: string }>(sql`
    select s."group", ${sumColumns}
    from unnest(${uuidArray(sources.map(({ id }) => id))}::uuid[], ${textArray(sources.map(({ group }) => group))}::text[])
      as s (id, "group")
    join engagement_sums e on e.account_id = ${accountId} and e.source_id = s.id and e.part = ''
    group by s."group"`);
  return new Map(rows.map(({ group, ...totals }) => [group, totals]));
}

export async function readTotals(
  db: Queryable,
  accountId: string,
  sourceIds: readonly string[],
): Promise<Totals> {
  const [found] = await readSums(db, accountId, sourceIds, "whole");
  if (!found) return NO_TOTALS;
  const { part: _part, ...totals } = found;
  return totals;
}
