/** The routes by which a stranger opens an account. */
import { CHANGES_NOTHING } from "../../platform/http/audit.ts";
import { type Route, writeRoute } from "../../platform/http/route.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { emailFaults, refuseBadEmail } from "../people/people.ts";
import {
  insecureAddress,
  linkUnknown,
  linkUsed,
  originMismatch,
  signInBusy,
  signUpClosed,
  tooManyAttempts,
  userExists,
  wrongPerson,
} from "../problems.ts";
import {
  answerSignIn,
  countLinkRequest,
  refuseForeignOrigin,
  refuseInsecureAddress,
  type SignInTools,
} from "../sessions/sessions.ts";
import { Session } from "../users/schema.ts";
import { SignUp, SignUpCreate, SignUpInspection, SignUpLink, SignUpRedemption } from "./schema.ts";
import {
  checkSignUp,
  type Furnish,
  openSignUp,
  redeemSignUp,
  requestSignUp,
  type SignUpRow,
} from "./sign-ups.ts";

export type SignUpOptions = {
  readonly secrets: Secrets;
  /** SIGN_UP; where it is open, the start has seen to it that links can be mailed and passwords are taken. */
  readonly signUp: "closed" | "invite" | "open";
  readonly furnish: Furnish;
};

const common = { method: "POST", scope: null, tag: "Session" } as const;

export function signUpRoutes(
  { secrets, signUp, furnish }: SignUpOptions,
  tools: SignInTools,
): readonly Route[] {
  const refuseClosed = () => {
    if (signUp === "open") return;
    const why = "nobody opens an account of their own here";
    throw new AppError(signUpClosed, `${why}; ask whoever runs this service, or to be invited to an account`);
  };
  return [
    writeRoute({
      ...common,
      path: "/v1/sign_ups",
      hidesTime: true,
      audit: { none: "it changes nothing until the link is redeemed, and anybody may ask" },
      summary: "Ask for an account of one's own",
      description:
        "Where `SIGN_UP` is `open`. Mails a link by which the account is opened, good once and for 24 hours. The answer is the same for every address: " +
        "whoever signs in with it already is told so by mail, and gets no link. At most 3 mails an hour go to an address.",
      body: SignUpCreate,
      alsoFaults: emailFaults,
      success: { status: 202, schema: SignUp, description: "A mail is on its way." },
      problems: [signUpClosed, tooManyAttempts, originMismatch],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseClosed();
        refuseBadEmail(body.email);
        await countLinkRequest(secrets, ctx, "sign-up", client.ip);
      },
      async handler({ ctx, body }) {
        await requestSignUp(secrets, ctx, body);
        return { status: 202, body: { object: "sign_up" as const } };
      },
    }),
    writeRoute({
      ...common,
      path: "/v1/sign_ups/inspect",
      audit: CHANGES_NOTHING,
      summary: "See what a sign-up's link is for",
      description: "Changes nothing; a POST, so that the token stands in no address and no log.",
      body: SignUpInspection,
      success: { status: 200, schema: SignUpLink, description: "Whose account it opens." },
      problems: [signUpClosed, linkUnknown, linkUsed],
      async handler({ ctx, body }) {
        refuseClosed();
        return { status: 200, body: shape(await openSignUp(ctx, body.token)) };
      },
    }),
    writeRoute({
      ...common,
      path: "/v1/sign_ups/redeem",
      audit: { action: "account.created", of: "people" },
      summary: "Open the account by the link, and sign in",
      description:
        "Makes the account with a list, and its owner with this password; no API key is made. Other links for the same address end. The account is on " +
        "probation, as every new one is where there are others.",
      body: SignUpRedemption,
      success: { status: 201, schema: Session, description: "The session; the link is used up." },
      problems: [
        signUpClosed,
        linkUnknown,
        linkUsed,
        userExists,
        wrongPerson,
        signInBusy,
        insecureAddress,
        originMismatch,
      ],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        refuseClosed();
        return checkSignUp(tools, ctx, body, client);
      },
      async handler({ ctx, body, client }, checked) {
        return answerSignIn(ctx, await redeemSignUp(ctx, furnish, checked, body.name, client));
      },
    }),
  ];
}

function shape({ email, account_name, name, expires_at }: SignUpRow): SignUpLink {
  return { object: "sign_up_link", email, account_name, name, expires_at: expires_at.toISOString() };
}
