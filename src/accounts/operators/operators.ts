/**
 * Operators look after the instance and not after one account. They are people, or programs with a key of the instance, and both are made at the
 * command line alone: nobody becomes one by what an account may do.
 */
import { recordAct } from "../../audit/audit.ts";
import type { Clock } from "../../platform/clock.ts";
import { SYSTEM, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { INSTANCE } from "../../platform/http/audit.ts";
import type { Principal } from "../../platform/http/route.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { deleteLonePerson, forgetSignInOfNobody, lockPerson } from "../people/people.ts";
import { twoFactorRequired } from "../problems.ts";
import { accountOfToken, hashToken, makeToken } from "../token-format.ts";
import {
  deleteInstanceKey,
  deleteOperator,
  deleteOperatorIdentities,
  deleteVisitsOf,
  findInstanceKey,
  findOperatorOfSession,
  type InstanceKeyRow,
  insertInstanceKey,
  insertOperator,
  insertOperatorIdentity,
  markInstanceKeyUsed,
} from "./operator-store.ts";

export { isOperator, listInstanceKeys, listOperators } from "./operator-store.ts";

type Making = Pick<TxCtx, "sql" | "clock">;

/** Returns false where the person is one already. */
export async function addOperator({ sql, clock }: Making, personId: string): Promise<boolean> {
  const isNew = await insertOperator(sql, personId, clock.now());
  if (isNew) record({ sql, clock }, "operator.added", toPublicId("per", personId));
  return isNew;
}

/** Ends what they look into at once. Whoever belongs to no account besides can't sign in any more, and isn't kept. */
export async function removeOperator({ sql, clock }: Making, personId: string): Promise<boolean> {
  await lockPerson(sql, personId);
  const wasOne = await deleteOperator(sql, personId);
  if (!wasOne) return false;
  record({ sql, clock }, "operator.removed", toPublicId("per", personId));
  await deleteVisitsOf(sql, personId);
  await forgetSignInOfNobody(sql, personId);
  await deleteLonePerson(sql, personId);
  return true;
}

/**
 * Joins an operator to what a provider calls them. No address does it, since whoever gets the address would get the instance; here somebody
 * who has the server says so. Returns false where the person, or the name, is joined at this provider already.
 */
export async function linkOperator(
  { sql, clock }: Making,
  personId: string,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<boolean> {
  const id = newId(clock);
  const isNew = await insertOperatorIdentity(sql, { id, personId, issuer, subject, at: clock.now() });
  if (isNew) record({ sql, clock }, "operator.sso_linked", toPublicId("per", personId));
  return isNew;
}

/** Takes that back; the sessions that the provider opened end with it. Returns false where there was none. */
export async function unlinkOperator({ sql, clock }: Making, personId: string): Promise<boolean> {
  const wasLinked = await deleteOperatorIdentities(sql, personId);
  if (wasLinked) record({ sql, clock }, "operator.sso_unlinked", toPublicId("per", personId));
  return wasLinked;
}

/** Makes a key of the instance. It is returned once; only its hash is stored. */
export async function createInstanceKey({ sql, clock }: Making, name: string): Promise<string> {
  const id = newId(clock);
  const key = makeToken("prn_", id);
  await insertInstanceKey(sql, { id, name, hint: key.slice(-4), created_at: clock.now() }, hashToken(key));
  record({ sql, clock }, "instance_key.created", toPublicId("ink", id));
  return key;
}

export async function revokeInstanceKey({ sql, clock }: Making, id: string): Promise<boolean> {
  const wasOne = await deleteInstanceKey(sql, id);
  if (wasOne) record({ sql, clock }, "instance_key.deleted", toPublicId("ink", id));
  return wasOne;
}

function record({ sql, clock }: Making, action: `${string}.${string}`, targetId: string): void {
  recordAct({ sql, clock, accountId: INSTANCE }, "operator", action, targetId);
}

/** `last_used_at` is for people: a precision of one minute is enough. */
const USE_NOTED_EVERY_MS = 60_000;

export type OperatorCheck = {
  /** Returns whom a key of the instance speaks for; undefined where the header holds none that is good. */
  checkKey(header: string): Promise<Principal | undefined>;
  /** Makes an operator of somebody who is signed in and is one; all others stay as they are. */
  checkPerson(principal: Principal): Promise<Principal>;
};

/** Few requests are about the instance, so each asks the database. */
export function createOperatorCheck(db: Db, clock: Clock): OperatorCheck {
  async function noteUse({ id, last_used_at }: InstanceKeyRow): Promise<void> {
    const now = clock.now();
    if (last_used_at && now.getTime() - last_used_at.getTime() < USE_NOTED_EVERY_MS) return;
    await markInstanceKeyUsed(db, id, now);
  }

  return {
    async checkKey(header) {
      const key = /^Bearer +(\S+) *$/i.exec(header)?.[1];
      if (!key || !accountOfToken("prn_", key)) return undefined;
      const row = await findInstanceKey(db, hashToken(key));
      if (!row) return undefined;
      await noteUse(row);
      return { ...OF_INSTANCE, operator: { id: toPublicId("ink", row.id), personId: null } };
    },
    async checkPerson(principal) {
      const { sessionId, confirmedUntil } = principal;
      const found = sessionId && (await findOperatorOfSession(db, sessionId));
      if (!sessionId || !found) return principal;
      return {
        ...OF_INSTANCE,
        sessionId,
        operator: { id: toPublicId("per", found.person_id), personId: found.person_id },
        ...(confirmedUntil && !found.is_by_provider && { confirmedUntil }),
        ...(!found.has_factor && { writesRefused: FACTOR_MISSING }),
      };
    },
  };
}

const OF_INSTANCE = { accountId: INSTANCE, actor: SYSTEM, scopes: [], unlimited: false } as const;
const FACTOR_MISSING = {
  problem: twoFactorRequired,
  detail: "operators change nothing without a second factor; add one with POST /v1/factors",
} as const;
