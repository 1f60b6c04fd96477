/** What follows a right password: a session, or where the person has second factors a token that one of them turns into a session. */
import type { TxCtx } from "../../platform/context.ts";
import type { Client } from "../../platform/http/route.ts";
import { type FactorKind, kindsOfFactors, type MadePending, openPending } from "../factors/factors.ts";
import { recordSignIn } from "../people/people.ts";
import type { Membership } from "../users/users.ts";
import { type OpenedBy, type OpenedSession, openSession } from "./session-life.ts";

export type SignedIn = OpenedSession & { memberships: readonly Membership[] };
export type FactorDue = {
  readonly due: MadePending;
  readonly factors: readonly FactorKind[];
  /** Where something was changed already, by a link: the accounts whose audit logs hold it. */
  readonly changed?: readonly Membership[];
};

export function isDue<T extends object>(started: T | FactorDue): started is FactorDue {
  return "due" in started;
}

/** The password is held by the caller's transaction, so that it can't change between the check and the token. */
export async function startSession(
  ctx: TxCtx,
  personId: string,
  memberships: readonly Membership[],
  client: Client,
  ofOperator = false,
): Promise<SignedIn | FactorDue> {
  const factors = await kindsOfFactors(ctx.sql, personId);
  if (factors.length > 0)
    return { due: await openPending(ctx.sql, personId, ctx.clock.now(), { ofOperator }), factors };
  return finishSignIn(ctx, personId, memberships, client, { ofOperator });
}

/** Opens the session of somebody who has proved all that they have to. */
export async function finishSignIn(
  ctx: TxCtx,
  personId: string,
  memberships: readonly Membership[],
  client: Client,
  by: OpenedBy = {},
): Promise<SignedIn> {
  await recordSignIn(ctx.sql, personId, ctx.clock.now());
  return { ...(await openSession(ctx, personId, memberships, client, by)), memberships };
}
