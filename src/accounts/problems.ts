import { AppError, defineProblem, type Problem } from "../platform/problems.ts";

export const wrongCredentials = defineProblem(
  401,
  "wrong_credentials",
  "Wrong e-mail address or password",
  "Nobody has this address and this password. The answer is the same whether or not the address is known.",
);
export const limitReached = defineProblem(
  402,
  "limit_reached",
  "Limit of the plan reached",
  "The account's plan allows no more of these: `what` says of which, `limit` how many, and `used` how many there are. Remove one, or take another plan.",
);
export const featureNotIncluded = defineProblem(
  402,
  "feature_not_included",
  "Feature not included",
  "The account's plan doesn't include this: `feature` says what. What was set up before goes on; nothing new is made or started. Take another plan, or ask the operator of this service.",
);
export const tooManyAttempts = defineProblem(
  429,
  "too_many_attempts",
  "Too many attempts",
  "There were too many failed attempts for this address or from this network. `Retry-After` says how many seconds to wait.",
);
export const signInBusy = defineProblem(
  503,
  "sign_in_busy",
  "Sign-in is busy",
  "Too many passwords are being checked at this moment. Try again in a few seconds.",
);
export const insecureAddress = defineProblem(
  400,
  "insecure_address",
  "Insecure address",
  "Sessions need https, or the machine itself (`http://127.0.0.1`). Behind a proxy that speaks https, set `TRUST_PROXY`.",
);
export const originMismatch = defineProblem(
  403,
  "origin_mismatch",
  "Wrong origin",
  "A change by a session must come from our own pages: its `Origin` header must name the address it is sent to.",
);
export const noSession = defineProblem(
  404,
  "no_session",
  "No session",
  "The request came with an API key, and a key has no session. Sign in with POST `/v1/session`.",
);
export const linkUnknown = defineProblem(
  404,
  "link_unknown",
  "Unknown link",
  "The link is mistyped, has expired, or was replaced by a newer one. Ask for a new one.",
);
export const linkUsed = defineProblem(
  409,
  "link_used",
  "Link used",
  "The link was used already; each is good for one use. Sign in, or ask for a new one.",
);
export const userExists = defineProblem(
  409,
  "user_exists",
  "User exists",
  "Somebody with this e-mail address belongs to the account already, or is invited: DELETE revokes an invitation, and `resend` sends it again. By the link of a sign-up: somebody signs in with the address since it was mailed; sign in.",
);
export const wrongPerson = defineProblem(
  409,
  "wrong_person",
  "Signed in as somebody else",
  "The link is for somebody else than the person who is signed in here. Sign out first, or open the link in another browser.",
);
export const addressTaken = defineProblem(
  409,
  "address_taken",
  "Address taken",
  "Somebody else has this e-mail address, or was invited by it, since the link was mailed. Ask for another one.",
);
export const proofUnavailable = defineProblem(
  409,
  "proof_unavailable",
  "Address can't be proven",
  "A new address is proven by a link that the service mails by its own server, and it has none, or no sender. Set `SMTP_URL` and `SYSTEM_FROM`.",
);
export const personElsewhere = defineProblem(
  409,
  "person_elsewhere",
  "Belongs to another account",
  "The user belongs to another account too, or comes by single sign-on, so nobody of this one may set their password. They ask for a new one themselves, with POST `/v1/password_resets`.",
);
export const wrongFactor = defineProblem(
  401,
  "wrong_second_factor",
  "Wrong second factor",
  "The code is wrong, or was used already: each is good once. `attempts_left` says how many more are taken before one begins with the password again.",
);
export const signInExpired = defineProblem(
  401,
  "sign_in_expired",
  "Sign-in expired",
  "The token is unknown, was used, is older than ten minutes, or got five wrong codes. Sign in with POST `/v1/session` again.",
);
export const factorActive = defineProblem(
  409,
  "factor_active",
  "Factor in use",
  "This authenticator app was activated already. Set up another one to replace it.",
);
export const tooManyFactors = defineProblem(
  409,
  "too_many_factors",
  "Too many factors",
  "A person has 20 second factors at most. Remove one first.",
);
export const noFactor = defineProblem(
  409,
  "no_second_factor",
  "No second factor",
  "There is no authenticator app and no passkey yet. Set one up first.",
);
export const factorKnown = defineProblem(
  409,
  "factor_known",
  "Factor known",
  "This passkey was added already, by you or by somebody else. Use another device, or sign in with it.",
);
export const passkeysUnavailable = defineProblem(
  409,
  "passkeys_unavailable",
  "Passkeys unavailable",
  "A passkey is made for a host name, and this service is reached by an IP address. Set `BASE_URL` to an address with a host name, and open the dashboard there.",
);
export const networkNotAllowed = defineProblem(
  403,
  "network_not_allowed",
  "Network not allowed",
  "The key is good, but may only be used from the networks in its `allowed_networks`, and the request came from another.",
);
export const accountRequired = defineProblem(
  400,
  "account_required",
  "Account required",
  "Whoever belongs to several accounts says by which one a request is meant: once, as `Postrider-Account: acc_…`, or as `?account=` on a GET. GET `/v1/session` lists them.",
);
export const accountUnknown = defineProblem(
  404,
  "account_unknown",
  "Unknown account",
  "There is no such account, or you don't belong to it. GET `/v1/session` without the header lists those you belong to.",
);
export const twoFactorRequired = defineProblem(
  403,
  "two_factor_required",
  "Second factor required",
  "This account wants its people to have a second factor, and you have none yet. Add an authenticator app or a passkey under `/v1/factors`; that, and signing out, works without one.",
);
export const accountSuspended = defineProblem(
  403,
  "account_suspended",
  "Account suspended",
  "The operator of this service has suspended the account: it is read and exported as before, but nothing is changed and nothing is sent. GET `/v1/account` says why, in `holds`.",
);
export const deletionPending = defineProblem(
  403,
  "deletion_pending",
  "Deletion pending",
  "An owner has asked for the deletion of this account: until then it is read and exported, but nothing is changed and nothing is sent. Taking the deletion back ends that.",
);
export const sendingStopped = defineProblem(
  409,
  "sending_stopped",
  "Sending stopped",
  "No mail may leave in the name of this account at present, so nothing is launched. GET `/v1/account` says why, in `holds`; what was under way goes on by itself once that is over.",
);
export const dailyLimitReached = defineProblem(
  409,
  "daily_limit_reached",
  "Daily limit reached",
  "A new account may send a number of mails a day, which grows, and tests count too. Campaigns and other mail wait by themselves for the next day, which begins at `until`.",
);
export const operatorVisit = defineProblem(
  409,
  "operator_visit",
  "An operator looks in",
  "This user is an operator of the service, who looks into the account as a viewer until `visit_until`. They can be removed before that, and not changed.",
);
export const passwordSignInOff = defineProblem(
  403,
  "password_sign_in_off",
  "Passwords are off",
  "This service takes no passwords and no passkeys: people come by single sign-on (`PASSWORD_SIGN_IN=off`). Where that fails, its operator makes a link: `npm run postrider -- users reset`.",
);
export const signUpClosed = defineProblem(
  403,
  "sign_up_closed",
  "Sign-up is closed",
  "Nobody opens an account of their own at this service (`SIGN_UP` isn't `open`). Its operator opens accounts, and whoever belongs to one may invite you to it.",
);
export const ssoOff = defineProblem(
  409,
  "sso_off",
  "No single sign-on",
  "This service has no provider of single sign-on. Its operator sets one by `OIDC_ISSUER` and `OIDC_CLIENT_ID`.",
);
export const ssoUnavailable = defineProblem(
  503,
  "sso_unavailable",
  "Provider unavailable",
  "The provider of single sign-on gave no answer, or not in time. Try again later; `npm run postrider -- doctor` tells the operator more.",
);
export const ssoExpired = defineProblem(
  400,
  "sso_expired",
  "Sign-in expired",
  "The sign-in is unknown, was used, is older than ten minutes, or was begun in another browser. Begin again.",
);
export const ssoRefused = defineProblem(
  403,
  "sso_refused",
  "Answer refused",
  "What the provider answered doesn't prove who somebody is, or it let nobody in. Begin again; the service's log tells the operator why.",
);
export const ssoNotAMember = defineProblem(
  403,
  "sso_not_a_member",
  "No account here",
  "The provider knows you, and you belong to no account here. Ask somebody to invite you; your provider must say that your e-mail address is verified, or list you in a group that belongs to an account.",
);
export const lastOwner = defineProblem(
  409,
  "last_owner",
  "Last owner",
  "An account always keeps an owner who can sign in. Make another user an owner first.",
);

/** Every wrong credential gets the same sentence, so that nothing tells a known address from an unknown one. */
export function refuseCredentials(): AppError {
  return new AppError(wrongCredentials, "the e-mail address or the password is wrong", {
    headers: { "www-authenticate": 'Bearer realm="postrider"' },
  });
}

export function refusePasswords(takesPasswords: boolean): void {
  if (takesPasswords) return;
  throw new AppError(
    passwordSignInOff,
    "people sign in here by single sign-on; passwords and passkeys are switched off",
  );
}

/** A caller may be refused with these before its request comes to a route. */
export const sessionProblems: readonly Problem[] = [
  accountRequired,
  accountUnknown,
  twoFactorRequired,
  accountSuspended,
  deletionPending,
];
