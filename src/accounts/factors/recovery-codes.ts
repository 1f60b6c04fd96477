/**
 * Recovery codes: ten at once, each good once. With 80 random bits each they are stored by a plain hash, which costs little however
 * many are guessed, and outlasts a rotation of SECRET_KEY.
 */
import { hash, randomInt } from "node:crypto";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";

const NUMBER = 10;
const LENGTH = 16;
const GROUP = 4;
/** Crockford's base32, without letters that look like digits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function makeCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  const groups = Array.from({ length: LENGTH / GROUP }, (_, at) =>
    letters.slice(at * GROUP, (at + 1) * GROUP),
  );
  return groups.map((group) => group.join("")).join("-");
}

/** The person is hashed too, so that equal codes of two people don't look alike. */
function hashCode(personId: string, code: string): Buffer {
  return hash("sha256", `${personId} ${code}`, "buffer");
}

/** Returns a code as it is compared, whatever blanks, dashes and capitals were typed; undefined where it can't be one. */
function normaliseCode(typed: string): string | undefined {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, "").replaceAll("o", "0").replaceAll(/[il]/g, "1");
  const isOne = code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter));
  return isOne ? code : undefined;
}

/** Makes ten new codes, and ends those that were there before. */
export async function replaceCodes(tx: Tx, personId: string, now: Date): Promise<readonly string[]> {
  const codes = Array.from({ length: NUMBER }, makeCode);
  const hashes = codes.map((code) => hashCode(personId, normaliseCode(code) ?? ""));
  await deleteCodes(tx, personId);
  await tx.execute(sql`
    insert into recovery_codes (person_id, code_hash, created_at)
    select ${personId}, hashed, ${now} from unnest(${hashes}::bytea[]) as hashed`);
  return codes;
}

/** Takes a code. Of two who give the same one at once, one gets true. */
export async function takeCode(tx: Tx, personId: string, typed: string, now: Date): Promise<boolean> {
  const code = normaliseCode(typed);
  if (code === undefined) return false;
  const taken = await tx.execute(sql`
    update recovery_codes set used_at = ${now}
    where person_id = ${personId} and code_hash = ${hashCode(personId, code)} and used_at is null`);
  return taken === 1;
}

/** Tells whether this is a code that wasn't used. It takes nothing. */
export async function isCode(db: Queryable, personId: string, typed: string): Promise<boolean> {
  const code = normaliseCode(typed);
  if (code === undefined) return false;
  const found = await db.many(sql`
    select from recovery_codes
    where person_id = ${personId} and code_hash = ${hashCode(personId, code)} and used_at is null`);
  return found.length > 0;
}

export type CodesLeft = { readonly left: number; readonly made_at: Date | null };

export function countCodes(db: Queryable, personId: string): Promise<CodesLeft> {
  return db.one<CodesLeft>(sql`
    select count(*) filter (where used_at is null) as left, max(created_at) as made_at
    from recovery_codes where person_id = ${personId}`);
}

export async function deleteCodes(tx: Tx, personId: string): Promise<void> {
  await tx.execute(sql`delete from recovery_codes where person_id = ${personId}`);
}
