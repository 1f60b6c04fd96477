/** What whoever is signed in may do in this account. What they may not do isn't shown to them. */
import { useQuery } from "@tanstack/react-query";
import type { Session } from "./openapi.ts";
import { sessionQuery } from "./queries.ts";

export type Scope = Session["scopes"][number];

export function holds({ scopes }: Pick<Session, "scopes">, scope: Scope): boolean {
  return scopes.includes("full") || scopes.includes(scope);
}

/** Nothing is asked for here: the session is read before any page that is shown to somebody. */
export function useMay(): (scope: Scope | undefined) => boolean {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  return (scope) => scope === undefined || (session !== undefined && holds(session, scope));
}
