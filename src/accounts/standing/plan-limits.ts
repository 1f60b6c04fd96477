/** What the plan of an account allows beside mails. Billing, which stands above, writes it. */
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { AppError } from "../../platform/problems.ts";
import { featureNotIncluded, limitReached } from "../problems.ts";
import { FEATURE_NAMES, type Feature } from "./features.ts";

/** Null is no limit, and all features. */
export type PlanLimits = {
  readonly contacts: number | null;
  readonly members: number | null;
  readonly features: readonly Feature[] | null;
};

const NO_LIMITS: PlanLimits = { contacts: null, members: null, features: null };

/** The caller has locked the account, as those do who add subscribers or invite people, so that they see the new limits or come before. */
export async function writePlanLimits(
  tx: Tx,
  accountId: string,
  limits: PlanLimits | undefined,
): Promise<void> {
  const { contacts, members, features } = limits ?? NO_LIMITS;
  if (contacts === null && members === null && features === null)
    await tx.execute(sql`delete from plan_limits where account_id = ${accountId}`);
  else
    await tx.execute(sql`
      insert into plan_limits (account_id, contacts, members, features)
      values (${accountId}, ${contacts}, ${members}, ${features && [...features]}::text[])
      on conflict (account_id) do update set contacts = excluded.contacts, members = excluded.members, features = excluded.features`);
}

export async function readPlanLimits(db: Queryable, accountId: string): Promise<PlanLimits> {
  const row = await db.maybeOne<PlanLimits>(
    prepared(sql`select contacts, members, features from plan_limits where account_id = ${accountId}`),
  );
  return row ?? NO_LIMITS;
}

/** Refuses one more member than the plan allows. The caller has locked the account, so that two invitations don't both find the last place. */
export async function refuseBeyondMembers({ sql: tx, accountId }: TxCtx): Promise<void> {
  const row = await tx.maybeOne<{ limit: number; used: number }>(sql`
    select members as limit, (select count(*)::int from users u where u.account_id = p.account_id) as used
    from plan_limits p where account_id = ${accountId} and members is not null`);
  if (!row || row.used < row.limit) return;
  throw new AppError(limitReached, `the plan allows ${row.limit} members, and there are ${row.used}`, {
    members: { what: "members", limit: row.limit, used: row.used },
  });
}

/** Refuses what the account's plan doesn't include. It is asked where something is made or started, and never where it runs. */
export async function requireFeature(
  { sql: db, accountId }: Pick<Ctx, "sql" | "accountId">,
  feature: Feature,
): Promise<void> {
  const { features } = await readPlanLimits(db, accountId);
  if (features === null || features.includes(feature)) return;
  throw new AppError(featureNotIncluded, `the account's plan doesn't include ${FEATURE_NAMES[feature]}`, {
    members: { feature },
  });
}
