/** Finds people of a list by the day that a field of theirs holds. */
import { join, type Queryable, sql } from "../../platform/db/db.ts";
import { allFields } from "../fields/fields.ts";

export type WantedDays = {
  /** `field:<uuid>` of a custom field that holds a date. */
  readonly field: string;
  /** Whether the year is left out of account: then days are written "03-14", and else "2026-03-14". */
  readonly isYearly: boolean;
  readonly days: readonly string[];
};

/** People are gone through in the order in which they came to the list. */
export type DatedPlace = { readonly createdAt: Date; readonly id: string };

export type DatedPerson = DatedPlace & {
  /** The person's own time zone, or else the account's. */
  readonly zone: string;
  /** What each of the fields holds, in the order in which they were asked for. */
  readonly dates: readonly (string | null)[];
};

type Row = DatedPerson & { readonly isWanted: boolean; readonly seen: number };

/**
 * Looks at the next `limit` active people of a list, and returns those of whom one of the fields holds one of its days. `last` is the last that was
 * looked at; undefined where nobody comes after. The index subscribers_of_list_by_status has them in this order.
 */
export async function findDated(
  db: Queryable,
  accountId: string,
  listId: string,
  wanted: readonly WantedDays[],
  { after, limit }: { readonly after: DatedPlace | undefined; readonly limit: number },
): Promise<{ readonly people: readonly DatedPerson[]; readonly last: DatedPlace | undefined }> {
  const fields = await allFields(db, accountId);
  const values = wanted.map(({ field }) => {
    const slot = fields.find(({ id }) => `field:${id}` === field)?.slot;
    return slot === undefined ? sql`null::text` : sql`(s.fields ->> ${String(slot)})`;
  });
  const tests = wanted.map(({ isYearly, days }, nth) => {
    const day = isYearly ? sql`right(${values[nth]}, 5)` : values[nth];
    return sql`coalesce(${day} = any(${[...days]}::text[]), false)`;
  });
  const from = after ? sql`and (created_at, id) > (${after.createdAt}, ${after.id})` : sql``;
  const rows = await db.many<Row>(sql`
    select id, "createdAt", zone, dates, "isWanted", seen from (
      select s.id, s.created_at as "createdAt", coalesce(s.time_zone, a.time_zone) as zone, array[${join(values)}] as dates,
             ${join(tests, " or ")} as "isWanted", count(*) over () as seen,
             row_number() over (order by s.created_at, s.id) as nth
      from (
        select account_id, id, created_at, time_zone, fields from subscribers
        where account_id = ${accountId} and list_id = ${listId} and status = 'active' ${from}
        order by created_at, id limit ${limit}) s join accounts a on a.account_id = s.account_id) as page
    where "isWanted" or nth = seen order by nth`);
  const last = rows.at(-1);
  const people = rows.flatMap(({ id, createdAt, zone, dates, isWanted }) =>
    isWanted ? [{ id, createdAt, zone, dates }] : [],
  );
  return {
    people,
    last: last && last.seen >= limit ? { createdAt: last.createdAt, id: last.id } : undefined,
  };
}
