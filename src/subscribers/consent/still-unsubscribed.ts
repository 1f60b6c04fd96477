import { type Sql, sql } from "../../platform/db/db.ts";

/**
 * Selects who of `named` is still unsubscribed, and since when; that is a name of a statement around this one, with `contact_id` and
 * `list_id`. The index subscribers_by_contact serves it.
 */
export function stillUnsubscribed(accountId: string, named: Sql): Sql {
  return sql`
    select named.contact_id, named.list_id, s.unsubscribed_at as at from ${named} named
    join subscribers s on s.account_id = ${accountId} and s.contact_id = named.contact_id and s.list_id = named.list_id
    where s.status = 'unsubscribed' and s.unsubscribed_at is not null`;
}
