/** Goes through the active people of a list in pages, in the order in which they came to it. */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";

export type ListPlace = { readonly createdAt: Date; readonly id: string };

type Row = { readonly id: string; readonly createdAt: Date; readonly isWanted: boolean };

/**
 * Looks at the next `limit` active people who came to the list by `until`, and returns those for whom the condition on `subscribers s` holds.
 * `last` is the last that was looked at; undefined where nobody comes after. The index subscribers_of_list_by_status has them in this order.
 */
export async function readListPage(
  db: Queryable,
  accountId: string,
  listId: string,
  condition: Sql,
  {
    after,
    until,
    limit,
  }: { readonly after: ListPlace | undefined; readonly until: Date; readonly limit: number },
): Promise<{ readonly ids: readonly string[]; readonly last: ListPlace | undefined }> {
  const from = after ? sql`and (created_at, id) > (${after.createdAt}, ${after.id})` : sql``;
  const rows = await db.many<Row>(sql`
    select s.id, s.created_at as "createdAt", (${condition}) is true as "isWanted" from (
      select * from subscribers
      where account_id = ${accountId} and list_id = ${listId} and status = 'active' and created_at <= ${until} ${from}
      order by created_at, id limit ${limit}) s
    order by s.created_at, s.id`);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    ids: rows.flatMap(({ id, isWanted }) => (isWanted ? [id] : [])),
    last: last && { createdAt: last.createdAt, id: last.id },
  };
}

/** Counts those whom all pages together return. */
export async function countListPeople(
  db: Queryable,
  accountId: string,
  listId: string,
  condition: Sql,
  until: Date,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from subscribers s
    where account_id = ${accountId} and list_id = ${listId} and status = 'active' and created_at <= ${until} and (${condition})`);
  return count;
}
