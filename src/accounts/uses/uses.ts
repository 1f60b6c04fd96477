/**
 * Says which things of an account something that runs depends on, so that nobody deletes them under it. Who runs notes them here, in the transaction
 * that starts it; who deletes one asks, having locked it.
 */
import { type Queryable, sql, type Writable } from "../../platform/db/db.ts";
import { AppError, defineProblem } from "../../platform/problems.ts";

export const inUse = defineProblem(
  409,
  "in_use",
  "In use",
  "Something that runs depends on it, such as an automation that is live; `used_by` says which. Publish a version without it, or end the automation.",
);

export type UsedThing = { readonly kind: "field" | "segment" | "list"; readonly id: string };

/** From now on the owner, such as `automation aut_…`, depends on exactly these. */
export async function keepInUse(
  db: Writable,
  accountId: string,
  owner: string,
  things: readonly UsedThing[],
): Promise<void> {
  await db.execute(sql`delete from things_in_use where account_id = ${accountId} and owner = ${owner}`);
  if (things.length === 0) return;
  await db.execute(sql`
    insert into things_in_use (account_id, kind, thing_id, owner)
    select ${accountId}, kind, thing_id, ${owner}
    from unnest(${things.map(({ kind }) => kind)}::text[], ${things.map(({ id }) => id)}::uuid[]) as new (kind, thing_id)
    on conflict do nothing`);
}

/** Refuses to change or delete a thing on which something depends. The caller has locked it. */
export async function refuseInUse(db: Queryable, accountId: string, { kind, id }: UsedThing): Promise<void> {
  const users = await db.many<{ owner: string }>(sql`
    select owner from things_in_use
    where account_id = ${accountId} and kind = ${kind} and thing_id = ${id} order by owner limit 10`);
  if (users.length === 0) return;
  const names = users.map(({ owner }) => owner);
  throw new AppError(inUse, `the ${kind} is used by ${names.join(" and ")}`, { members: { used_by: names } });
}
