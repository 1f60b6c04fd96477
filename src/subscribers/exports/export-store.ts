import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { RecipientEvent } from "./campaign-recipients.ts";

/** What the rows of the file are. */
export const EXPORT_RESOURCES = ["subscribers", "campaign_recipients", "suppressions"] as const;
export type ExportResource = (typeof EXPORT_RESOURCES)[number];

export type ExportRow = {
  account_id: string;
  id: string;
  resource: ExportResource;
  list_id: string | null;
  segment_id: string | null;
  campaign_id: string | null;
  /** Only those recipients of the campaign to whom this happened. */
  event: RecipientEvent | null;
  include_machines: boolean;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
};

const columns = sql`account_id, id, resource, list_id, segment_id, campaign_id, event, include_machines, created_at, updated_at,
  expires_at`;

export async function insertExport(tx: Tx, row: ExportRow): Promise<void> {
  await tx.execute(sql`
    insert into exports (account_id, id, resource, list_id, segment_id, campaign_id, event, include_machines, created_at,
                         updated_at, expires_at)
    values (${row.account_id}, ${row.id}, ${row.resource}, ${row.list_id}, ${row.segment_id}, ${row.campaign_id}, ${row.event},
            ${row.include_machines}, ${row.created_at}, ${row.updated_at}, ${row.expires_at})`);
}

export function findExport(db: Queryable, accountId: string, id: string): Promise<ExportRow | undefined> {
  return db.maybeOne<ExportRow>(
    sql`select ${columns} from exports where account_id = ${accountId} and id = ${id}`,
  );
}

export function listExports(db: Queryable, accountId: string, page: AgePage): Promise<ExportRow[]> {
  return db.many<ExportRow>(sql`
    select ${columns} from exports where account_id = ${accountId} ${newestFirst(page)}`);
}

export async function countExports(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from exports where account_id = ${accountId}`,
  );
  return count;
}

export function removeExport(tx: Tx, accountId: string, id: string): Promise<number> {
  return tx.execute(sql`delete from exports where account_id = ${accountId} and id = ${id}`);
}
