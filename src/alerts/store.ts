/** All statements of alerts. */
import { type Queryable, type Sql, sql, type Tx, type Writable } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import type { AlertKind, AlertStatus, Severity } from "./kinds.ts";

export type AlertRow = {
  id: string;
  kind: AlertKind;
  subject: string;
  status: AlertStatus;
  severity: Severity;
  title: string;
  detail: string;
  remedy: string;
  data: Record<string, unknown>;
  acknowledged_at: Date | null;
  closed_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const columns = sql`x.id, x.kind, x.subject, x.status, x.severity, x.title, x.detail, x.remedy, x.data, x.acknowledged_at,
  x.closed_at, x.created_at, x.updated_at`;

type Opening = Pick<AlertRow, "id" | "kind" | "subject" | "severity" | "title" | "detail" | "remedy"> & {
  readonly stateKey: string;
  readonly data: string;
  readonly at: Date;
};

/**
 * Opens an alert, or changes the one there is, and returns it; undefined where it says the same already, or something less grave. Of
 * two transactions that do this at once the second waits for the first at the index alerts_one_at_a_time, and then finds what it wrote.
 */
export function upsertAlert(
  tx: Tx,
  accountId: string,
  alert: Opening,
): Promise<{ id: string; is_new: boolean } | undefined> {
  return tx.maybeOne(sql`
    insert into alerts as x (account_id, id, kind, subject, status, severity, state_key, title, detail, remedy, data,
                             created_at, updated_at)
    values (${accountId}, ${alert.id}, ${alert.kind}, ${alert.subject}, 'open', ${alert.severity}, ${alert.stateKey},
            ${alert.title}, ${alert.detail}, ${alert.remedy}, ${alert.data}::jsonb, ${alert.at}, ${alert.at})
    on conflict (account_id, kind, subject) where status <> 'closed' do update
      set status = 'open', severity = excluded.severity, state_key = excluded.state_key, title = excluded.title,
          detail = excluded.detail, remedy = excluded.remedy, data = excluded.data, acknowledged_at = null,
          updated_at = excluded.updated_at
      where excluded.severity = 'critical' and x.severity <> 'critical'
        or x.severity = excluded.severity and x.state_key <> excluded.state_key
    returning x.id, x.id = ${alert.id} as is_new`);
}

/** Lets an alert say that its subject is in another and less grave state. Nobody is told of that. */
export async function easeAlert(tx: Tx, accountId: string, alert: Opening): Promise<void> {
  await tx.execute(sql`
    update alerts set severity = ${alert.severity}, state_key = ${alert.stateKey}, title = ${alert.title},
      detail = ${alert.detail}, remedy = ${alert.remedy}, data = ${alert.data}::jsonb, updated_at = ${alert.at}
    where account_id = ${accountId} and kind = ${alert.kind} and subject = ${alert.subject} and status <> 'closed'
      and severity = 'critical' and ${alert.severity} <> 'critical' and state_key <> ${alert.stateKey}`);
}

/** Says whether one that was as grave has ended since then. The index alerts_by_kind serves it. */
export async function wasOverSince(
  db: Queryable,
  accountId: string,
  { kind, subject, severity }: Pick<Opening, "kind" | "subject" | "severity">,
  since: Date,
): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`
    select exists (
      select from alerts where account_id = ${accountId} and kind = ${kind} and subject = ${subject} and status = 'closed'
        and closed_at > ${since} and (severity = 'critical' or severity = ${severity})) as found`);
  return found;
}

export function closeAlertRow(
  tx: Tx,
  accountId: string,
  { kind, subject, at }: { readonly kind: AlertKind; readonly subject: string; readonly at: Date },
): Promise<Pick<AlertRow, "id" | "severity"> | undefined> {
  return tx.maybeOne(sql`
    update alerts set status = 'closed', closed_at = ${at}, updated_at = ${at}
    where account_id = ${accountId} and kind = ${kind} and subject = ${subject} and status <> 'closed'
    returning id, severity`);
}

/** Returns the alert only where it was open. */
export function acknowledgeRow(
  tx: Tx,
  accountId: string,
  id: string,
  at: Date,
): Promise<AlertRow | undefined> {
  return tx.maybeOne<AlertRow>(sql`
    update alerts x set status = 'acknowledged', acknowledged_at = ${at}, updated_at = ${at}
    where x.account_id = ${accountId} and x.id = ${id} and x.status = 'open'
    returning ${columns}`);
}

export function findAlert(db: Queryable, accountId: string, id: string): Promise<AlertRow | undefined> {
  return db.maybeOne<AlertRow>(
    sql`select ${columns} from alerts x where x.account_id = ${accountId} and x.id = ${id}`,
  );
}

/** The subjects of the alerts of a kind that aren't over. The index alerts_one_at_a_time serves it. */
export async function listSubjects(
  db: Queryable,
  accountId: string,
  kind: AlertKind,
): Promise<readonly string[]> {
  const rows = await db.many<{ subject: string }>(sql`
    select subject from alerts where account_id = ${accountId} and kind = ${kind} and status <> 'closed'`);
  return rows.map(({ subject }) => subject);
}

/** Closes all alerts about a subject, of whatever kind. The index alerts_one_at_a_time serves it. */
export function closeRowsAbout(
  tx: Tx,
  accountId: string,
  { subject, at }: { readonly subject: string; readonly at: Date },
): Promise<Pick<AlertRow, "id" | "kind" | "severity">[]> {
  return tx.many(sql`
    update alerts set status = 'closed', closed_at = ${at}, updated_at = ${at}
    where account_id = ${accountId} and subject = ${subject} and status <> 'closed'
    returning id, kind, severity`);
}

/** Lists the accounts in which an alert of one of these kinds isn't over. The index alerts_lasting serves it, over all accounts. */
export async function listAccountsWith(
  db: Queryable,
  kinds: readonly AlertKind[],
): Promise<readonly string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select distinct account_id from alerts where kind = any(${[...kinds]}::text[]) and status <> 'closed'`);
  return rows.map(({ account_id }) => account_id);
}

type Filter = { readonly status?: AlertStatus; readonly kind?: AlertKind };

/** The indexes alerts_by_age, alerts_by_status and alerts_by_kind serve it. */
export function listAlerts(
  db: Queryable,
  accountId: string,
  filter: Filter,
  page: AgePage,
): Promise<AlertRow[]> {
  return db.many<AlertRow>(sql`
    select ${columns} from alerts x where x.account_id = ${accountId} ${matching(filter)} ${newestFirst(page, "x")}`);
}

export async function countAlerts(db: Queryable, accountId: string, filter: Filter): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from alerts x where x.account_id = ${accountId} ${matching(filter)}`,
  );
  return count;
}

function matching({ status, kind }: Filter): Sql {
  const ofStatus = status === undefined ? sql`` : sql`and x.status = ${status}`;
  return kind === undefined ? ofStatus : sql`${ofStatus} and x.kind = ${kind}`;
}

/** The index alerts_closed serves it, over all accounts. */
export async function removeClosed(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`delete from alerts where status = 'closed' and closed_at < ${before}`);
}
