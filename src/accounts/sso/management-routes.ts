/** The routes by which an owner sees how single sign-on is set up, who is linked, and unlinks somebody. */
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import { personElsewhere } from "../problems.ts";
import type { Role } from "../roles.ts";
import { belongsElsewhere, lockJoined } from "../users/users.ts";
import { countLinked, deleteIdentitiesOf, type LinkedRow, listLinked } from "./identity-store.ts";
import { SingleSignOn, type SsoUser, SsoUserPage } from "./schema.ts";
import type { Sso } from "./sso.ts";

const tag = "Single sign-on";

export function managementRoutes(
  { sso }: { readonly sso: Sso },
  takesPasswords: boolean,
  redirectUrl: (baseUrl: string) => string,
): readonly Route[] {
  const issuer = sso.issuer ?? "";
  return [
    readRoute({
      path: "/v1/single_sign_on",
      scope: "sso:read",
      tag,
      summary: "See how single sign-on is set up",
      description:
        "The operator sets it up for the whole service, by settings; `groups` are those of this account alone.",
      success: { status: 200, schema: SingleSignOn, description: "How it is set up." },
      async handler({ ctx, baseUrl }) {
        const own = sso.rules.filter(({ accountId }) => accountId === ctx.accountId);
        return {
          status: 200,
          body: {
            object: "single_sign_on" as const,
            is_configured: sso.provider !== undefined,
            name: sso.provider ? sso.name : null,
            issuer: sso.issuer ?? null,
            redirect_url: redirectUrl(baseUrl),
            password_sign_in: takesPasswords,
            groups_claim: sso.groupsClaim,
            groups: own.map(({ group, role }) => ({ group, role })),
          },
        };
      },
    }),
    readRoute({
      path: "/v1/single_sign_on/users",
      scope: "sso:read",
      tag,
      summary: "List who is linked",
      description: "People of the account who have signed in with the provider, newest first.",
      query: PageQuery({}),
      success: { status: 200, schema: SsoUserPage, description: "A page of users." },
      handler: (call) =>
        pageByAge(call, {
          list: (db, accountId, page) => listLinked(db, accountId, issuer, page),
          count: (db, accountId) => countLinked(db, accountId, issuer),
          shape,
        }),
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/single_sign_on/users/:id",
      scope: "sso:write",
      audit: { action: "user.sso_unlinked", of: "path" },
      needsConfirmation: true,
      tag,
      summary: "Unlink somebody",
      description:
        "Their sessions by single sign-on end; of somebody who isn't linked nothing is changed. Whoever signs in with the provider again is linked anew, if it verifies their address; " +
        "to shut somebody out, remove the user too.",
      params: Strict({ id: PublicId("usr") }),
      success: { status: 204, schema: null, description: "Unlinked." },
      problems: [personElsewhere],
      async handler({ ctx, params }) {
        const userId = requireId("usr", params.id, "user");
        const user = await lockJoined(ctx.sql, ctx.accountId, userId);
        if (await belongsElsewhere(ctx.sql, user))
          throw new AppError(
            personElsewhere,
            "this user belongs to another account too, and is linked for that as well",
          );
        await deleteIdentitiesOf(ctx.sql, user.person_id);
        return { status: 204 };
      },
    }),
  ];
}

function shape(row: LinkedRow): SsoUser {
  return {
    object: "sso_user",
    id: toPublicId("usr", row.id),
    email: row.email,
    provider_email: row.provider_email,
    role: row.role as Role,
    by_groups: row.by_sso,
    last_signed_in_at: row.last_used_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.last_used_at.toISOString(),
  };
}
