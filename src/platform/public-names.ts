/**
 * Names in public addresses, such as a file's id or a slug, and which object of which account each means. An address that
 * names no account is found by this table, which is read across accounts.
 */
import { prepared, type Queryable, sql, type Tx } from "./db/db.ts";

export type PublicName = { account_id: string; id: string };

/** False where the name is taken, by whichever account. */
export async function claimPublicName(
  tx: Tx,
  kind: string,
  name: string,
  accountId: string,
  id: string,
): Promise<boolean> {
  const claimed = await tx.execute(sql`
    insert into public_names (kind, name, account_id, id) values (${kind}, ${name}, ${accountId}, ${id})
    on conflict (kind, name) do nothing`);
  return claimed === 1;
}

export function findPublicName(db: Queryable, kind: string, name: string): Promise<PublicName | undefined> {
  return db.maybeOne<PublicName>(
    prepared(sql`select account_id, id from public_names where kind = ${kind} and name = ${name}`),
  );
}

/** Only the account that has claimed it can let it go. */
export async function releasePublicName(
  tx: Tx,
  kind: string,
  name: string,
  accountId: string,
): Promise<void> {
  await tx.execute(
    sql`delete from public_names where kind = ${kind} and name = ${name} and account_id = ${accountId}`,
  );
}
