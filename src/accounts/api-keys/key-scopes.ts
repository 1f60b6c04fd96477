import { scopesOfRole } from "../roles.ts";
import { scopesBeyond, scopesOfKey } from "../scopes.ts";
import type { ApiKeyRow } from "./key-store.ts";

/** Returns what a key may do now: what it was given, and no more than whoever made it may do by now. */
export function scopesInForce(key: Pick<ApiKeyRow, "scopes" | "made_by" | "maker_role">): readonly string[] {
  const own = scopesOfKey(key.scopes);
  if (key.made_by === null) return own;
  if (key.maker_role === null) return [];
  const held: readonly string[] = scopesOfRole(key.maker_role);
  if (own.includes("full")) return held;
  const beyond = new Set(scopesBeyond(held, own));
  return own.filter((scope) => !beyond.has(scope));
}

/** A key whose maker has left opens nothing, whether it was revoked then or not. */
export function isMakerGone({ made_by, maker_role }: Pick<ApiKeyRow, "made_by" | "maker_role">): boolean {
  return made_by !== null && maker_role === null;
}
