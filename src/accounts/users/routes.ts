import { refuseUnconfirmed } from "../../platform/http/access-control.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { confirmationRequired } from "../../platform/problems.ts";
import {
  lastOwner,
  operatorVisit,
  passwordSignInOff,
  personElsewhere,
  refusePasswords,
} from "../problems.ts";
import { linkUrl, makeLink } from "../sessions/sessions.ts";
import { refuseWithoutAuthority } from "./authority.ts";
import { PasswordLink, User, UserPage, UserPatch } from "./schema.ts";
import { shapeLink, shapeUser } from "./user-shape.ts";
import { countUsers, listUsers } from "./user-store.ts";
import { deleteUser, findJoined, lockJoined, updateUser, userEtag } from "./users.ts";

const UserParams = Strict({ id: PublicId("usr") });
const SCOPES_NEEDED =
  "The caller must hold every scope that the user's role gives, as it is and as it becomes; else 403.";

export function userRoutes({ takesPasswords }: { readonly takesPasswords: boolean }): readonly Route[] {
  return [
    readRoute({
      path: "/v1/users",
      scope: "users:read",
      tag: "Users",
      summary: "List users",
      description: "Those who have joined, newest first. Whoever is invited stands under `/v1/invitations`.",
      query: PageQuery({}),
      success: { status: 200, schema: UserPage, description: "A page of users." },
      handler: (call) => pageByAge(call, { list: listUsers, count: countUsers, shape: shapeUser }),
    }),
    readRoute({
      path: "/v1/users/:id",
      scope: "users:read",
      tag: "Users",
      summary: "Get a user",
      params: UserParams,
      hot: true,
      success: { status: 200, schema: User, description: "The user." },
      async handler({ ctx, params }) {
        const user = await findJoined(ctx.sql, ctx.accountId, requireId("usr", params.id, "user"));
        return { status: 200, body: shapeUser(user), etag: userEtag(user) };
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/users/:id",
      scope: "users:write",
      audit: { action: "user.updated", of: "path" },
      tag: "Users",
      summary: "Change a user's name, role or notices",
      description: `${SCOPES_NEEDED} Links that set the password of a user who gets a higher role end: make a new one. Another role wants a confirmed session.`,
      params: UserParams,
      body: UserPatch,
      success: { status: 200, schema: User, description: "The user as it now is." },
      problems: [lastOwner, operatorVisit, confirmationRequired],
      async handler({ ctx, params, body, ifMatch, principal }) {
        if (body.role !== undefined) refuseUnconfirmed(principal, ctx.clock.now());
        const user = await updateUser(
          ctx,
          principal.scopes,
          requireId("usr", params.id, "user"),
          body,
          ifMatch,
        );
        return { status: 200, body: shapeUser(user), etag: userEtag(user) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/users/:id",
      scope: "users:write",
      audit: { action: "user.removed", of: "path" },
      tag: "Users",
      summary: "Remove a user",
      description: `The user is refused at once, and links end. Sessions go on where the person belongs to other accounts. ${SCOPES_NEEDED}`,
      params: UserParams,
      success: { status: 204, schema: null, description: "Removed." },
      problems: [lastOwner],
      async handler({ ctx, params, principal }) {
        await deleteUser(ctx, principal.scopes, requireId("usr", params.id, "user"));
        return { status: 204 };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/users/:id/password_link",
      scope: "users:write",
      audit: { action: "user.link_made", of: "path" },
      needsConfirmation: true,
      tag: "Users",
      summary: "Make a link that sets a user's password",
      description: `Good once, for an hour. Those before end. Nobody makes one that sets the password of somebody who belongs to another account too or comes by single sign-on. ${SCOPES_NEEDED}`,
      params: UserParams,
      shownOnce: ["url"],
      success: { status: 201, schema: PasswordLink, description: "The link, shown once." },
      problems: [personElsewhere, operatorVisit, passwordSignInOff],
      async handler({ ctx, params, principal, baseUrl }) {
        refusePasswords(takesPasswords);
        const user = await lockJoined(ctx.sql, ctx.accountId, requireId("usr", params.id, "user"));
        refuseWithoutAuthority(principal.scopes, { kind: "make_link", user });
        const { row, token } = await makeLink(ctx, user);
        return { status: 201, body: shapeLink(row, user, linkUrl(baseUrl, token)) };
      },
    }),
  ];
}
