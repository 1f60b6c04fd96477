/**
 * May this contact be mailed, and if not why? The one place that decides it, as SQL, because whoever asks asks for many:
 * pages, audiences and the sender's last look all put this fragment into their statement.
 */
import { type Sql, sql } from "../platform/db/db.ts";

/** Stands for "every list" in `opt_outs`. */
export const ALL_LISTS = "00000000-0000-0000-0000-000000000000";

/**
 * null when it may be mailed, else a word: `suppressed_<reason>`, a status other than active, or `opted_out`.
 * Wants `subscribers` in scope as `s`, and to be told how its contact's suppression and opt-outs are looked up.
 */
function whyNot(suppressedFor: Sql, isOptedOut: Sql): Sql {
  return sql`coalesce(
  'suppressed_' || ${suppressedFor},
  case when s.status <> 'active' then s.status when ${isOptedOut} then 'opted_out' end)`;
}

/** Of `opt_outs o` of the contact. A consent given after "from no list, please" brings back its own list alone. */
const outweighs = sql`(o.list_id = s.list_id
  or (o.list_id = ${ALL_LISTS} and o.created_at > coalesce(s.consented_at, '-infinity')))`;

export const whyNotMailable: Sql = whyNot(
  sql`(select reason from suppressions sup where sup.account_id = s.account_id and sup.contact_id = s.contact_id)`,
  sql`exists (
    select from opt_outs o where o.account_id = s.account_id and o.contact_id = s.contact_id and ${outweighs})`,
);

/**
 * The same for thousands at once, as further parts of a `with`: from `picked`, which has the columns of subscribers, to
 * `found`, with `why` beside them. What stands against them is looked up together, which costs a third where it is little.
 */
export function findWhyNotMailable(accountId: string): Sql {
  const ofPicked = sql`account_id = ${accountId} and contact_id = any(array(select contact_id from picked))`;
  return sql`
    found_suppressions as materialized (select contact_id, reason from suppressions where ${ofPicked}),
    found_opt_outs as materialized (
      select distinct s.id from (select contact_id, list_id, created_at from opt_outs where ${ofPicked}) as o
      join picked s on s.contact_id = o.contact_id and ${outweighs}
    ),
    found as (
      select s.contact_id, s.id, ${whyNot(sql`sup.reason`, sql`opted.id is not null`)} as why
      from picked s left join found_suppressions sup on sup.contact_id = s.contact_id
      left join found_opt_outs opted on opted.id = s.id
    )`;
}
