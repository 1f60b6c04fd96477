/** The use of a passkey: its challenge is taken before anything is verified, so that an answer is judged once. */
import type { ActCtx, TxCtx } from "../../platform/context.ts";
import { AppError } from "../../platform/problems.ts";
import {
  askToUse,
  type ChallengeFor,
  challengeIn,
  credentialIn,
  type FactorRow,
  findPasskey,
  listFactors,
  type PasskeyResponse,
  type RelyingParty,
  relyingPartyOf,
  saveChallenge,
  takeChallenge,
  takeCount,
  verifyUse,
} from "../factors/factors.ts";
import { passkeysUnavailable } from "../problems.ts";
import type { SessionRow } from "../sessions/sessions.ts";

export function requireRelyingParty(baseUrl: string): RelyingParty {
  const rp = relyingPartyOf(baseUrl);
  if (rp) return rp;
  throw new AppError(
    passkeysUnavailable,
    `passkeys need a host name, and this service is known as ${baseUrl}; set BASE_URL to an address with one`,
  );
}

/** Binds a challenge to the session that it was asked for with. */
export function boundTo(purpose: "add" | "confirm", { id, person_id: personId }: SessionRow) {
  return { purpose, personId, boundTo: Buffer.from(id) } as const;
}

export type Asked = { readonly publicKey: Readonly<Record<string, unknown>>; readonly expiresAt: Date };

/** Asks for a passkey of the person, or of whoever has one where nobody is known yet. */
export async function askForPasskey(ctx: TxCtx, baseUrl: string, wanted: ChallengeFor): Promise<Asked> {
  const rp = requireRelyingParty(baseUrl);
  const factors = wanted.personId ? await listFactors(ctx.sql, wanted.personId) : [];
  const { challenge, publicKey } = await askToUse(
    rp,
    factors.filter(({ kind }) => kind === "passkey"),
  );
  return { publicKey, expiresAt: await saveChallenge(ctx.sql, challenge, wanted, ctx.clock.now()) };
}

export type UsedPasskey = { readonly factor: FactorRow; readonly counter: number };

/** Verifies an answer; undefined where it isn't good, or the passkey isn't that person's. */
export async function checkPasskey(
  ctx: ActCtx,
  baseUrl: string,
  response: PasskeyResponse,
  wanted: ChallengeFor,
): Promise<UsedPasskey | undefined> {
  const rp = requireRelyingParty(baseUrl);
  const challenge = challengeIn(response);
  const credentialId = credentialIn(response);
  if (!challenge || !credentialId) return undefined;
  if (!(await takeChallenge(ctx.sql, challenge, wanted, ctx.clock.now()))) return undefined;
  const factor = await findPasskey(ctx.sql, credentialId);
  if (!factor || (wanted.personId !== null && factor.person_id !== wanted.personId)) return undefined;
  const counter = await verifyUse(rp, response, challenge, factor);
  return counter === undefined ? undefined : { factor, counter };
}

/** Records the use. Of two that come with the same count at once, one gets true. */
export function takePasskey(ctx: TxCtx, { factor, counter }: UsedPasskey): Promise<boolean> {
  return takeCount(ctx.sql, factor, counter, ctx.clock.now());
}
