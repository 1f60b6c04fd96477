/** The routes by which people see where they are signed in, and end what isn't theirs. */
import { type Static, Type } from "typebox";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { noSession, originMismatch } from "../problems.ts";
import { CLEARED_COOKIE } from "./session-cookie.ts";
import { endOtherSessions, findPeopleOf, presentSession } from "./session-life.ts";
import { deleteSessionOf, listSessionsOf, type SessionRow } from "./session-store.ts";

const OwnSession = Type.Object(
  {
    object: Type.Literal("own_session"),
    id: PublicId("ses"),
    is_present: Type.Boolean({ description: "Whether this request was made with it." }),
    user_agent: Type.String({ description: "What the browser called itself when it signed in." }),
    network: Type.String({
      description: "From where it signed in: an IPv4 address, or the first half of an IPv6 address.",
      examples: ["203.0.113.7"],
    }),
    last_seen_at: Type.String({ format: "date-time", description: "To the hour." }),
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "OwnSession" },
);

const OwnSessions = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(OwnSession), has_more: Type.Boolean() },
  { title: "OwnSessions" },
);

/** So many are shown; nobody reads more, and all others end together. */
const MOST = 200;
const SCOPE = "account:read";
const tag = "Session";
const ONLY_PEOPLE = "For people who are signed in; an API key has no session.";

export function ownSessionRoutes(): readonly Route[] {
  return [
    readRoute({
      path: "/v1/sessions",
      scope: SCOPE,
      isPersonal: true,
      tag,
      summary: "List one's own sessions",
      description: `The one that was used last comes first. ${ONLY_PEOPLE}`,
      success: { status: 200, schema: OwnSessions, description: "Where the person is signed in." },
      problems: [noSession],
      async handler({ ctx, principal, client }) {
        const present = await presentSession(ctx.sql, principal, client.cookies);
        const rows = await listSessionsOf(ctx.sql, present.person_id, ctx.clock.now(), MOST + 1);
        const data = rows.slice(0, MOST).map((row) => shape(row, present));
        return { status: 200, body: { object: "list" as const, data, has_more: rows.length > MOST } };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/sessions",
      scope: SCOPE,
      audit: { action: "session.others_ended", of: "people" },
      isPersonal: true,
      tag,
      summary: "End all of one's other sessions",
      description: `The present one goes on. ${ONLY_PEOPLE}`,
      success: { status: 204, schema: null, description: "Ended." },
      problems: [noSession, originMismatch],
      async handler({ ctx, principal, client }) {
        const present = await presentSession(ctx.sql, principal, client.cookies);
        await endOtherSessions(ctx, present);
        return { status: 204, people: await findPeopleOf(ctx.sql, present.person_id) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/sessions/:id",
      scope: SCOPE,
      audit: { action: "session.ended", of: "people" },
      isPersonal: true,
      tag,
      summary: "End one of one's own sessions",
      description: `To end the present one is to sign out. ${ONLY_PEOPLE}`,
      params: Strict({ id: PublicId("ses") }),
      success: { status: 204, schema: null, description: "Ended." },
      problems: [noSession, originMismatch],
      async handler({ ctx, principal, client, params }) {
        const present = await presentSession(ctx.sql, principal, client.cookies);
        const id = requireId("ses", params.id, "session");
        if ((await deleteSessionOf(ctx.sql, present.person_id, id)) === 0) throw missing("session");
        const people = await findPeopleOf(ctx.sql, present.person_id);
        return {
          status: 204,
          people,
          ...(id === present.id && { headers: { "set-cookie": CLEARED_COOKIE } }),
        };
      },
    }),
  ];
}

function shape(row: SessionRow, present: SessionRow): Static<typeof OwnSession> {
  return {
    object: "own_session",
    id: toPublicId("ses", row.id),
    is_present: row.id === present.id,
    user_agent: row.user_agent,
    network: row.network,
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.last_seen_at.toISOString(),
  };
}
