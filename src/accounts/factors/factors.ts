/** Second factors of people: authenticator apps, passkeys and recovery codes, and what a sign-in owes between password and factor. */
import type { Queryable } from "../../platform/db/db.ts";
import { type FactorKind, listFactors } from "./factor-store.ts";

export { beginApp, isAppCode, takeAppCode, takeCodeOf } from "./apps.ts";
export {
  type ChallengeFor,
  saveChallenge,
  takeChallenge,
} from "./challenges.ts";
export {
  deleteFactor,
  deleteFactors,
  type FactorKind,
  type FactorRow,
  findFactor,
  findPasskey,
  hasFactor,
  insertFactor as addFactor,
  listFactors,
  renameFactor,
  takeCount,
} from "./factor-store.ts";
export {
  askToAdd,
  askToUse,
  challengeIn,
  credentialIn,
  type PasskeyResponse,
  type RelyingParty,
  relyingPartyOf,
  verifyAdded,
  verifyUse,
} from "./passkeys.ts";
export {
  countPending,
  deletePendingOf,
  findPending,
  type MadePending,
  MOST_ATTEMPTS,
  openPending,
  type PendingSignIn,
  takePending,
} from "./pending-sign-ins.ts";
export { countCodes, deleteCodes, isCode, replaceCodes, takeCode } from "./recovery-codes.ts";
export { resealFactors } from "./reseal.ts";
export { toBase32, totpUri } from "./totp.ts";

/** The kinds of factors that a person has in use; none where the password is enough. */
export async function kindsOfFactors(db: Queryable, personId: string): Promise<readonly FactorKind[]> {
  const factors = await listFactors(db, personId);
  return [...new Set(factors.map(({ kind }) => kind))];
}
