/**
 * Decides who may change a user: whoever holds all scopes that the user has, before and after. To remove users, to
 * lower their role, or to make a link that sets their password gives as much power as being them, so nobody may do it
 * who has less.
 */
import { AppError, forbidden } from "../../platform/problems.ts";
import { type Role, scopesOfRole } from "../roles.ts";
import { type Scope, scopesBeyond } from "../scopes.ts";

export type UserAct =
  | { readonly kind: "invite"; readonly as: Role }
  | { readonly kind: "rename" | "remove" | "make_link"; readonly user: { readonly role: Role } }
  | { readonly kind: "change_role"; readonly user: { readonly role: Role }; readonly to: Role };

/** Returns the roles that somebody has before an act or gets by it. */
function rolesTouched(act: UserAct): readonly Role[] {
  switch (act.kind) {
    case "invite":
      return [act.as];
    case "change_role":
      return [act.user.role, act.to];
    default:
      return [act.user.role];
  }
}

function scopesNeeded(act: UserAct): readonly Scope[] {
  return ["users:write", ...rolesTouched(act).flatMap(scopesOfRole)];
}

export function refuseWithoutAuthority(held: readonly string[], act: UserAct): void {
  const [lacking] = scopesBeyond(held, scopesNeeded(act));
  if (lacking === undefined) return;
  throw new AppError(forbidden, `this takes every scope that the user's role gives; ${lacking} is lacking`, {
    members: { required_scope: lacking },
  });
}

/** Tells whether a change of role adds scopes. Links that were made for fewer scopes must then end. */
export function gainsScopes(from: Role, to: Role): boolean {
  return scopesBeyond(scopesOfRole(from), scopesOfRole(to)).length > 0;
}
