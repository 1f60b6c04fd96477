/**
 * Proof of work: whoever has a script spends a second of a processor before the form takes what they send, so that a flood of
 * sign-ups costs its sender something. Challenge and check are ALTCHA's; nothing is asked of another server.
 */
import { hash } from "node:crypto";
import { type Challenge, createChallenge, type Payload, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { useProof } from "./store.ts";

/** One of 256 keys begins with this byte; that many take a core of a small server about a second. */
const KEY_PREFIX = "00";
const ALGORITHM = "PBKDF2/SHA-256";
const COST = 5_000;
/** People fill in a form for minutes; a stock of solved challenges is worth nothing after it. */
const GOOD_FOR_MS = 30 * 60_000;
const MOST_CHARACTERS = 2_000;

type Proofs = {
  /** Costs us a MAC and nothing else, so that asking for many hurts nobody. */
  challenge(formId: string): Promise<Challenge>;
  /** True once for each solution, whichever process is asked. */
  accept(accountId: string, formId: string, text: string): Promise<boolean>;
};

export function createProofs({ db, clock, secrets }: { db: Db; clock: Clock; secrets: Secrets }): Proofs {
  // With several SECRET_KEYs the first one signs, and what another has signed is still good.
  const keys = secrets.macs("form-proof", "altcha").map((mac) => mac.toString("hex"));
  return {
    challenge: (formId) =>
      createChallenge({
        algorithm: ALGORITHM,
        cost: COST,
        keyPrefix: KEY_PREFIX,
        deriveKey,
        data: { form: formId },
        expiresAt: new Date(clock.now().getTime() + GOOD_FOR_MS),
        hmacSignatureSecret: keys[0] ?? "",
      }),
    async accept(accountId, formId, text) {
      const payload = readPayload(text);
      if (!payload) return false;
      const { parameters, signature } = payload.challenge;
      const expiresAt = new Date((parameters.expiresAt ?? 0) * 1_000);
      // The library asks the machine's clock; ours may be a test's, and both must agree.
      if (parameters.data?.["form"] !== formId || expiresAt <= clock.now()) return false;
      if (
        parameters.cost !== COST ||
        parameters.algorithm !== ALGORITHM ||
        parameters.keyPrefix !== KEY_PREFIX
      )
        return false;
      const checks = await Promise.all(
        keys.map((key) =>
          verifySolution({ ...payload, deriveKey, hmacSignatureSecret: key }).catch(() => undefined),
        ),
      );
      if (!checks.some((check) => check?.verified)) return false;
      return useProof(db, { accountId, digest: hash("sha256", signature ?? "", "buffer"), expiresAt });
    },
  };
}

/** As ALTCHA's own widget sends it: base64 of `{challenge, solution}`. */
function readPayload(text: string): Payload | undefined {
  if (text === "" || text.length > MOST_CHARACTERS) return undefined;
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(text, "base64").toString("utf8"));
    const isWhole =
      typeof challenge?.parameters === "object" &&
      challenge.parameters !== null &&
      typeof challenge.signature === "string" &&
      Number.isInteger(solution?.counter) &&
      typeof solution.derivedKey === "string";
    return isWhole ? { challenge, solution } : undefined;
  } catch {
    return undefined;
  }
}
