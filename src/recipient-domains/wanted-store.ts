/** All statements about domains that jobs are to look up. */
import { intArray, textArray, timeArray } from "../platform/db/arrays.ts";
import { type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";

export type WantedDomain = { readonly name: string; readonly attempts: number };

/** Notes domains that jobs are to look up. Whoever waits for one already waits on as before. */
export async function wantDomains(db: Writable, names: readonly string[], now: Date): Promise<void> {
  if (names.length === 0) return;
  await db.execute(sql`
    insert into wanted_domains (name, next_at)
    select name, ${now} from unnest(${textArray(names)}::text[]) as name order by name
    on conflict do nothing`);
}

/**
 * Takes some that are due, the one that waits longest first, by putting off when they are due next: nobody else takes them until then, and
 * then somebody does, if whoever took them has died.
 */
export function claimWanted(
  db: Writable,
  now: Date,
  leasedUntil: Date,
  most: number,
): Promise<WantedDomain[]> {
  return db.many<WantedDomain>(sql`
    with due as (
      select name from wanted_domains where next_at <= ${now} order by next_at limit ${most} for update skip locked
    )
    update wanted_domains as wanted set next_at = ${leasedUntil} from due where wanted.name = due.name
    returning wanted.name, wanted.attempts`);
}

/** In the order of their names, as all who write them do. */
export async function dropWanted(db: Writable, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await db.execute(sql`
    delete from wanted_domains where name in (
      select name from wanted_domains where name = any(${textArray(names)}::text[]) order by name for update)`);
}

export async function putOffWanted(
  tx: Tx,
  domains: readonly (WantedDomain & { readonly nextAt: Date })[],
): Promise<void> {
  if (domains.length === 0) return;
  const sorted = domains.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await tx.execute(sql`
    update wanted_domains as wanted set attempts = later.attempts, next_at = later.next_at
    from unnest(
      ${textArray(sorted.map(({ name }) => name))}::text[], ${intArray(sorted.map(({ attempts }) => attempts))}::int[],
      ${timeArray(sorted.map(({ nextAt }) => nextAt))}::timestamptz[]) as later (name, attempts, next_at)
    where wanted.name = later.name`);
}

/** Gives back what was claimed and not asked about. */
export async function releaseWanted(db: Writable, names: readonly string[], now: Date): Promise<void> {
  if (names.length === 0) return;
  await db.execute(
    sql`update wanted_domains set next_at = ${now} where name = any(${textArray(names)}::text[])`,
  );
}

/** Tells how many of these nobody has asked about yet. */
export async function countUnasked(db: Queryable, names: readonly string[]): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*)::int as count from wanted_domains where name = any(${textArray(names)}::text[]) and attempts = 0`);
  return count;
}
