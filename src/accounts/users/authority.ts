/**
 * Who may do what to a user: whoever holds all that the user may do, before and after. To remove somebody, to lower them, or
 * to make the link that sets their password is as much as being them; so nobody does it from beneath.
 */
import { AppError, forbidden } from "../../platform/problems.ts";
import { type Role, type Scope, scopesBeyond, scopesOfRole } from "../scopes.ts";

export type UserAct =
  | { readonly kind: "invite"; readonly as: Role }
  | { readonly kind: "rename" | "remove" | "make_link"; readonly user: { readonly role: Role } }
  | { readonly kind: "change_role"; readonly user: { readonly role: Role }; readonly to: Role };

/** The roles that an act touches: those that somebody has or gets by it. */
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

/** Links that were made for less must not open more. */
export function gainsScopes(from: Role, to: Role): boolean {
  return scopesBeyond(scopesOfRole(from), scopesOfRole(to)).length > 0;
}
