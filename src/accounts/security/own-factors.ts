/** People set up, rename and remove their own factors. */
import type { TxCtx } from "../../platform/context.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import {
  beginApp,
  deleteCodes,
  deleteFactor,
  type FactorRow,
  findFactor,
  listFactors,
  renameFactor,
  replaceCodes,
  takeCodeOf,
  toBase32,
  totpUri,
} from "../factors/factors.ts";
import { findPerson, lockPerson } from "../people/people.ts";
import { factorActive, tooManyFactors } from "../problems.ts";
import { endOtherSessions, refuseEndedSession, type SessionRow } from "../sessions/sessions.ts";
import { recordFactorChange } from "./factor-events.ts";

const MOST_FACTORS = 20;
const ISSUER = "Postrider";

export type BegunApp = { readonly factor: FactorRow; readonly secret: string; readonly uri: string };

export async function beginOwnApp(
  ctx: TxCtx,
  secrets: Secrets,
  personId: string,
  name: string,
): Promise<BegunApp> {
  const person = await findPerson(ctx.sql, personId);
  if (!person) throw missing("person");
  await refuseTooMany(ctx, personId);
  const { factor, secret } = await beginApp(ctx.sql, { secrets, clock: ctx.clock }, personId, name);
  return { factor, secret: toBase32(secret), uri: totpUri(secret, { issuer: ISSUER, email: person.email }) };
}

/** The person is locked while factors are counted, so that of two that are added at once one comes with the recovery codes. */
export async function refuseTooMany(ctx: TxCtx, personId: string): Promise<readonly FactorRow[]> {
  await lockPerson(ctx.sql, personId);
  const factors = await listFactors(ctx.sql, personId);
  if (factors.length < MOST_FACTORS) return factors;
  throw new AppError(tooManyFactors, `a person has ${MOST_FACTORS} factors at most; remove one first`);
}

export type AddedFactor = { readonly factor: FactorRow; readonly codes: readonly string[] | null };

/** Activates an app by its first good code. */
export async function activateOwnApp(
  ctx: TxCtx,
  secrets: Secrets,
  session: SessionRow,
  id: string,
  code: string,
): Promise<AddedFactor> {
  const { person_id: personId } = session;
  const others = await refuseTooMany(ctx, personId);
  const factor = await findFactor(ctx.sql, personId, id);
  if (factor?.kind !== "totp") throw missing("factor");
  if (factor.activated_at) throw new AppError(factorActive, "this app is in use already");
  if (!(await takeCodeOf(ctx.sql, secrets, factor, code, ctx.clock.now()))) {
    const detail = "isn't what the app shows now; look at its clock, and try the next code";
    throw invalid({ pointer: "/code", code: "wrong_code", detail });
  }
  return finishAdding(ctx, session, factor, others);
}

/**
 * With the first factor come recovery codes, and the person's other sessions end: they were opened by a password alone, which from now
 * on isn't enough.
 */
export async function finishAdding(
  ctx: TxCtx,
  session: SessionRow,
  factor: FactorRow,
  others: readonly FactorRow[],
): Promise<AddedFactor> {
  await refuseEndedSession(ctx, session);
  const now = ctx.clock.now();
  const isFirst = others.length === 0;
  const codes = isFirst ? await replaceCodes(ctx.sql, factor.person_id, now) : null;
  if (isFirst) await endOtherSessions(ctx, session);
  await recordFactorChange(ctx, factor.person_id, "user.factor_added", factor.kind);
  return { factor: { ...factor, activated_at: now, last_used_at: now }, codes };
}

export async function renameOwnFactor(
  ctx: TxCtx,
  personId: string,
  id: string,
  name: string | undefined,
): Promise<FactorRow> {
  const factor = await findFactor(ctx.sql, personId, id);
  if (!factor) throw missing("factor");
  if (name === undefined || name === factor.name) return factor;
  const now = ctx.clock.now();
  await renameFactor(ctx.sql, factor, name, now);
  return { ...factor, name, updated_at: now };
}

/** Recovery codes replace a factor, and end with the last one. */
export async function removeOwnFactor(ctx: TxCtx, personId: string, id: string): Promise<void> {
  await lockPerson(ctx.sql, personId);
  const factor = await findFactor(ctx.sql, personId, id);
  if (!factor) throw missing("factor");
  await deleteFactor(ctx.sql, personId, id);
  if ((await listFactors(ctx.sql, personId)).length === 0) await deleteCodes(ctx.sql, personId);
  if (factor.activated_at) await recordFactorChange(ctx, personId, "user.factor_removed", factor.kind);
}
