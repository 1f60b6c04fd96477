/** The routes by which somebody proves a second factor at a sign-in, and later proves again that it is them. */
import type { ActCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { type Route, writeRoute } from "../../platform/http/route.ts";
import { invalid } from "../../platform/problems.ts";
import { hasFactor, MOST_ATTEMPTS, takePending } from "../factors/factors.ts";
import { findPerson, lockPerson } from "../people/people.ts";
import {
  insecureAddress,
  linkUnknown,
  linkUsed,
  noSession,
  originMismatch,
  passkeysUnavailable,
  passwordSignInOff,
  refusePasswords,
  signInBusy,
  signInExpired,
  tooManyAttempts,
  userExists,
  wrongFactor,
} from "../problems.ts";
import {
  answerPresent,
  answerSignIn,
  confirmSession,
  finishSignIn,
  isPasswordOf,
  presentSession,
  redeemPendingLink,
  refuseForeignOrigin,
  refuseInsecureAddress,
  type SessionRow,
  type SignInTools,
  wrongPassword,
} from "../sessions/sessions.ts";
import { Session } from "../users/schema.ts";
import { listMemberships } from "../users/users.ts";
import { boundTo } from "./passkey-use.ts";
import {
  checkProof,
  countAttempt,
  expired,
  type Given,
  type Proof,
  readProof,
  requireProof,
  takeProof,
  wrong,
} from "./proofs.ts";
import { noteRefusedFactor } from "./refused-factors.ts";
import { Confirmation, MOST_PASSKEY_BYTES, SecondFactor } from "./schema.ts";
import type { SecurityTools } from "./security.ts";

const tag = "Session";

export function confirmRoutes(tools: SecurityTools): readonly Route[] {
  const { secrets, factorThrottle: throttle } = tools;
  return [
    writeRoute({
      method: "POST",
      path: "/v1/session/second_factor",
      scope: null,
      audit: { action: "session.opened", of: "people" },
      tag,
      summary: "Sign in with a second factor",
      description:
        "Takes the token of an answer 202, and a code of an authenticator app, a recovery code or a passkey. After five wrong ones, or ten minutes, " +
        "the token is worth nothing, and one begins with the password again. Where the answer 202 came from a link that lets into an account, one joins " +
        "now, and the link is used up.",
      body: SecondFactor,
      mostBodyBytes: MOST_PASSKEY_BYTES,
      success: { status: 201, schema: Session, description: "The session; the token is used up." },
      problems: [
        wrongFactor,
        signInExpired,
        passkeysUnavailable,
        passwordSignInOff,
        linkUnknown,
        linkUsed,
        userExists,
        tooManyAttempts,
        insecureAddress,
        originMismatch,
      ],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        const given = requireProof(body);
        const pending = await countAttempt(ctx, body.token);
        if (!pending.of_operator) refusePasswords(tools.signIn.takesPasswords);
        const { person_id: personId, token_hash: hash } = pending;
        const wanted = { purpose: "second_factor", personId, boundTo: hash } as const;
        const proof = await checkProof(ctx, { secrets, throttle, baseUrl, ip: client.ip, wanted }, given);
        if (proof) return { proof, pending };
        const isLast = pending.attempts >= MOST_ATTEMPTS;
        await noteRefusedFactor(ctx, personId, client, { is_confirmation: false, is_last: isLast });
        throw wrong(pending);
      },
      async handler({ ctx, client }, { proof, pending }) {
        const { person_id: personId } = pending;
        // Whoever changes factors or a password locks the person first, too, so that the two never wait for each other.
        await lockPerson(ctx.sql, personId);
        if (!(await takeProof(ctx, { secrets, throttle, ip: client.ip }, personId, proof)))
          throw wrong(pending);
        if (!(await takePending(ctx.sql, pending))) throw expired();
        const user = await redeemPendingLink(tools.signIn, ctx, pending, client);
        const memberships = await listMemberships(ctx.sql, personId);
        if (memberships.length === 0) throw expired();
        const signedIn = await finishSignIn(ctx, personId, memberships, client, {
          ofOperator: pending.of_operator,
        });
        const { created_at: at } = signedIn.session;
        return answerSignIn(ctx, { ...signedIn, ...(user && { user: { ...user, last_signed_in_at: at } }) });
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/session/confirm",
      scope: "account:read",
      audit: { action: "session.confirmed", of: "people" },
      isPersonal: true,
      tag,
      summary: "Confirm that it is you",
      description:
        "Takes the password, a code of an authenticator app, a recovery code or a passkey; of whoever has a second factor that factor or a recovery " +
        "code, since the password alone proves too little. For 15 minutes nothing asks for it again; the session " +
        "gets a new cookie. For people who are signed in; an API key has no session, and is never asked.",
      body: Confirmation,
      mostBodyBytes: MOST_PASSKEY_BYTES,
      success: { status: 200, schema: Session, description: "The session, under its new cookie." },
      problems: [
        noSession,
        wrongFactor,
        passkeysUnavailable,
        passwordSignInOff,
        tooManyAttempts,
        signInBusy,
        originMismatch,
      ],
      async act({ ctx, principal, body, client, baseUrl }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const given = readOneProof(body);
        if (!given) {
          refusePasswords(tools.signIn.takesPasswords);
          await refusePasswordAlone(ctx.sql, session.person_id);
          await checkPassword(tools.signIn, ctx, session, body.password ?? "", client.ip);
          return { session, proof: undefined };
        }
        const wanted = boundTo("confirm", session);
        const proof = await checkProof(ctx, { secrets, throttle, baseUrl, ip: client.ip, wanted }, given);
        if (proof) return { session, proof };
        await noteRefusedFactor(ctx, session.person_id, client, { is_confirmation: true, is_last: false });
        throw wrong();
      },
      async handler({ ctx, principal, client }, { session, proof }) {
        const taking = { secrets, throttle, ip: client.ip };
        // A factor may have been added while the password was checked. Whoever adds one locks the person first, too.
        await lockPerson(ctx.sql, session.person_id);
        if (!proof) await refusePasswordAlone(ctx.sql, session.person_id);
        if (proof && !(await takeProof(ctx, taking, session.person_id, proof))) throw wrong();
        const confirmed = await confirmSession(ctx, session);
        // Whoever confirms twice at once has the cookie of the other answer.
        const now = { ...session, confirmed_at: ctx.clock.now() };
        return answerPresent(ctx, principal, confirmed?.session ?? now, confirmed?.cookie);
      },
    }),
  ];
}

/** Returns undefined where a password was given in the place of any other proof. */
function readOneProof(given: Given & { readonly password?: string }): Proof | undefined {
  const proof = readProof(given);
  if ((proof === undefined) !== (given.password === undefined)) return proof;
  const detail = "give a password, a code, a recovery code or a passkey, and one of them alone";
  throw invalid({ pointer: "/password", code: proof ? "not_allowed" : "required", detail });
}

/** Whoever has a factor confirms with one: otherwise a stolen session and a password would be enough to remove it. */
async function refusePasswordAlone(db: Queryable, personId: string): Promise<void> {
  if (!(await hasFactor(db, personId))) return;
  const detail =
    "isn't enough for somebody who has a second factor; give a code, a recovery code or a passkey";
  throw invalid({ pointer: "/password", code: "second_factor_required", detail });
}

/** A password is slow to check, so it is checked outside the transaction, and counted as at a sign-in. */
async function checkPassword(
  signIn: SignInTools,
  ctx: ActCtx,
  session: SessionRow,
  password: string,
  ip: string,
): Promise<void> {
  const person = await findPerson(ctx.sql, session.person_id);
  if (!person || !(await isPasswordOf(signIn, ctx, person, password, ip))) throw wrongPassword("/password");
  await signIn.throttle.takeBack(ctx, { emailKey: person.email_key, ip });
}
