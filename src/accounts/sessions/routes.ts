/** The routes for signing in and out, for changing one's own password, and for the links that set one. */
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import {
  insecureAddress,
  linkUnknown,
  linkUsed,
  noSession,
  originMismatch,
  signInBusy,
  tooManyAttempts,
  userExists,
  wrongCredentials,
} from "../problems.ts";
import {
  LinkInspection,
  LinkRedemption,
  PasswordChange,
  PasswordLink,
  PasswordReset,
  PasswordResetCreate,
  Session,
  SessionCreate,
} from "../users/schema.ts";
import {
  createPasswords,
  emailFaults,
  findUser,
  refuseBadEmail,
  shapeLink,
  shapeUser,
  type UserRow,
} from "../users/users.ts";
import { checkRedemption, openLink, redeemLink } from "./password-links.ts";
import { countResetRequest, requestReset } from "./password-resets.ts";
import { CLEARED_COOKIE, refuseForeignOrigin, refuseInsecureAddress } from "./session-cookie.ts";
import { endSession, presentSession } from "./session-life.ts";
import type { SessionRow } from "./session-store.ts";
import {
  changePassword,
  checkCredentials,
  checkPasswordChange,
  type SignInTools,
  signIn,
} from "./sign-in.ts";
import { createSignInThrottle } from "./sign-in-throttle.ts";

// Every user has this scope, so that everyone can see and end their own session; an API key gets `no_session`.
const SCOPE = "account:read";
const ONLY_PEOPLE = "For people who are signed in; an API key has no session.";

export function sessionRoutes(options: { secrets: Secrets }): readonly Route[] {
  const tools: SignInTools = {
    passwords: createPasswords(),
    throttle: createSignInThrottle(options.secrets),
  };
  return [
    writeRoute({
      method: "POST",
      path: "/v1/session",
      scope: null,
      tag: "Session",
      summary: "Sign in",
      description: "Sets the session cookie. A session that the browser had before ends.",
      body: SessionCreate,
      success: { status: 201, schema: Session, description: "The session." },
      problems: [wrongCredentials, tooManyAttempts, signInBusy, insecureAddress, originMismatch],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        return checkCredentials(tools, ctx, body, client.ip);
      },
      async handler({ ctx, client }, checked) {
        const { session, cookie } = await signIn(tools, ctx, checked, client);
        return answer(201, session, { ...checked.user, last_signed_in_at: session.created_at }, cookie);
      },
    }),
    readRoute({
      path: "/v1/session",
      scope: SCOPE,
      tag: "Session",
      summary: "Get the present session",
      description: ONLY_PEOPLE,
      success: { status: 200, schema: Session, description: "The session and its user." },
      problems: [noSession],
      async handler({ ctx, principal, client }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const user = await findUser(ctx.sql, session.account_id, session.user_id);
        if (!user) throw missing("user");
        return answer(200, session, user);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/session",
      scope: SCOPE,
      tag: "Session",
      summary: "Sign out",
      description: ONLY_PEOPLE,
      success: { status: 204, schema: null, description: "Signed out; the cookie is cleared." },
      problems: [noSession, originMismatch],
      async handler({ ctx, principal, client }) {
        await endSession(ctx, await presentSession(ctx.sql, principal, client.cookies));
        return { status: 204, headers: { "set-cookie": CLEARED_COOKIE } };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/session/password",
      scope: SCOPE,
      tag: "Session",
      summary: "Change one's own password",
      description: `All other sessions of the user end, and this one gets a new cookie. ${ONLY_PEOPLE}`,
      body: PasswordChange,
      success: { status: 200, schema: Session, description: "The session, under its new cookie." },
      problems: [noSession, originMismatch, tooManyAttempts, signInBusy],
      async act({ ctx, principal, client, body }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const input = { current: body.current_password, next: body.new_password };
        return { session, checked: await checkPasswordChange(tools, ctx, session, input, client.ip) };
      },
      async handler({ ctx, client }, { session, checked }) {
        const renewed = await changePassword(tools, ctx, session, checked, client);
        const user = { ...checked.user, updated_at: ctx.clock.now() };
        return answer(200, renewed.session, user, renewed.cookie);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/password_resets",
      scope: null,
      tag: "Session",
      summary: "Mail a link that sets a new password",
      description:
        "The answer is the same for every address, and says nothing about whether it is a user's. A link is good once and for an hour; " +
        "at most 3 an hour go to an address. Using one ends the others and the user's sessions.",
      body: PasswordResetCreate,
      alsoFaults: emailFaults,
      success: {
        status: 202,
        schema: PasswordReset,
        description: "A mail is on its way if there is such a user.",
      },
      problems: [tooManyAttempts, originMismatch],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseBadEmail(body.email);
        await countResetRequest(options.secrets, ctx, client.ip);
      },
      async handler({ ctx, body }) {
        await requestReset(options.secrets, ctx, body.email);
        return { status: 202, body: { object: "password_reset" as const } };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/password_links/inspect",
      scope: null,
      tag: "Session",
      summary: "See what a password link is for",
      description: "Changes nothing; a POST, so that the token stands in no address and no log.",
      body: LinkInspection,
      success: { status: 200, schema: PasswordLink, description: "What the link does, and for whom." },
      problems: [linkUnknown, linkUsed],
      async handler({ ctx, body }) {
        const { link, user } = await openLink(ctx, body.token);
        return { status: 200, body: shapeLink(link, user, null) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/password_links/redeem",
      scope: null,
      tag: "Session",
      summary: "Set a password by a link, and sign in",
      description:
        "The link of the first start makes the account's owner, and needs `email`; others don't take it.",
      body: LinkRedemption,
      success: { status: 201, schema: Session, description: "The session; the link is used up." },
      problems: [linkUnknown, linkUsed, userExists, signInBusy, insecureAddress, originMismatch],
      async prepare({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        return checkRedemption(tools.passwords, ctx, body);
      },
      async handler({ ctx, body, client }, checked) {
        const { session, user, cookie } = await redeemLink(tools.throttle, ctx, checked, body, client);
        return answer(201, session, user, cookie);
      },
    }),
  ];
}

function answer(status: number, session: SessionRow, user: UserRow, cookie?: string): Answer<Session> {
  return {
    status,
    body: {
      object: "session",
      id: toPublicId("ses", session.id),
      account_id: toPublicId("acc", session.account_id),
      user: shapeUser(user),
      expires_at: session.expires_at.toISOString(),
      created_at: session.created_at.toISOString(),
      updated_at: session.last_seen_at.toISOString(),
    },
    ...(cookie && { headers: { "set-cookie": cookie } }),
  };
}
