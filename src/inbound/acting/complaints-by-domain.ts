/** Counts complaints by the domain of whoever complained. */
import { type Queryable, sql } from "../../platform/db/db.ts";

/** Counts each mail once, however often it was complained about. The index inbound_reports_complaints serves it. */
export function countComplaintsByDomain(
  db: Queryable,
  accountId: string,
  since: Date,
): Promise<{ domain: string; count: number }[]> {
  return db.many(sql`
    select domain, count(distinct (source_id, contact_id)) as count from inbound_reports
    where account_id = ${accountId} and kind = 'complaint' and received_at >= ${since} and source_id is not null and domain is not null
    group by domain`);
}
