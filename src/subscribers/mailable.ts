/**
 * May this contact be mailed, and if not why? The one place that decides it, as SQL, because whoever asks asks for many:
 * pages, audiences and the sender's last look all put this fragment into their statement.
 */
import { type Sql, sql } from "../platform/db/db.ts";

/** Stands for "every list" in `opt_outs`. */
export const ALL_LISTS = "00000000-0000-0000-0000-000000000000";

/**
 * null when it may be mailed, else a word: `suppressed_<reason>`, a status other than active, or `opted_out`.
 * Wants `subscribers` in scope as `s`. A consent given after "from no list, please" brings back its own list alone.
 */
export const whyNotMailable: Sql = sql`coalesce(
  (select 'suppressed_' || reason from suppressions sup
    where sup.account_id = s.account_id and sup.contact_id = s.contact_id),
  case
    when s.status <> 'active' then s.status
    when exists (
      select from opt_outs o
      where o.account_id = s.account_id and o.contact_id = s.contact_id
        and (o.list_id = s.list_id or (o.list_id = ${ALL_LISTS} and o.created_at > coalesce(s.consented_at, '-infinity'))))
      then 'opted_out'
  end)`;
