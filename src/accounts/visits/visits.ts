/**
 * An operator looks into an account as a viewer, for an hour at most and for a reason that its owners are shown. A visit is a membership that
 * ends by itself; no other account learns of it.
 */
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { addJob, type Job } from "../../platform/jobs/jobs.ts";
import { lockAccount } from "../account-store.ts";
import { type EndVisitPayload, endVisitKind } from "../job-kinds.ts";
import { addUser, countOwners, endVisitsOf } from "../users/users.ts";

export type VisitRow = {
  account_id: string;
  id: string;
  reason: string;
  created_at: Date;
  expires_at: Date;
};

const columns = sql`account_id, id, reason, created_at, expires_at`;

/**
 * Begins a visit, in the place of one that goes on, or of an invitation: an account could keep operators out by inviting them. Whoever belongs to
 * the account is refused as a user who exists, and so is whoever is invited as its first owner, whom it needs.
 */
export async function beginVisit(
  ctx: TxCtx,
  personId: string,
  visit: { readonly reason: string; readonly minutes: number },
): Promise<VisitRow> {
  const { sql: tx, accountId, clock } = ctx;
  const now = clock.now();
  const until = new Date(now.getTime() + visit.minutes * 60_000);
  await tx.execute(sql`
    delete from users where account_id = ${accountId} and person_id = ${personId} and visit_until is not null`);
  await endVisitsOf(tx, accountId, personId, now);
  await endInvitation(ctx, personId);
  const user = await addUser(
    ctx,
    personId,
    { name: "Operator", role: "viewer" },
    { joined_at: now, visit_until: until },
  );
  const payload = { account_id: accountId, user_id: user.id };
  await addJob(tx, endVisitKind, payload, { runAt: until, key: `end visit ${user.id}` });
  return tx.one<VisitRow>(sql`
    insert into account_visits (account_id, id, person_id, reason, created_at, expires_at)
    values (${accountId}, ${newId(clock)}, ${personId}, ${visit.reason}, ${now}, ${until}) returning ${columns}`);
}

async function endInvitation(ctx: TxCtx, personId: string): Promise<void> {
  const { sql: tx, accountId } = ctx;
  await lockAccount(tx, accountId);
  const { joined: owners } = await countOwners(tx, accountId, null);
  if (owners === 0) return;
  const ended = await tx.many<{ id: string }>(sql`
    delete from users where account_id = ${accountId} and person_id = ${personId} and joined_at is null returning id`);
  for (const { id } of ended)
    await recordEvent(ctx, {
      type: "invitation.deleted",
      data: { invitation_id: toPublicId("inv", id) },
    });
}

/** The index account_visits_by_age serves it. */
export function listVisits(db: Queryable, accountId: string, page: AgePage): Promise<VisitRow[]> {
  return db.many<VisitRow>(
    sql`select ${columns} from account_visits where account_id = ${accountId} ${newestFirst(page)}`,
  );
}

export async function countVisits(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from account_visits where account_id = ${accountId}`,
  );
  return count;
}

/** The check of sessions knows the time itself: this only clears away. */
export const endVisitJob: Job<EndVisitPayload> = {
  ...endVisitKind,
  async run({ db }, { account_id, user_id }) {
    await db.execute(sql`
      delete from users where account_id = ${account_id} and id = ${user_id} and visit_until is not null`);
  },
};

export function shapeVisit(row: VisitRow) {
  return {
    object: "visit" as const,
    id: toPublicId("vis", row.id),
    account_id: toPublicId("acc", row.account_id),
    reason: row.reason,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.created_at.toISOString(),
  };
}
