/** The routes for signing in and out, for changing one's own password, and for the links that set one. */
import { CHANGES_NOTHING } from "../../platform/http/audit.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { createPasswords, emailFaults, refuseBadEmail } from "../people/people.ts";
import {
  accountUnknown,
  insecureAddress,
  linkUnknown,
  linkUsed,
  noSession,
  originMismatch,
  passwordSignInOff,
  refusePasswords,
  signInBusy,
  tooManyAttempts,
  userExists,
  wrongCredentials,
  wrongPerson,
} from "../problems.ts";
import {
  LinkInspection,
  LinkRedemption,
  PasswordChange,
  PasswordLink,
  PasswordReset,
  PasswordResetCreate,
  PendingSignIn,
  Session,
  SessionCreate,
} from "../users/schema.ts";
import { shapeLink } from "../users/users.ts";
import { firstPasswordFaults } from "./link-faults.ts";
import type { FindChanger } from "./link-servers.ts";
import { ownSessionRoutes } from "./own-session-routes.ts";
import { checkRedemption, openLink, redeemLink } from "./password-links.ts";
import { countLinkRequest, requestReset } from "./password-resets.ts";
import { noteRefusal } from "./refused-sign-ins.ts";
import { CLEARED_COOKIE, refuseForeignOrigin, refuseInsecureAddress } from "./session-cookie.ts";
import { endSession, findPeopleOf, presentSession } from "./session-life.ts";
import { answerPresent, answerSignIn } from "./session-shape.ts";
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
const FACTOR_DUE = {
  status: 202,
  schema: PendingSignIn,
  description: "The password is right, and a second factor is due.",
};

export type SessionOptions = {
  readonly secrets: Secrets;
  readonly findChanger: FindChanger;
  /** False where people come by single sign-on alone (PASSWORD_SIGN_IN). */
  readonly takesPasswords: boolean;
};

export function createSignInTools({ secrets, findChanger, takesPasswords }: SessionOptions): SignInTools {
  return {
    passwords: createPasswords(),
    throttle: createSignInThrottle(secrets),
    findChanger,
    takesPasswords,
  };
}

export function sessionRoutes(options: SessionOptions, tools: SignInTools): readonly Route[] {
  return [
    ...ownSessionRoutes(),
    writeRoute({
      method: "POST",
      path: "/v1/session",
      scope: null,
      hidesTime: true,
      audit: { action: "session.opened", of: "people" },
      tag: "Session",
      summary: "Sign in",
      description:
        "Sets the session cookie. A session that the browser had before ends. Where the person has second factors the answer is 202, " +
        "and no session: one of the factors turns its token into one, at `/v1/session/second_factor`.",
      body: SessionCreate,
      success: { status: 201, schema: Session, description: "The session." },
      otherSuccess: FACTOR_DUE,
      problems: [
        wrongCredentials,
        passwordSignInOff,
        tooManyAttempts,
        signInBusy,
        insecureAddress,
        originMismatch,
      ],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        refusePasswords(tools.takesPasswords);
        return checkCredentials(tools, ctx, body, client.ip).catch((error) =>
          noteRefusal(options.secrets, ctx, { email: body.email, client, error }),
        );
      },
      async handler({ ctx, client }, checked) {
        return answerSignIn(ctx, await signIn(tools, ctx, checked, client));
      },
    }),
    readRoute({
      path: "/v1/session",
      scope: SCOPE,
      isPersonal: true,
      tag: "Session",
      summary: "Get the present session",
      description: `Lists the accounts that the person belongs to. ${ONLY_PEOPLE}`,
      success: { status: 200, schema: Session, description: "The session and its user." },
      problems: [noSession, accountUnknown],
      async handler({ ctx, principal, client }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        return answerPresent(ctx, principal, session);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/session",
      scope: SCOPE,
      audit: { action: "session.ended", of: "people" },
      isPersonal: true,
      tag: "Session",
      summary: "Sign out",
      description: ONLY_PEOPLE,
      success: { status: 204, schema: null, description: "Signed out; the cookie is cleared." },
      problems: [noSession, originMismatch],
      async handler({ ctx, principal, client }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        await endSession(ctx, session);
        const people = await findPeopleOf(ctx.sql, session.person_id);
        return { status: 204, headers: { "set-cookie": CLEARED_COOKIE }, people };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/session/password",
      scope: SCOPE,
      audit: { action: "user.password_changed", of: "people" },
      isPersonal: true,
      tag: "Session",
      summary: "Change one's own password",
      description: `All other sessions of the person end, and this one gets a new cookie. ${ONLY_PEOPLE}`,
      body: PasswordChange,
      success: { status: 200, schema: Session, description: "The session, under its new cookie." },
      problems: [noSession, passwordSignInOff, originMismatch, tooManyAttempts, signInBusy],
      async act({ ctx, principal, client, body }) {
        refusePasswords(tools.takesPasswords);
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const input = { current: body.current_password, next: body.new_password };
        return { session, checked: await checkPasswordChange(tools, ctx, session, input, client.ip) };
      },
      async handler({ ctx, principal, client }, { session, checked }) {
        const renewed = await changePassword(tools, ctx, session, checked, client);
        return answerPresent(ctx, principal, renewed.session, renewed.cookie);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/password_resets",
      scope: null,
      hidesTime: true,
      audit: { none: "it changes nothing until the link is redeemed, and anybody may ask" },
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
      problems: [passwordSignInOff, tooManyAttempts, originMismatch],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refusePasswords(tools.takesPasswords);
        refuseBadEmail(body.email);
        await countLinkRequest(options.secrets, ctx, "reset", client.ip);
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
      audit: CHANGES_NOTHING,
      tag: "Session",
      summary: "See what a password link is for",
      description: "Changes nothing; a POST, so that the token stands in no address and no log.",
      body: LinkInspection,
      success: { status: 200, schema: PasswordLink, description: "What the link does, and for whom." },
      problems: [linkUnknown, linkUsed],
      async handler({ ctx, body }) {
        const { link, user } = await openLink(tools, ctx, body.token);
        return { status: 200, body: shapeLink(link, user, null) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/password_links/redeem",
      scope: null,
      audit: { action: "user.link_redeemed", of: "people" },
      tag: "Session",
      summary: "Set a password by a link, and sign in",
      description:
        "The link of the first start makes the account's owner, and needs `email`; others don't take it. It wants the password of somebody " +
        "who is known by that address. So does a link whose `purpose` is `join`, which sets none. Neither replaces a second factor: where one " +
        "is due the answer is 202, as at a sign-in, and whoever would join an account by the link joins once the factor was given.",
      body: LinkRedemption,
      alsoFaults: firstPasswordFaults,
      success: { status: 201, schema: Session, description: "The session; the link is used up." },
      otherSuccess: FACTOR_DUE,
      problems: [
        linkUnknown,
        linkUsed,
        passwordSignInOff,
        userExists,
        wrongPerson,
        tooManyAttempts,
        signInBusy,
        insecureAddress,
        originMismatch,
      ],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        return checkRedemption(tools, ctx, body, client);
      },
      async handler({ ctx, body, client }, checked) {
        return answerSignIn(ctx, await redeemLink(tools, ctx, checked, body, client));
      },
    }),
  ];
}
