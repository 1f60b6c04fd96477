/** Lists who opened and clicked: the recipients of a source in pages, and what one of them did by time. */
import { type Occurrence, wasMailed } from "../../delivery/delivery.ts";
import { prepared, type Queryable, type Sql, sql } from "../../platform/db/db.ts";

type EngagedPage = {
  /** Whether those are listed too whose mail only machines opened or clicked. */
  readonly includeMachines: boolean;
  readonly limit: number;
  /** The page begins behind the contact with this id. */
  readonly after?: string | undefined;
};

type Kind = { readonly at: Sql; readonly humanAt: Sql; readonly times: Sql; readonly humanTimes: Sql };

/** Whoever clicks has opened: where no pixel said so, a click counts as one open. */
const KINDS: Readonly<Record<"opened" | "clicked", Kind>> = {
  opened: {
    at: sql`first_at`,
    humanAt: sql`first_human_at`,
    times: sql`case when pixels > 0 then pixels else 1 end`,
    humanTimes: sql`case when human_pixels > 0 then human_pixels else 1 end`,
  },
  clicked: {
    at: sql`first_click_at`,
    humanAt: sql`first_human_click_at`,
    times: sql`clicks`,
    humanTimes: sql`human_clicks`,
  },
};

/**
 * Lists who opened or clicked the mail of a source, in the order of their contacts' ids. Each of the four questions has an index of
 * its own that holds no other rows; for all who opened, which is every row, it is the primary key.
 */
export function listEngaged(
  db: Queryable,
  accountId: string,
  sourceId: string,
  kind: "opened" | "clicked",
  { includeMachines, limit, after }: EngagedPage,
): Promise<Occurrence[]> {
  const { at, humanAt, times, humanTimes } = KINDS[kind];
  const behind = after === undefined ? sql`` : sql`and contact_id > ${after}`;
  return db.many<Occurrence>(sql`
    select source_id as "sourceId", contact_id as "contactId", ${includeMachines ? at : humanAt} as at,
           ${includeMachines ? times : humanTimes} as times, ${humanAt} is not null as "isHuman"
    from message_engagements
    where account_id = ${accountId} and source_id = ${sourceId} and ${includeMachines ? at : humanAt} is not null ${behind}
    order by contact_id limit ${limit}`);
}

type DoneInPerson = {
  readonly opened: { readonly at: Date; readonly times: number } | null;
  readonly clicked: { readonly at: Date; readonly times: number } | null;
};

/** Reads what these contacts opened and clicked in person, by the primary key. Who did nothing, or can't be seen, is left out. */
export async function readDoneInPerson(
  db: Queryable,
  accountId: string,
  sourceIds: readonly string[],
  contactIds: readonly string[],
): Promise<ReadonlyMap<string, DoneInPerson>> {
  if (sourceIds.length === 0 || contactIds.length === 0) return new Map();
  const { opened, clicked } = KINDS;
  const rows = await db.many<DoneRow>(sql`
    select contact_id as "contactId", min(${opened.humanAt}) as "openedAt", sum(${opened.humanTimes})::bigint as opens,
           min(${clicked.humanAt}) as "clickedAt", sum(${clicked.humanTimes})::bigint as clicks
    from message_engagements
    where account_id = ${accountId} and source_id = any(${[...sourceIds]}::uuid[])
      and contact_id = any(${[...contactIds]}::uuid[]) and ${opened.humanAt} is not null
    group by contact_id`);
  const done = (at: Date | null, times: number) => (at ? { at, times } : null);
  return new Map(
    rows.map(({ contactId, openedAt, opens, clickedAt, clicks }) => [
      contactId,
      { opened: done(openedAt, opens), clicked: done(clickedAt, clicks) },
    ]),
  );
}

type DoneRow = {
  contactId: string;
  openedAt: Date | null;
  opens: number;
  clickedAt: Date | null;
  clicks: number;
};

/** What was seen of one message of a source. */
export type SeenOfMessage = {
  readonly contactId: string;
  /** Null for an open. */
  readonly link: number | null;
  readonly at: Date;
  /** How often a person did it; 0 where only machines did. */
  readonly humanTimes: number;
};

/** Lists what was opened and clicked of these messages, each message and each link once, by the primary keys of both tables. */
export function listSeenOf(
  db: Queryable,
  accountId: string,
  sourceId: string,
  contactIds: readonly string[],
): Promise<SeenOfMessage[]> {
  const { humanAt, humanTimes, at } = KINDS.opened;
  const these = sql`account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(${[...contactIds]}::uuid[])`;
  return db.many<SeenOfMessage>(
    prepared(sql`
      select contact_id as "contactId", null::int as link, coalesce(${humanAt}, ${at}) as at,
             case when ${humanAt} is null then 0 else ${humanTimes} end as "humanTimes"
      from message_engagements where ${these}
      union all
      select contact_id, link, first_at, human_clicks from link_engagements where ${these} and first_at is not null
      order by at`),
  );
}

type Engagement = {
  /** It is unique among all that one contact did. */
  readonly id: string;
  readonly sourceId: string;
  /** Null for an open. */
  readonly link: number | null;
  /** When it first happened. */
  readonly at: Date;
  readonly times: number;
  readonly isHuman: boolean;
  /** Why it is held to be a machine's; null where a person did it too, and where nobody knows any more. */
  readonly reason: string | null;
};

type Person = { readonly contactId: string; readonly subscriberId: string; readonly since: Date };
type Before = { readonly createdAt: string; readonly id: string } | undefined;

/**
 * Lists what one subscriber opened and clicked, each message and link once, the latest first. The indexes
 * message_engagements_of_contact and link_engagements_of_contact serve it; the ledger says which mail was to this subscriber.
 */
export function listEngagementsOf(
  db: Queryable,
  accountId: string,
  person: Person,
  limit: number,
  before: Before,
): Promise<Engagement[]> {
  const opened: ShownAs = {
    table: sql`message_engagements`,
    id: sql`md5(e.source_id::text || ' opened')::uuid`,
    link: sql`null::int`,
    times: KINDS.opened.times,
    isHuman: sql`e.first_human_at is not null`,
  };
  const clicked: ShownAs = {
    table: sql`link_engagements`,
    id: sql`md5(e.source_id::text || ' ' || e.link)::uuid`,
    link: sql`e.link`,
    times: sql`e.clicks`,
    isHuman: sql`e.human_clicks > 0`,
  };
  return db.many<Engagement>(sql`
    with shown as materialized (
      (${ofPerson(accountId, person, opened, limit, before)}) union all
      (${ofPerson(accountId, person, clicked, limit, before)})
      order by at desc, id desc limit ${limit}
    )
    select id, "sourceId", link, at, times, "isHuman", case when not "isHuman" then (
             select h.machine from counted_hits h
             where h.account_id = ${accountId} and h.source_id = shown."sourceId" and h.contact_id = ${person.contactId}
               and h.link = coalesce(shown.link, -1)
             order by h.created_at limit 1) end as reason
    from shown order by at desc, id desc`);
}

type ShownAs = {
  readonly table: Sql;
  readonly id: Sql;
  readonly link: Sql;
  readonly times: Sql;
  readonly isHuman: Sql;
};

function ofPerson(
  accountId: string,
  { contactId, subscriberId, since }: Person,
  { table, id, link, times, isHuman }: ShownAs,
  limit: number,
  before: Before,
): Sql {
  const below = before
    ? sql`and e.first_at <= ${before.createdAt}::timestamptz
        and (e.first_at, ${id}) < (${before.createdAt}::timestamptz, ${before.id}::uuid)`
    : sql``;
  const message = { accountId, sourceId: sql`e.source_id`, contactId, subscriberId };
  return sql`
    select ${id} as id, e.source_id as "sourceId", ${link} as link, e.first_at as at, ${times} as times, ${isHuman} as "isHuman"
    from ${table} e cross join lateral ${wasMailed(message)} as mailed
    where e.account_id = ${accountId} and e.contact_id = ${contactId} and e.first_at >= ${since} ${below}
    order by e.first_at desc, id desc limit ${limit}`;
}
