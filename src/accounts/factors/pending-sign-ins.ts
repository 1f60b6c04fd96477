/**
 * Whoever has given the right password and owes a second factor holds a token, and no session. It lives for ten minutes, is good
 * once, and ends after five attempts.
 */
import { randomBytes } from "node:crypto";
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { hashToken, makeToken } from "../token-format.ts";

const columns = sql`token_hash, person_id, attempts, expires_at, link_account_id, link_id, link_name, of_operator`;
const LIFE_MS = 10 * 60_000;
export const MOST_ATTEMPTS = 5;

export type PendingSignIn = {
  readonly token_hash: Buffer;
  readonly person_id: string;
  readonly attempts: number;
  readonly expires_at: Date;
  /** The link that lets the person into an account once they have given the factor; null where they only sign in. */
  readonly link_account_id: string | null;
  readonly link_id: string | null;
  /** What they want to be called there. */
  readonly link_name: string | null;
  /** Whether a link of the command line began it. */
  readonly of_operator: boolean;
};

export type PendingLink = { readonly account_id: string; readonly id: string; readonly name: string | null };
export type MadePending = { readonly token: string; readonly expiresAt: Date };

/** Nobody learns from the token whose it is: it names an id of nobody's. */
export async function openPending(
  tx: Tx,
  personId: string,
  now: Date,
  { link, ofOperator }: { readonly link?: PendingLink; readonly ofOperator: boolean },
): Promise<MadePending> {
  const token = makeToken("prf_", randomBytes(16).toString("hex"));
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  await deleteExpired(tx, now);
  await tx.execute(sql`
    insert into pending_sign_ins (token_hash, person_id, created_at, expires_at, link_account_id, link_id, link_name,
      of_operator)
    values (${hashToken(token)}, ${personId}, ${now}, ${expiresAt}, ${link?.account_id ?? null}, ${link?.id ?? null},
            ${link?.name ?? null}, ${ofOperator})`);
  return { token, expiresAt };
}

export function findPending(db: Queryable, token: string, now: Date): Promise<PendingSignIn | undefined> {
  return db.maybeOne<PendingSignIn>(sql`
    select ${columns} from pending_sign_ins
    where token_hash = ${hashToken(token)} and attempts < ${MOST_ATTEMPTS} and expires_at > ${now}`);
}

/**
 * Counts an attempt before it is judged, so that of many at once no more than five are. Returns undefined where the token is
 * unknown, used, expired or used up.
 */
export function countPending(db: Writable, token: string, now: Date): Promise<PendingSignIn | undefined> {
  return db.maybeOne<PendingSignIn>(sql`
    update pending_sign_ins set attempts = attempts + 1
    where token_hash = ${hashToken(token)} and attempts < ${MOST_ATTEMPTS} and expires_at > ${now}
    returning ${columns}`);
}

/** Takes the token. Of two who come at once, one gets true. */
export async function takePending(tx: Tx, { token_hash: hash }: PendingSignIn): Promise<boolean> {
  return (await tx.execute(sql`delete from pending_sign_ins where token_hash = ${hash}`)) === 1;
}

/** Ends what was begun by a password that is no longer the person's. */
export async function deletePendingOf(tx: Tx, personId: string): Promise<void> {
  await tx.execute(sql`delete from pending_sign_ins where person_id = ${personId}`);
}

/** Each sign-in takes away what others left behind, a hundred at most. */
async function deleteExpired(tx: Tx, now: Date): Promise<void> {
  await tx.execute(sql`
    delete from pending_sign_ins where token_hash in (
      select token_hash from pending_sign_ins where expires_at <= ${now} order by expires_at limit 100
      for update skip locked)`);
}
