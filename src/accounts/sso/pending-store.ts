/** Sign-ins that were sent on to the provider. They belong to nobody yet, so their statements begin with the state. */
import { sql, type Tx, type Writable } from "../../platform/db/db.ts";

const LIFE_MS = 10 * 60_000;

export type BegunSignIn = {
  /** The invitation that is accepted by it. */
  readonly link_account_id: string | null;
  readonly link_id: string | null;
  /** Whether the provider was asked to let them prove anew who they are. */
  readonly is_anew: boolean;
  readonly begun_at: Date;
};
type LinkOf = { readonly account_id: string; readonly id: string };
type Hashes = { readonly stateHash: Buffer; readonly browserHash: Buffer };

export async function insertBegun(
  tx: Tx,
  { stateHash, browserHash }: Hashes,
  { link, isAnew }: { readonly link: LinkOf | undefined; readonly isAnew: boolean },
  now: Date,
): Promise<Date> {
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  // Each takes away what others left behind, a hundred at most.
  await tx.execute(sql`
    delete from sso_sign_ins where state_hash in (
      select state_hash from sso_sign_ins where expires_at <= ${now} order by expires_at limit 100
      for update skip locked)`);
  await tx.execute(sql`
    insert into sso_sign_ins (state_hash, browser_hash, link_account_id, link_id, is_anew, expires_at)
    values (${stateHash}, ${browserHash}, ${link?.account_id ?? null}, ${link?.id ?? null}, ${isAnew}, ${expiresAt})`);
  return expiresAt;
}

/** Takes it, so that it is good once. Of two who come at once, one gets it; another browser gets none. */
export async function takeBegun(
  db: Writable,
  { stateHash, browserHash }: Hashes,
  now: Date,
): Promise<BegunSignIn | undefined> {
  const taken = await db.maybeOne<Omit<BegunSignIn, "begun_at"> & { expires_at: Date }>(sql`
    delete from sso_sign_ins
    where state_hash = ${stateHash} and browser_hash = ${browserHash} and expires_at > ${now}
    returning link_account_id, link_id, is_anew, expires_at`);
  return taken && { ...taken, begun_at: new Date(taken.expires_at.getTime() - LIFE_MS) };
}
