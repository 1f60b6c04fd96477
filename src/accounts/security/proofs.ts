/** What proves a second factor. Every attempt is counted before it is judged, so that many at once get no further than few. */
import type { ActCtx, TxCtx } from "../../platform/context.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import {
  type ChallengeFor,
  countPending,
  isAppCode,
  isCode,
  MOST_ATTEMPTS,
  type PasskeyResponse,
  type PendingSignIn,
  takeAppCode,
  takeCode,
} from "../factors/factors.ts";
import { signInExpired, wrongFactor } from "../problems.ts";
import type { SignInThrottle } from "../sessions/sessions.ts";
import { recordCodeUse } from "./factor-events.ts";
import { checkPasskey, takePasskey, type UsedPasskey } from "./passkey-use.ts";

export type Proof =
  | { readonly kind: "code" | "recovery_code"; readonly text: string }
  | { readonly kind: "passkey"; readonly response: PasskeyResponse };
/** A passkey is verified before the transaction; what was typed is judged before it and again in it, where it is taken. */
export type CheckedProof = Exclude<Proof, { kind: "passkey" }> | ({ readonly kind: "used" } & UsedPasskey);

export type Given = {
  readonly code?: string;
  readonly recovery_code?: string;
  readonly passkey?: PasskeyResponse;
};

/** Returns the one proof that was given; undefined where there is none. Several are refused, since nobody could tell which was meant. */
export function readProof(given: Given): Proof | undefined {
  const { code, recovery_code: recoveryCode, passkey } = given;
  const proofs: Proof[] = [
    ...(code === undefined ? [] : [{ kind: "code", text: code } as const]),
    ...(recoveryCode === undefined ? [] : [{ kind: "recovery_code", text: recoveryCode } as const]),
    ...(passkey === undefined ? [] : [{ kind: "passkey", response: passkey } as const]),
  ];
  if (proofs.length > 1) throw invalid(oneOf("/recovery_code", "not_allowed", "give one proof, not several"));
  return proofs[0];
}

export function requireProof(given: Given): Proof {
  const proof = readProof(given);
  if (!proof) throw invalid(oneOf("/code", "required", "give a code, a recovery code or a passkey"));
  return proof;
}

const oneOf = (pointer: string, code: string, detail: string) => ({ pointer, code, detail });

/** Counts an attempt with the token of a sign-in. */
export async function countAttempt(ctx: ActCtx, token: string): Promise<PendingSignIn> {
  const pending = await countPending(ctx.sql, token, ctx.clock.now());
  if (!pending) throw expired();
  return pending;
}

export type Proving = {
  readonly secrets: Secrets;
  readonly throttle: SignInThrottle;
  readonly baseUrl: string;
  readonly ip: string;
  /** What a passkey must have been asked for. */
  readonly wanted: ChallengeFor & { readonly personId: string };
};

/**
 * Counts an attempt of this person's, whatever the token or the session: the password gets new ones. A passkey can't be guessed, but
 * each wrong one costs a verification and a line of the log. Returns undefined where it is wrong; what is right is taken later, in the transaction.
 */
export async function checkProof(
  ctx: ActCtx,
  { secrets, throttle, baseUrl, ip, wanted }: Proving,
  proof: Proof,
): Promise<CheckedProof | undefined> {
  const { personId } = wanted;
  await throttle.count(ctx, { emailKey: personId, ip });
  if (proof.kind === "passkey") {
    const used = await checkPasskey(ctx, baseUrl, proof.response, wanted);
    return used && { kind: "used", ...used };
  }
  const isRight =
    proof.kind === "code"
      ? await isAppCode(ctx.sql, secrets, personId, proof.text, ctx.clock.now())
      : await isCode(ctx.sql, personId, proof.text);
  return isRight ? proof : undefined;
}

export type Taking = { readonly secrets: Secrets; readonly throttle: SignInThrottle; readonly ip: string };

/** Takes the proof, which is then used up. Returns false where it is wrong. */
export async function takeProof(
  ctx: TxCtx,
  { secrets, throttle, ip }: Taking,
  personId: string,
  proof: CheckedProof,
): Promise<boolean> {
  if (!(await takeOne(ctx, secrets, personId, proof))) return false;
  await throttle.forgive(ctx, { emailKey: personId, ip });
  if (proof.kind === "recovery_code") await recordCodeUse(ctx, personId);
  return true;
}

function takeOne(ctx: TxCtx, secrets: Secrets, personId: string, proof: CheckedProof): Promise<boolean> {
  const now = ctx.clock.now();
  switch (proof.kind) {
    case "used":
      return takePasskey(ctx, proof);
    case "code":
      return takeAppCode(ctx.sql, secrets, personId, proof.text, now);
    case "recovery_code":
      return takeCode(ctx.sql, personId, proof.text, now);
  }
}

export function expired(): AppError {
  return new AppError(signInExpired, "this sign-in has ended; begin with the password again");
}

export function wrong(pending?: PendingSignIn): AppError {
  const left = pending && MOST_ATTEMPTS - pending.attempts;
  return new AppError(wrongFactor, "the code or the passkey is wrong, or was used already", {
    ...(left !== undefined && { members: { attempts_left: left } }),
  });
}
