/** What a passkey is asked to sign. It is kept here, good once for five minutes, for what it was asked for and whoever was asked. */
import { type Queryable, sql, type Writable } from "../../platform/db/db.ts";

const LIFE_MS = 5 * 60_000;

type ChallengePurpose = "add" | "sign_in" | "second_factor" | "confirm";

export type ChallengeFor = {
  readonly purpose: ChallengePurpose;
  /** Null for whoever signs in by a passkey alone: it says who they are. */
  readonly personId: string | null;
  /** What the asking came with: the token of a sign-in, or a session; null for a stranger. */
  readonly boundTo: Buffer | null;
};

export async function saveChallenge(
  db: Writable,
  challenge: string,
  { purpose, personId, boundTo }: ChallengeFor,
  now: Date,
): Promise<Date> {
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  await deleteExpired(db, now);
  await db.execute(sql`
    insert into passkey_challenges (challenge, purpose, person_id, bound_to, expires_at)
    values (${challenge}, ${purpose}, ${personId}, ${boundTo}, ${expiresAt})`);
  return expiresAt;
}

/** Takes a challenge, whatever comes of it. Of two who answer it at once, one gets true. */
export async function takeChallenge(
  db: Writable,
  challenge: string,
  { purpose, personId, boundTo }: ChallengeFor,
  now: Date,
): Promise<boolean> {
  const taken = await db.execute(sql`
    delete from passkey_challenges
    where challenge = ${challenge} and purpose = ${purpose} and person_id is not distinct from ${personId}::uuid
      and bound_to is not distinct from ${boundTo}::bytea and expires_at > ${now}`);
  return taken === 1;
}

/** Each asking takes away what others left behind, a hundred at most. */
async function deleteExpired(db: Writable & Queryable, now: Date): Promise<void> {
  await db.execute(sql`
    delete from passkey_challenges where challenge in (
      select challenge from passkey_challenges where expires_at <= ${now} order by expires_at limit 100
      for update skip locked)`);
}
