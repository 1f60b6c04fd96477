/** The statements of limits and proofs, which all processes share. */
import { type Db, prepared, sql } from "../../platform/db/db.ts";

export type Counted = { readonly key: Buffer; readonly windowMs: number };

/**
 * Counts one submission against each key and returns how often each was used in its present window, in the keys' order. It is a
 * statement of its own, outside any transaction, so that the row of a busy form is locked for no longer than that takes.
 */
export async function countSubmission(
  db: Db,
  accountId: string,
  counted: readonly Counted[],
  now: Date,
): Promise<readonly number[]> {
  const windows = counted.map(({ key, windowMs }) => {
    const startMs = Math.floor(now.getTime() / windowMs) * windowMs;
    return { key, start: new Date(startMs), end: new Date(startMs + windowMs) };
  });
  const rows = await db.many<{ key: Buffer; used: number }>(
    prepared(sql`
      insert into form_limits as known (account_id, key, window_start, ends_at, used)
      select ${accountId}::uuid, key, window_start, ends_at, 1
      from unnest(${windows.map(({ key }) => key)}::bytea[], ${windows.map(({ start }) => start)}::timestamptz[],
                  ${windows.map(({ end }) => end)}::timestamptz[]) as new (key, window_start, ends_at)
      -- In one order, so that two of them can't wait for each other.
      order by key
      on conflict (account_id, key, window_start) do update set used = known.used + 1
      returning key, used`),
  );
  const used = new Map(rows.map((row) => [row.key.toString("hex"), row.used]));
  return counted.map(({ key }) => used.get(key.toString("hex")) ?? 1);
}

/** False where the proof was used before, by whichever process. */
export async function useProof(
  db: Db,
  proof: { readonly accountId: string; readonly digest: Buffer; readonly expiresAt: Date },
): Promise<boolean> {
  const inserted = await db.execute(
    prepared(sql`
      insert into form_proofs (account_id, digest, expires_at)
      values (${proof.accountId}, ${proof.digest}, ${proof.expiresAt})
      on conflict (account_id, digest) do nothing`),
  );
  return inserted === 1;
}

/** Removes what no submission asks for any more, in all accounts. */
export async function removeOldProtection(db: Db, now: Date): Promise<void> {
  await db.execute(sql`delete from form_limits where ends_at < ${now}`);
  await db.execute(sql`delete from form_proofs where expires_at < ${now}`);
}
