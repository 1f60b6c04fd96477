/** The routes of single sign-on: how people sign in here at all, the way to the provider, and what comes back from there. */
import type { ActCtx } from "../../platform/context.ts";
import { networkOf } from "../../platform/http/address.ts";
import { auditOrigin } from "../../platform/http/audit-records.ts";
import { type Client, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { lockPerson } from "../people/people.ts";
import {
  insecureAddress,
  linkUnknown,
  linkUsed,
  originMismatch,
  ssoExpired,
  ssoNotAMember,
  ssoOff,
  ssoRefused,
  ssoUnavailable,
  tooManyAttempts,
  wrongPerson,
} from "../problems.ts";
import {
  answerSignIn,
  countAttempt,
  finishSignIn,
  openLink,
  refuseForeignOrigin,
  refuseInsecureAddress,
  type SignInTools,
} from "../sessions/sessions.ts";
import { Session } from "../users/schema.ts";
import { findUser, listMemberships } from "../users/users.ts";
import { type Admitted, admitPerson, type NotAdmitted } from "./admit-person.ts";
import {
  browserCookie,
  browserToken,
  hashesOf,
  proofsOf,
  randomText,
  readBrowserToken,
} from "./browser-binding.ts";
import { recordUse } from "./identity-store.ts";
import { managementRoutes } from "./management-routes.ts";
import { type BegunSignIn, insertBegun, takeBegun } from "./pending-store.ts";
import { type Provider, TOLERANCE_S } from "./provider.ts";
import { SignInMethods, SsoAnswer, SsoStart, SsoStarted } from "./schema.ts";
import type { Sso } from "./sso.ts";

/** So many sign-ins a network may begin at once; as many are forgotten in ten minutes. An office shares one. */
const FREE = 100;
const FORGOTTEN_S = 600;
const tag = "Session";

export type SsoOptions = {
  readonly secrets: Secrets;
  readonly sso: Sso;
  /** Whether strangers open accounts by themselves (SIGN_UP). */
  readonly signUp: "closed" | "invite" | "open";
};

function redirectUrl(baseUrl: string): string {
  return `${baseUrl}/sign-in/sso`;
}

export function ssoRoutes(options: SsoOptions, signIn: SignInTools): readonly Route[] {
  const { sso } = options;
  return [
    ...managementRoutes(options, signIn.takesPasswords, redirectUrl),
    readRoute({
      path: "/v1/sign_in_methods",
      scope: null,
      tag,
      summary: "See how people sign in",
      success: { status: 200, schema: SignInMethods, description: "What the sign-in page offers." },
      async handler() {
        const body = {
          object: "sign_in_methods" as const,
          password: signIn.takesPasswords,
          single_sign_on: sso.provider ? { name: sso.name } : null,
          sign_up: options.signUp,
        };
        return { status: 200, body };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/session/sso",
      scope: null,
      audit: { none: "nobody is known yet; the session that follows is recorded" },
      tag,
      summary: "Begin to sign in by single sign-on",
      description:
        "Sets a cookie that binds the sign-in to this browser, and answers with the provider's address. Good once, for ten minutes.",
      body: SsoStart,
      success: { status: 201, schema: SsoStarted, description: "Where to go." },
      problems: [
        ssoOff,
        ssoUnavailable,
        linkUnknown,
        linkUsed,
        tooManyAttempts,
        insecureAddress,
        originMismatch,
      ],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        const provider = requireProvider(sso);
        await countStart(options.secrets, ctx, client.ip);
        const link =
          body.invitation === undefined ? undefined : await openInvitation(signIn, ctx, body.invitation);
        const token = browserToken(client.cookies);
        const state = randomText();
        const to = await provider.authorizationUrl(
          redirectUrl(baseUrl),
          proofsOf(token, state),
          body.again ?? false,
        );
        if (to.kind !== "url") throw giveUp(ctx, to);
        return { url: to.url, token, state, how: { link, isAnew: body.again ?? false } };
      },
      async handler({ ctx }, { url, token, state, how }) {
        const expiresAt = await insertBegun(ctx.sql, hashesOf(token, state), how, ctx.clock.now());
        return {
          status: 201,
          body: {
            object: "sso_start" as const,
            authorization_url: url,
            expires_at: expiresAt.toISOString(),
          },
          headers: { "set-cookie": browserCookie(token) },
        };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/session/sso/callback",
      scope: null,
      audit: { action: "session.opened", of: "people" },
      tag,
      summary: "Sign in by what the provider answered",
      description:
        "Sets the session cookie. The provider's word counts as the password and the second factor together, and as a confirmation where the sign-in was " +
        "begun with `again`. Only the browser that began may finish, and once.",
      body: SsoAnswer,
      success: { status: 201, schema: Session, description: "The session." },
      problems: [
        ssoOff,
        ssoExpired,
        ssoRefused,
        ssoNotAMember,
        ssoUnavailable,
        linkUnknown,
        wrongPerson,
        insecureAddress,
        originMismatch,
      ],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        const provider = requireProvider(sso);
        const token = readBrowserToken(client.cookies);
        const begun = token && (await takeBegun(ctx.sql, hashesOf(token, body.state), ctx.clock.now()));
        if (!token || !begun) throw expired();
        const { state, ...answer } = body;
        const said = await provider.redeem(redirectUrl(baseUrl), proofsOf(token, state), answer);
        if (said.kind !== "said") throw giveUp(ctx, said);
        const { issuer, claims, provenAt } = said;
        const admission = { issuer, claims, rules: sso.rules, begun, origin: auditOrigin(client) };
        // What the groups say stays also where nobody is let in: that is how somebody is shut out.
        const found = await ctx.transaction((tx) => admitPerson({ ...ctx, sql: tx }, admission));
        if (found.kind !== "admitted") throw turnAway(ctx, found);
        return { ...found, email: claims.email, isConfirmed: isProvenAnew(begun, provenAt) };
      },
      handler: ({ ctx, client }, admitted) => openSsoSession(ctx, admitted, client),
    }),
  ];
}

type OpenCtx = Parameters<typeof finishSignIn>[0];

async function openSsoSession(
  ctx: OpenCtx,
  admitted: Admitted & { readonly email: string | null; readonly isConfirmed: boolean },
  client: Client,
) {
  const { personId, identityId, email, joined, isConfirmed } = admitted;
  await lockPerson(ctx.sql, personId);
  const memberships = await listMemberships(ctx.sql, personId);
  const isLinked = await recordUse(ctx.sql, identityId, email, ctx.clock.now());
  if (!isLinked || memberships.length === 0) throw notAMember();
  const signedIn = await finishSignIn(ctx, personId, memberships, client, { identityId, isConfirmed });
  const user = joined && (await findUser(ctx.sql, joined.account_id, joined.id));
  return answerSignIn(ctx, { ...signedIn, ...(user && { user }) });
}

/**
 * A provider that remembers somebody lets them in without a question, so a sign-in says nothing of who sits there now. It does where the
 * provider was asked to ask; the browser carried that, and may have changed it, so the time in the token counts where there is one.
 */
function isProvenAnew({ is_anew: isAnew, begun_at: begunAt }: BegunSignIn, provenAt: Date | null): boolean {
  return isAnew && (provenAt === null || provenAt.getTime() >= begunAt.getTime() - TOLERANCE_S * 1_000);
}

function requireProvider({ provider }: Sso): Provider {
  if (!provider) throw new AppError(ssoOff, "this service has no single sign-on; sign in with a password");
  return provider;
}

async function countStart(secrets: Secrets, ctx: ActCtx, ip: string): Promise<void> {
  const now = ctx.clock.now();
  const key = secrets.mac("guess", "sso", networkOf(ip));
  const until = await countAttempt(ctx.sql, [{ key, free: FREE, leakPerSecond: FREE / FORGOTTEN_S }], now);
  if (!until) return;
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
  throw new AppError(tooManyAttempts, `too many sign-ins were begun; try again in ${seconds} s`, {
    headers: { "retry-after": String(seconds) },
  });
}

/** Only an invitation is accepted by single sign-on: a link that sets a password is for a password. */
async function openInvitation(signIn: SignInTools, ctx: ActCtx, token: string) {
  const { link, user } = await openLink(signIn, ctx, token);
  if (!user || user.joined_at !== null) throw unknownInvitation();
  return { account_id: link.account_id, id: link.id };
}

/** What went wrong stands in the operator's log; whoever signs in is told as much as they can do something about. */
function giveUp(
  ctx: ActCtx,
  { kind, why }: { readonly kind: "away" | "refused"; readonly why: string },
): AppError {
  if (kind === "away") {
    ctx.log.warn({ why }, "the provider of single sign-on gives no answer");
    return new AppError(ssoUnavailable, "the provider of single sign-on gives no answer; try again later");
  }
  ctx.log.warn({ why }, "an answer of single sign-on was refused");
  return new AppError(ssoRefused, "the provider's answer was refused; begin again");
}

function turnAway(ctx: ActCtx, { kind, why }: NotAdmitted): AppError {
  ctx.log.info({ why }, "single sign-on let nobody in");
  if (kind === "link_unknown") return unknownInvitation();
  if (kind === "wrong_person")
    return new AppError(wrongPerson, "the invitation is for somebody else than you");
  return notAMember();
}

function unknownInvitation(): AppError {
  return new AppError(linkUnknown, "this invitation is mistyped, was used or has expired; ask for a new one");
}

function notAMember(): AppError {
  return new AppError(ssoNotAMember, "you belong to no account here; ask somebody to invite you");
}

function expired(): AppError {
  return new AppError(ssoExpired, "this sign-in has ended, or was begun in another browser; begin again");
}
