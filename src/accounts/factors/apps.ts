/** Authenticator apps: set up by a secret, in use from the first good code on. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Queryable, Tx } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import {
  deleteUnfinished,
  type FactorRow,
  insertFactor,
  isUntakenStep,
  listFactors,
  takeStep,
} from "./factor-store.ts";
import { SECRET_BYTES, stepOfCode } from "./totp.ts";

/** Begins to set up an app. What was begun before and not finished ends. */
export async function beginApp(
  tx: Tx,
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
  personId: string,
  name: string,
): Promise<{ factor: FactorRow; secret: Buffer }> {
  const secret = randomBytes(SECRET_BYTES);
  const id = newId(clock);
  const now = clock.now();
  const factor: FactorRow = {
    person_id: personId,
    id,
    kind: "totp",
    name,
    secret: secrets.seal("factor", secret.toString("hex"), contextOf({ person_id: personId, id })),
    credential_id: null,
    public_key: null,
    counter: 0,
    transports: [],
    created_at: now,
    updated_at: now,
    last_used_at: null,
    activated_at: null,
  };
  await deleteUnfinished(tx, personId);
  await insertFactor(tx, factor);
  return { factor, secret };
}

/** Takes a code of this app, once. */
export async function takeCodeOf(
  tx: Tx,
  secrets: Secrets,
  factor: FactorRow,
  code: string,
  now: Date,
): Promise<boolean> {
  const step = stepOf(secrets, factor, code, now);
  return step !== undefined && takeStep(tx, factor, step, now);
}

function stepOf(secrets: Secrets, factor: FactorRow, code: string, now: Date): number | undefined {
  const secret = factor.secret && secrets.open("factor", factor.secret, contextOf(factor));
  return secret ? stepOfCode(Buffer.from(secret, "hex"), code, now) : undefined;
}

/** Tells whether this is a code of any app that the person has in use, and wasn't taken. It takes nothing. */
export async function isAppCode(
  db: Queryable,
  secrets: Secrets,
  personId: string,
  code: string,
  now: Date,
): Promise<boolean> {
  for (const factor of await listFactors(db, personId)) {
    const step = factor.kind === "totp" ? stepOf(secrets, factor, code, now) : undefined;
    if (step !== undefined && (await isUntakenStep(db, factor, step))) return true;
  }
  return false;
}

/** Takes a code of any app that the person has in use. */
export async function takeAppCode(
  tx: Tx,
  secrets: Secrets,
  personId: string,
  code: string,
  now: Date,
): Promise<boolean> {
  for (const factor of await listFactors(tx, personId)) {
    if (factor.kind === "totp" && (await takeCodeOf(tx, secrets, factor, code, now))) return true;
  }
  return false;
}

/** A sealed secret opens only in the row that it was made for. */
export function contextOf({ person_id, id }: Pick<FactorRow, "person_id" | "id">): string {
  return `${person_id} ${id}`;
}
