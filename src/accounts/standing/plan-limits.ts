/** What the plan of an account allows beside mails. Billing, which stands above, writes it. */
import type { TxCtx } from "../../platform/context.ts";
import { sql, type Tx } from "../../platform/db/db.ts";
import { AppError } from "../../platform/problems.ts";
import { limitReached } from "../problems.ts";

type PlanLimits = { readonly members: number | null };

export async function writePlanLimits(tx: Tx, accountId: string, { members }: PlanLimits): Promise<void> {
  if (members === null) await tx.execute(sql`delete from plan_limits where account_id = ${accountId}`);
  else
    await tx.execute(sql`
      insert into plan_limits (account_id, members) values (${accountId}, ${members})
      on conflict (account_id) do update set members = excluded.members`);
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
