/** All statements about enrollments. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { ListPlace } from "../../subscribers/subscribers.ts";

export const ENROLLMENT_STATUSES = ["queued", "running", "completed", "canceled", "failed"] as const;

export type EnrollmentRow = {
  readonly account_id: string;
  readonly id: string;
  readonly automation_id: string;
  readonly status: (typeof ENROLLMENT_STATUSES)[number];
  readonly whom: "subscribers" | "segment" | "everyone";
  readonly segment_id: string | null;
  readonly spread_minutes: number;
  readonly total: number | null;
  readonly processed: number;
  readonly entered: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly error: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly finished_at: Date | null;
};
/** What the job needs besides. */
export type EnrollmentWork = EnrollmentRow & {
  readonly subscriber_ids: readonly string[] | null;
  readonly after_created_at: Date | null;
  readonly after_id: string | null;
};

const shown = sql`account_id, id, automation_id, status, whom, segment_id, spread_minutes, total, processed, entered, skipped, error,
  created_at, updated_at, finished_at`;

export async function insertEnrollment(
  tx: Tx,
  row: EnrollmentRow,
  subscriberIds: readonly string[] | null,
): Promise<void> {
  await tx.execute(sql`
    insert into automation_enrollments (${shown}, subscriber_ids)
    values (${row.account_id}, ${row.id}, ${row.automation_id}, ${row.status}, ${row.whom}, ${row.segment_id}, ${row.spread_minutes},
      ${row.total}, ${row.processed}, ${row.entered}, ${JSON.stringify(row.skipped)}::jsonb, ${row.error}, ${row.created_at},
      ${row.updated_at}, ${row.finished_at}, ${subscriberIds && [...subscriberIds]}::uuid[])`);
}

export function findEnrollment(
  db: Queryable,
  accountId: string,
  automationId: string,
  id: string,
): Promise<EnrollmentRow | undefined> {
  return db.maybeOne<EnrollmentRow>(sql`
    select ${shown} from automation_enrollments
    where account_id = ${accountId} and automation_id = ${automationId} and id = ${id}`);
}

/** The index automation_enrollments_by_age serves it. */
export function listEnrollments(
  db: Queryable,
  accountId: string,
  automationId: string,
  page: AgePage,
): Promise<EnrollmentRow[]> {
  return db.many<EnrollmentRow>(sql`
    select ${shown} from automation_enrollments
    where account_id = ${accountId} and automation_id = ${automationId} ${newestFirst(page)}`);
}

export async function countEnrollments(
  db: Queryable,
  accountId: string,
  automationId: string,
  isUnderWay: boolean,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from automation_enrollments
    where account_id = ${accountId} and automation_id = ${automationId}
      ${isUnderWay ? sql`and status in ('queued', 'running')` : sql``}`);
  return count;
}

/** Whoever works on an enrollment, or cancels it, holds it; so of two jobs one waits, and goes on where the other came to. */
export function lockEnrollment(tx: Tx, accountId: string, id: string): Promise<EnrollmentWork | undefined> {
  return tx.maybeOne<EnrollmentWork>(sql`
    select ${shown}, subscriber_ids, after_created_at, after_id from automation_enrollments
    where account_id = ${accountId} and id = ${id} for update`);
}

export type Progress = Pick<
  EnrollmentRow,
  "status" | "total" | "processed" | "entered" | "skipped" | "error"
> & {
  readonly after: ListPlace | undefined;
};

/** Writes how far it has come. One that has ended names nobody any more. */
export async function moveEnrollment(
  tx: Tx,
  { account_id: accountId, id }: EnrollmentRow,
  to: Progress,
  now: Date,
): Promise<void> {
  const isOver = to.status !== "queued" && to.status !== "running";
  await tx.execute(sql`
    update automation_enrollments set status = ${to.status}, total = ${to.total}, processed = ${to.processed}, entered = ${to.entered},
      skipped = ${JSON.stringify(to.skipped)}::jsonb, error = ${to.error}, after_created_at = ${to.after?.createdAt ?? null},
      after_id = ${to.after?.id ?? null}, updated_at = ${now}, finished_at = ${isOver ? now : null}::timestamptz,
      subscriber_ids = case when ${isOver} then null else subscriber_ids end
    where account_id = ${accountId} and id = ${id}`);
}

/** Whoever ends the automation waits for us, and then nobody enters. */
export async function holdAutomation(tx: Tx, accountId: string, automationId: string): Promise<void> {
  await tx.execute(
    sql`select from automations where account_id = ${accountId} and id = ${automationId} for share`,
  );
}

/** Those of these people who are inside already. */
export async function findInside(
  db: Queryable,
  accountId: string,
  automationId: string,
  subscriberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ subscriber_id: string }>(sql`
    select subscriber_id from automation_runs
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::uuid[]) and automation_id = ${automationId}
      and key = '' and state = 'active'`);
  return new Set(rows.map(({ subscriber_id }) => subscriber_id));
}
