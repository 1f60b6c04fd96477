/** Writes the answers of a sign-in: the session, or the token of one that owes a second factor. */
import type { Ctx } from "../../platform/context.ts";
import type { Answer, Principal } from "../../platform/http/route.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { kindsOfFactors } from "../factors/factors.ts";
import { isOperator } from "../operators/operators.ts";
import { scopesOfRole } from "../roles.ts";
import type { PendingSignIn, Session } from "../users/schema.ts";
import {
  findUser,
  listMemberships,
  listVisitsOf,
  type Membership,
  shapeUser,
  type UserRow,
} from "../users/users.ts";
import { peopleOf } from "./session-life.ts";
import { confirmedUntil } from "./session-rules.ts";
import { type FactorDue, isDue, type SignedIn } from "./session-start.ts";
import type { SessionRow } from "./session-store.ts";

/** Finds who the person is in the account that the request is about. */
async function presentUser(ctx: Ctx, { accountId, actor }: Principal): Promise<UserRow> {
  const user = await findUser(ctx.sql, accountId, requireId("usr", actor.id ?? "", "user"));
  if (!user) throw missing("user");
  return user;
}

/** Finds who the person is in the account that they joined first. */
async function firstUserOf(ctx: Ctx, [first]: readonly Membership[]): Promise<UserRow> {
  const user = first && (await findUser(ctx.sql, first.account_id, first.id));
  if (!user) throw missing("user");
  return user;
}

type Whose = { readonly user: UserRow; readonly memberships: readonly Membership[] };

/** Answers a sign-in by any way. `user` is who the person is in the account that is shown, else in the one that they joined first. */
export function answerSignIn(ctx: Ctx, started: SignedIn): Promise<Answer<Session>>;
export function answerSignIn(
  ctx: Ctx,
  started: (SignedIn & { readonly user?: UserRow }) | FactorDue,
): Promise<Answer<Session | PendingSignIn>>;
export async function answerSignIn(
  ctx: Ctx,
  started: (SignedIn & { readonly user?: UserRow }) | FactorDue,
): Promise<Answer<Session | PendingSignIn>> {
  if (isDue(started)) return answerDue(started);
  const { session, memberships, cookie } = started;
  const user = started.user ?? (await firstUserOf(ctx, memberships));
  return answerSession(ctx, 201, session, { user, memberships }, cookie);
}

function answerDue({ due, factors, changed = [] }: FactorDue): Answer<PendingSignIn> {
  const { token, expiresAt } = due;
  const body = {
    object: "pending_sign_in" as const,
    token,
    factors: [...factors],
    expires_at: expiresAt.toISOString(),
  };
  // After a password alone nobody is signed in yet: the record is that of the session which the factor opens.
  return { status: 202, body, people: peopleOf(changed) };
}

async function answerSession(
  ctx: Ctx,
  status: number,
  session: SessionRow,
  { user, memberships }: Whose,
  cookie?: string,
): Promise<Answer<Session>> {
  const factors = await kindsOfFactors(ctx.sql, session.person_id);
  const visits = await listVisitsOf(ctx.sql, session.person_id, ctx.clock.now());
  return {
    status,
    body: {
      object: "session",
      id: toPublicId("ses", session.id),
      account_id: toPublicId("acc", user.account_id),
      user: shapeUser(user),
      memberships: [...memberships, ...visits].map((one) => ({
        account_id: toPublicId("acc", one.account_id),
        account_name: one.account_name,
        user_id: toPublicId("usr", one.id),
        role: one.role,
        visit_until: one.visit_until?.toISOString() ?? null,
        require_two_factor: one.require_two_factor,
      })),
      scopes: [...scopesOfRole(user.role)],
      is_operator: await isOperator(ctx.sql, session.person_id),
      factors: [...factors],
      confirmed_until: confirmedUntil(session, session.token_hash)?.toISOString() ?? null,
      expires_at: session.expires_at.toISOString(),
      created_at: session.created_at.toISOString(),
      updated_at: session.last_seen_at.toISOString(),
    },
    ...(cookie && { headers: { "set-cookie": cookie } }),
    people: peopleOf(memberships),
  };
}

/** Answers with the session of the request, as it now is. */
export async function answerPresent(
  ctx: Ctx,
  principal: Principal,
  session: SessionRow,
  cookie?: string,
): Promise<Answer<Session>> {
  const memberships = await listMemberships(ctx.sql, session.person_id);
  return answerSession(ctx, 200, session, { user: await presentUser(ctx, principal), memberships }, cookie);
}
