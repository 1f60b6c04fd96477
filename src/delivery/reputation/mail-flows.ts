/** Says in which flow, and for which hour, what comes of single mails is counted. */
import { uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";

export type FlowOfMail = {
  readonly flowId: number;
  /** When a server accepted it; or when it was first tried, while nobody knows that. */
  readonly mailedAt: Date;
};

/** Tells it of each of these mails, in their order; undefined for those that aren't counted. It reads by the ledger's primary key. */
export async function readFlowsOfMails(
  db: Queryable,
  mails: readonly { readonly accountId: string; readonly sourceId: string; readonly contactId: string }[],
): Promise<readonly (FlowOfMail | undefined)[]> {
  if (mails.length === 0) return [];
  const rows = await db.many<{ flowId: number | null; mailedAt: Date }>(sql`
    select d.flow_id as "flowId", case d.state when 'sent' then d.changed_at else coalesce(d.dated_at, d.changed_at) end as "mailedAt"
    from unnest(${uuidArray(mails.map((one) => one.accountId))}::uuid[], ${uuidArray(mails.map((one) => one.sourceId))}::uuid[],
                ${uuidArray(mails.map((one) => one.contactId))}::uuid[])
      with ordinality as m (account_id, source_id, contact_id, n)
    left join lateral (
      select flow_id, state, changed_at, dated_at from deliveries own
      where own.account_id = m.account_id and own.source_id = m.source_id and own.contact_id = m.contact_id limit 1
    ) as d on true
    order by n`);
  return rows.map(({ flowId, mailedAt }) => (flowId === null ? undefined : { flowId, mailedAt }));
}
