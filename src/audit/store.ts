import { join } from "sql-template-tag";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import type { AuditActor } from "../platform/http/audit.ts";

export type AuditRow = {
  account_id: string;
  id: string;
  created_at: Date;
  actor_kind: AuditActor["kind"];
  actor_id: string | null;
  action: string;
  target_id: string;
  fields: string[];
  network: string | null;
  user_agent: string | null;
  request_id: string | null;
};

export type AuditFilter = {
  /** A public id, or the kind of an actor that has none. */
  readonly actor?: string | undefined;
  /** `campaign.scheduled`, or `campaign.*` for all that was done to campaigns. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
};

const columns = sql`
  account_id, id, created_at, actor_kind, actor_id, action, target_id, fields, network, user_agent, request_id`;

/** Nobody waits for the answer: the row travels with the next statement or the commit. */
export function insertRow(tx: Tx, row: AuditRow): void {
  tx.send(prepared(inserting(row)));
}

/** Leaves a row of the same id and time as it is. */
export async function insertOnce(tx: Tx, row: AuditRow): Promise<boolean> {
  return (await tx.execute(sql`${inserting(row)} on conflict do nothing`)) === 1;
}

function inserting(row: AuditRow): Sql {
  return sql`
    insert into audit_log (${columns})
    values (${row.account_id}, ${row.id}, ${row.created_at}, ${row.actor_kind}, ${row.actor_id}, ${row.action},
            ${row.target_id}, ${row.fields}::text[], ${row.network}, ${row.user_agent}, ${row.request_id})`;
}

/** Each filter has its index in its migration, whose expressions must be repeated here. */
function matching(accountId: string, filter: AuditFilter): Sql {
  const { actor, action, target, createdAfter, createdBefore } = filter;
  const parts = [sql`account_id = ${accountId}`];
  if (actor !== undefined) parts.push(sql`coalesce(actor_id, actor_kind) = ${actor}`);
  if (action?.endsWith(".*")) parts.push(sql`split_part(action, '.', 1) = ${action.slice(0, -2)}`);
  else if (action !== undefined) parts.push(sql`action = ${action}`);
  if (target !== undefined) parts.push(sql`target_id = ${target}`);
  if (createdAfter !== undefined) parts.push(sql`created_at > ${createdAfter}::timestamptz`);
  if (createdBefore !== undefined) parts.push(sql`created_at < ${createdBefore}::timestamptz`);
  return join(parts, " and ");
}

export function listAudit(
  db: Queryable,
  accountId: string,
  filter: AuditFilter,
  page: AgePage,
): Promise<AuditRow[]> {
  return db.many<AuditRow>(sql`
    select ${columns} from audit_log where ${matching(accountId, filter)} ${newestFirst(page)}`);
}

export async function countAudit(db: Queryable, accountId: string, filter: AuditFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from audit_log where ${matching(accountId, filter)}`,
  );
  return count;
}
