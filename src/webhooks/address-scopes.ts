/** Whoever has addresses posted to a URL gets to read them, so it must be somebody who may read them anyway. */
import { type EventType, entryOf } from "../events/events.ts";
import { hasScope } from "../platform/http/access-control.ts";
import type { Principal } from "../platform/http/route.ts";
import { AppError, forbidden } from "../platform/problems.ts";
import { typesOfPatterns } from "./event-patterns.ts";
import type { Included } from "./schema.ts";

type Posted = { readonly events: readonly string[]; readonly include: readonly Included[] };

/** Throws where an endpoint with these settings posts addresses that the caller may not read. */
export function refuseHiddenAddresses(caller: Principal, webhook: Posted): void {
  const lacking = scopesToRead(webhook).find((scope) => !hasScope(caller, scope));
  if (lacking === undefined) return;
  const detail = `this key lacks the scope ${lacking}, which it takes to have addresses posted by \`include\``;
  throw new AppError(forbidden, detail, { members: { required_scope: lacking } });
}

/** The recipients of transactional mail are seen with a scope of their own. */
function scopesToRead({ events, include }: Posted): readonly string[] {
  if (!include.includes("email")) return [];
  const isOfEmails = typesOfPatterns(events).some(namesAnEmail);
  return isOfEmails ? ["subscribers:read", "emails:read"] : ["subscribers:read"];
}

function namesAnEmail(type: EventType): boolean {
  return "email_id" in entryOf(type).example;
}
