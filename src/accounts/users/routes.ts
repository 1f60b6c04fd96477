import type { Ctx, TxCtx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { fromPublicId, newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { missing } from "../../platform/problems.ts";
import { inviteUserKind } from "../job-kinds.ts";
import { lastOwner, userExists } from "../problems.ts";
import { linkUrl, makeLink } from "../sessions/sessions.ts";
import { refuseWithoutAuthority } from "./authority.ts";
import { MadePasswordLink, NewUser, User, UserCreate, UserPage, UserPatch } from "./schema.ts";
import { shapeMadeLink, shapeUser } from "./user-shape.ts";
import { countUsers, findUser, listUsers, lockUser, type UserRow } from "./user-store.ts";
import { createUser, deleteUser, emailFaults, updateUser, userEtag } from "./users.ts";

const UserParams = Strict({ id: PublicId("usr") });
const SCOPES_NEEDED =
  "The caller must hold every scope that the user's role gives, as it is and as it becomes; else 403.";

/** Says whether an invitation to this user would leave: not where it stays in the sandbox, or where too many went before. */
export type MailLeaves = (ctx: Ctx, user: UserRow) => Promise<boolean>;

/** Adds the job that mails an invitation, and returns whether it will leave. */
async function invite(ctx: TxCtx, user: UserRow, mailLeaves: MailLeaves): Promise<boolean> {
  const payload = { account_id: ctx.accountId, user_id: user.id, occasion_id: newId(ctx.clock) };
  await addJob(ctx.sql, inviteUserKind, payload);
  return mailLeaves(ctx, user);
}

export function userRoutes({ mailLeaves }: { readonly mailLeaves: MailLeaves }): readonly Route[] {
  return [
    readRoute({
      path: "/v1/users",
      scope: "users:read",
      tag: "Users",
      summary: "List users",
      description: "Newest first.",
      query: PageQuery({}),
      success: { status: 200, schema: UserPage, description: "A page of users." },
      handler: (call) => pageByAge(call, { list: listUsers, count: countUsers, shape: shapeUser }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/users",
      scope: "users:write",
      tag: "Users",
      summary: "Invite a user",
      description: `Answers with a link by which the user sets a password, and mails the user an invitation with another. ${SCOPES_NEEDED}`,
      body: UserCreate,
      alsoFaults: emailFaults,
      shownOnce: ["setup_link"],
      success: { status: 201, schema: NewUser, description: "The user, and the link, shown once." },
      problems: [userExists],
      async handler({ ctx, body, principal, baseUrl }) {
        const role = body.role ?? "member";
        refuseWithoutAuthority(principal.scopes, { kind: "invite", as: role });
        const user = await createUser(ctx, {
          email: body.email,
          name: body.name ?? "",
          role,
          passwordHash: null,
        });
        const { token } = await makeLink(ctx, user);
        const shaped = shapeUser(user);
        return {
          status: 201,
          body: {
            ...shaped,
            setup_link: linkUrl(baseUrl, token),
            mailed: await invite(ctx, user, mailLeaves),
          },
          headers: { location: `${baseUrl}/v1/users/${shaped.id}` },
          etag: userEtag(user),
        };
      },
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
        const user = await findUser(ctx.sql, ctx.accountId, userId(params.id));
        if (!user) throw missing("user");
        return { status: 200, body: shapeUser(user), etag: userEtag(user) };
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/users/:id",
      scope: "users:write",
      tag: "Users",
      summary: "Change a user's name, role or notices",
      description: `${SCOPES_NEEDED} Links that set the password of a user who gets a higher role end: make a new one.`,
      params: UserParams,
      body: UserPatch,
      success: { status: 200, schema: User, description: "The user as it now is." },
      problems: [lastOwner],
      async handler({ ctx, params, body, ifMatch, principal }) {
        const user = await updateUser(ctx, principal.scopes, userId(params.id), body, ifMatch);
        return { status: 200, body: shapeUser(user), etag: userEtag(user) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/users/:id",
      scope: "users:write",
      tag: "Users",
      summary: "Remove a user",
      description: `The user's sessions and links end at once. ${SCOPES_NEEDED}`,
      params: UserParams,
      success: { status: 204, schema: null, description: "Removed." },
      problems: [lastOwner],
      async handler({ ctx, params, principal }) {
        await deleteUser(ctx, principal.scopes, userId(params.id));
        return { status: 204 };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/users/:id/password_link",
      scope: "users:write",
      tag: "Users",
      summary: "Make a link that sets a user's password",
      description: `Good once: for an hour, or for 7 days while the user has no password. Those before end. A user without a password is mailed another invitation as well, at most 3 an hour. ${SCOPES_NEEDED}`,
      params: UserParams,
      shownOnce: ["url"],
      success: { status: 201, schema: MadePasswordLink, description: "The link, shown once." },
      async handler({ ctx, params, principal, baseUrl }) {
        const user = await lockUser(ctx.sql, ctx.accountId, userId(params.id));
        if (!user) throw missing("user");
        refuseWithoutAuthority(principal.scopes, { kind: "make_link", user });
        const { row, token } = await makeLink(ctx, user);
        const mailed = user.password_hash === null && (await invite(ctx, user, mailLeaves));
        return { status: 201, body: shapeMadeLink(row, user, linkUrl(baseUrl, token), mailed) };
      },
    }),
  ];
}

function userId(text: string): string {
  const id = fromPublicId("usr", text);
  if (!id) throw missing("user");
  return id;
}
