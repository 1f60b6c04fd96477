/** The routes by which a browser is asked for passkeys, adds them, and signs in by one alone. */
import { isUniqueViolation } from "../../platform/db/errors.ts";
import type { AuditDeclaration } from "../../platform/http/audit.ts";
import { type Client, type Route, writeRoute } from "../../platform/http/route.ts";
import { newId } from "../../platform/ids.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import {
  addFactor,
  askToAdd,
  type ChallengeFor,
  challengeIn,
  credentialIn,
  type FactorRow,
  findPending,
  type PasskeyResponse,
  saveChallenge,
  takeChallenge,
  verifyAdded,
} from "../factors/factors.ts";
import { findPerson, lockPerson } from "../people/people.ts";
import {
  factorKnown,
  insecureAddress,
  noSession,
  originMismatch,
  passkeysUnavailable,
  passwordSignInOff,
  refusePasswords,
  signInExpired,
  tooManyAttempts,
  tooManyFactors,
  wrongFactor,
} from "../problems.ts";
import {
  answerSignIn,
  findPeopleOf,
  finishSignIn,
  presentSession,
  refuseForeignOrigin,
  refuseInsecureAddress,
} from "../sessions/sessions.ts";
import { Session } from "../users/schema.ts";
import { listMemberships } from "../users/users.ts";
import { shapeAdded } from "./factor-shape.ts";
import { finishAdding, refuseTooMany } from "./own-factors.ts";
import {
  type Asked,
  askForPasskey,
  boundTo,
  checkPasskey,
  requireRelyingParty,
  takePasskey,
} from "./passkey-use.ts";
import { expired, wrong } from "./proofs.ts";
import {
  AddedFactor,
  MOST_PASSKEY_BYTES,
  PasskeyCreate,
  PasskeyOptions,
  PasskeyOptionsWanted,
  PasskeySignIn,
} from "./schema.ts";
import type { SecurityTools } from "./security.ts";

const own = { scope: "account:read", isPersonal: true, tag: "Second factors" } as const;
const open = { scope: null, tag: "Session" } as const;
const ONLY_PEOPLE = "For people who are signed in; an API key has no session.";
const ASKED = {
  status: 201,
  schema: PasskeyOptions,
  description: "What `navigator.credentials` is called with. Good once, for five minutes.",
};
const BY_STRANGER: ChallengeFor = { purpose: "sign_in", personId: null, boundTo: null };

export function passkeyRoutes(tools: SecurityTools): readonly Route[] {
  return [...signInRoutes(tools), ...addingRoutes()];
}

const ASKS: AuditDeclaration = { none: "it asks a question, and what follows from the answer is recorded" };

function signInRoutes({ signIn, factorThrottle: throttle }: SecurityTools): readonly Route[] {
  return [
    writeRoute({
      ...open,
      method: "POST",
      path: "/v1/session/passkey_options",
      audit: ASKS,
      summary: "Ask for a passkey to sign in",
      description:
        "With the token of an answer 202 a passkey of that person is asked for, for `/v1/session/second_factor`; without one any, for " +
        "`/v1/session/passkey`.",
      body: PasskeyOptionsWanted,
      success: ASKED,
      problems: [signInExpired, passkeysUnavailable, originMismatch],
      async handler({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        if (body.token === undefined) return answerAsked(await askForPasskey(ctx, baseUrl, BY_STRANGER));
        const pending = await findPending(ctx.sql, body.token, ctx.clock.now());
        if (!pending) throw expired();
        const { person_id: personId, token_hash: hash } = pending;
        const wanted: ChallengeFor = { purpose: "second_factor", personId, boundTo: hash };
        return answerAsked(await askForPasskey(ctx, baseUrl, wanted));
      },
    }),
    writeRoute({
      ...open,
      method: "POST",
      path: "/v1/session/passkey",
      audit: { action: "session.opened", of: "people" },
      summary: "Sign in by a passkey alone",
      description:
        "Sets the session cookie. A passkey is something that one has, and its device has verified the person: no password is asked for.",
      body: PasskeySignIn,
      mostBodyBytes: MOST_PASSKEY_BYTES,
      success: { status: 201, schema: Session, description: "The session." },
      problems: [
        wrongFactor,
        tooManyAttempts,
        passkeysUnavailable,
        passwordSignInOff,
        insecureAddress,
        originMismatch,
      ],
      async act({ ctx, body, client, baseUrl }) {
        refuseForeignOrigin(client, baseUrl);
        refuseInsecureAddress(client);
        refusePasswords(signIn.takesPasswords);
        await throttle.count(ctx, attemptWith(body.passkey, client));
        const used = await checkPasskey(ctx, baseUrl, body.passkey, BY_STRANGER);
        if (!used) throw wrong();
        return used;
      },
      async handler({ ctx, body, client }, used) {
        const { person_id: personId } = used.factor;
        await lockPerson(ctx.sql, personId);
        const memberships = await listMemberships(ctx.sql, personId);
        if (memberships.length === 0 || !(await takePasskey(ctx, used))) throw wrong();
        await throttle.forgive(ctx, attemptWith(body.passkey, client));
        return answerSignIn(ctx, await finishSignIn(ctx, personId, memberships, client));
      },
    }),
  ];
}

/** Nobody is known yet, so attempts are counted by the passkey that is named, beside the network. */
function attemptWith(passkey: PasskeyResponse, { ip }: Client): { emailKey: string; ip: string } {
  return { emailKey: `passkey ${credentialIn(passkey)?.toString("hex") ?? ""}`, ip };
}

function addingRoutes(): readonly Route[] {
  return [
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/session/confirm/passkey_options",
      audit: ASKS,
      tag: "Session",
      summary: "Ask for a passkey to confirm with",
      description: `Its answer goes to \`/v1/session/confirm\`. ${ONLY_PEOPLE}`,
      success: ASKED,
      problems: [noSession, passkeysUnavailable, originMismatch],
      async handler({ ctx, principal, client, baseUrl }) {
        const session = await presentSession(ctx.sql, principal, client.cookies);
        return answerAsked(await askForPasskey(ctx, baseUrl, boundTo("confirm", session)));
      },
    }),
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/factors/passkey_options",
      audit: ASKS,
      needsConfirmation: true,
      summary: "Ask for a new passkey",
      description: `Its answer goes to \`/v1/factors/passkeys\`. ${ONLY_PEOPLE}`,
      success: ASKED,
      problems: [noSession, passkeysUnavailable, tooManyFactors, originMismatch],
      async handler({ ctx, principal, client, baseUrl }) {
        const rp = requireRelyingParty(baseUrl);
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const person = await findPerson(ctx.sql, session.person_id);
        if (!person) throw missing("person");
        const factors = await refuseTooMany(ctx, person.id);
        const { challenge, publicKey } = await askToAdd(
          rp,
          person,
          factors.filter(({ kind }) => kind === "passkey"),
        );
        const wanted = boundTo("add", session);
        const expiresAt = await saveChallenge(ctx.sql, challenge, wanted, ctx.clock.now());
        return answerAsked({ publicKey, expiresAt });
      },
    }),
    writeRoute({
      ...own,
      method: "POST",
      path: "/v1/factors/passkeys",
      audit: { action: "factor.added", of: "people" },
      needsConfirmation: true,
      summary: "Add a passkey",
      description: `From now on it signs in alone, and a password wants a factor beside it. With the first factor the person's other sessions end. ${ONLY_PEOPLE}`,
      body: PasskeyCreate,
      mostBodyBytes: MOST_PASSKEY_BYTES,
      shownOnce: ["recovery_codes"],
      success: { status: 201, schema: AddedFactor, description: "The passkey." },
      problems: [noSession, passkeysUnavailable, tooManyFactors, factorKnown, originMismatch],
      async act({ ctx, principal, client, body, baseUrl }) {
        const rp = requireRelyingParty(baseUrl);
        const session = await presentSession(ctx.sql, principal, client.cookies);
        const challenge = challengeIn(body.passkey);
        const wanted = boundTo("add", session);
        const isAsked = challenge && (await takeChallenge(ctx.sql, challenge, wanted, ctx.clock.now()));
        const verified = isAsked ? await verifyAdded(rp, body.passkey, challenge) : undefined;
        if (verified) return { verified, session };
        const detail = "isn't the answer to what was asked of this browser; ask again";
        throw invalid({ pointer: "/passkey", code: "wrong_passkey", detail });
      },
      async handler({ ctx, body }, { verified, session }) {
        const { person_id: personId } = session;
        const others = await refuseTooMany(ctx, personId);
        const now = ctx.clock.now();
        const factor: FactorRow = {
          person_id: personId,
          id: newId(ctx.clock),
          kind: "passkey",
          name: body.name ?? "Passkey",
          secret: null,
          ...verified,
          created_at: now,
          updated_at: now,
          last_used_at: null,
          activated_at: now,
        };
        await addFactor(ctx.sql, factor).catch((error) => {
          if (!isUniqueViolation(error, "factors_by_credential")) throw error;
          throw new AppError(factorKnown, "this passkey was added already");
        });
        const added = await finishAdding(ctx, session, factor, others);
        return { status: 201, body: shapeAdded(added), people: await findPeopleOf(ctx.sql, personId) };
      },
    }),
  ];
}

function answerAsked({ publicKey, expiresAt }: Asked) {
  const body = {
    object: "passkey_options" as const,
    public_key: publicKey,
    expires_at: expiresAt.toISOString(),
  };
  return { status: 201, body };
}
