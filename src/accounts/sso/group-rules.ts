/** Says which roles a person's groups give them. It needs no database. */
import { ROLES, type Role } from "../roles.ts";

export type GroupRule = { readonly group: string; readonly accountId: string; readonly role: Role };

/** Returns the role in each account; of several the highest. Groups are compared as they are written. */
export function rolesByGroups(
  rules: readonly GroupRule[],
  groups: readonly string[],
): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, accountId, role } of rules) {
    if (!groups.includes(group)) continue;
    const before = roles.get(accountId);
    if (before === undefined || ROLES.indexOf(role) < ROLES.indexOf(before)) roles.set(accountId, role);
  }
  return roles;
}
