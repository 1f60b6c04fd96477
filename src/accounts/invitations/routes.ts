import type { Ctx, TxCtx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { newId, requireId, toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { inviteUserKind } from "../job-kinds.ts";
import { emailFaults } from "../people/people.ts";
import { lastOwner, limitReached, userExists } from "../problems.ts";
import { linkUrl, makeLink } from "../sessions/sessions.ts";
import { shapeUpdatedBy } from "../updated-by.ts";
import { countInvited, listInvited, refuseWithoutAuthority, type UserRow } from "../users/users.ts";
import { findInvited, inviteUser, lockInvited, renewInvitation, revokeInvitation } from "./invitations.ts";
import { Invitation, InvitationCreate, InvitationPage, SentInvitation } from "./schema.ts";

const InvitationParams = Strict({ id: PublicId("inv") });
const SCOPES_NEEDED = "The caller must hold every scope that the role gives; else 403.";
const tag = "Invitations";

/** Says whether an invitation would leave, and whether the answer may show its link. */
export type InvitationMail = (ctx: Ctx, user: UserRow) => Promise<{ isMailed: boolean; isShown: boolean }>;

export function invitationRoutes(options: { readonly invitationMail: InvitationMail }): readonly Route[] {
  return [
    readRoute({
      path: "/v1/invitations",
      scope: "users:read",
      tag,
      summary: "List invitations",
      description: "Those that nobody has accepted yet, newest first.",
      query: PageQuery({}),
      success: { status: 200, schema: InvitationPage, description: "A page of invitations." },
      handler: (call) =>
        pageByAge(call, {
          list: listInvited,
          count: countInvited,
          shape: (row: UserRow) => shape(row, call.ctx),
        }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/invitations",
      scope: "users:write",
      hidesTime: true,
      audit: { action: "invitation.created", of: "answer" },
      needsConfirmation: true,
      tag,
      summary: "Invite somebody",
      description:
        "Mails a link by which they set a password; somebody who has one, since they belong to another account, accepts by that one. " +
        `The answer tells nothing of them that wasn't sent. An invitation is good for 7 days. ${SCOPES_NEEDED}`,
      body: InvitationCreate,
      alsoFaults: emailFaults,
      shownOnce: ["link"],
      success: { status: 201, schema: SentInvitation, description: "The invitation, with its link." },
      problems: [userExists, limitReached],
      async handler({ ctx, body, principal, baseUrl }) {
        const role = body.role ?? "marketer";
        refuseWithoutAuthority(principal.scopes, { kind: "invite", as: role });
        const invited = await inviteUser(ctx, { email: body.email, name: body.name ?? "", role });
        const sent = await send(ctx, options, invited, baseUrl);
        return {
          status: 201,
          body: sent,
          headers: { location: `${baseUrl}/v1/invitations/${sent.id}` },
        };
      },
    }),
    readRoute({
      path: "/v1/invitations/:id",
      scope: "users:read",
      tag,
      summary: "Get an invitation",
      params: InvitationParams,
      success: { status: 200, schema: Invitation, description: "The invitation." },
      async handler({ ctx, params }) {
        const id = requireId("inv", params.id, "invitation");
        return { status: 200, body: shape(await findInvited(ctx.sql, ctx.accountId, id), ctx) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/invitations/:id/resend",
      scope: "users:write",
      audit: { action: "invitation.resent", of: "path" },
      needsConfirmation: true,
      tag,
      summary: "Send an invitation again",
      description: `Links that were sent before end, and the 7 days begin anew. At most 3 mails an hour go to an address. ${SCOPES_NEEDED}`,
      params: InvitationParams,
      shownOnce: ["link"],
      success: { status: 200, schema: SentInvitation, description: "The invitation, with its new link." },
      async handler({ ctx, params, principal, baseUrl }) {
        const invited = await lockInvited(ctx, requireId("inv", params.id, "invitation"));
        refuseWithoutAuthority(principal.scopes, { kind: "make_link", user: invited });
        const renewed = await renewInvitation(ctx, invited);
        return { status: 200, body: await send(ctx, options, renewed, baseUrl) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/invitations/:id",
      scope: "users:write",
      audit: { action: "invitation.revoked", of: "path" },
      tag,
      summary: "Revoke an invitation",
      description: `Its links end. ${SCOPES_NEEDED}`,
      params: InvitationParams,
      success: { status: 204, schema: null, description: "Revoked." },
      problems: [lastOwner],
      async handler({ ctx, params, principal }) {
        await revokeInvitation(ctx, principal.scopes, requireId("inv", params.id, "invitation"));
        return { status: 204 };
      },
    }),
  ];
}

/** Adds the job that mails an invitation, and makes the link that is shown where people of the account may see it. */
async function send(
  ctx: TxCtx,
  { invitationMail }: { readonly invitationMail: InvitationMail },
  invited: UserRow,
  baseUrl: string,
) {
  const payload = { account_id: ctx.accountId, user_id: invited.id, occasion_id: newId(ctx.clock) };
  await addJob(ctx.sql, inviteUserKind, payload);
  const { isMailed, isShown } = await invitationMail(ctx, invited);
  const link = isShown ? linkUrl(baseUrl, (await makeLink(ctx, invited)).token) : null;
  return { ...shape(invited, ctx), link, mailed: isMailed };
}

function shape(row: UserRow, { clock }: Pick<Ctx, "clock">): Invitation {
  const expiresAt = row.invitation_expires_at ?? row.created_at;
  return {
    object: "invitation",
    id: toPublicId("inv", row.id),
    email: row.email,
    name: row.name,
    role: row.role,
    status: expiresAt > clock.now() ? "pending" : "expired",
    expires_at: expiresAt.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}
