/** What people do for the safety of their own sign-in: second factors, recovery codes, and the proof that it is them. */
import type { TxCtx } from "../../platform/context.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { deleteCodes, deleteFactors, deletePendingOf, listFactors } from "../factors/factors.ts";
import { lockPerson } from "../people/people.ts";
import type { SignInThrottle, SignInTools } from "../sessions/sessions.ts";
import { recordFactorChange } from "./factor-events.ts";

export { refusedFactorJob } from "./refused-factors.ts";
export { refuseTwoFactorChange } from "./required-factors.ts";

export type SecurityTools = {
  readonly secrets: Secrets;
  readonly signIn: SignInTools;
  /** Counts attempts with second factors, apart from those with passwords. */
  readonly factorThrottle: SignInThrottle;
};

/**
 * Takes all factors from a person, who then signs in by the password alone. It is the operator's way to let somebody back in, and the
 * person is told by mail. Returns how many there were.
 */
export async function resetFactors(ctx: TxCtx, personId: string): Promise<number> {
  await lockPerson(ctx.sql, personId);
  const factors = await listFactors(ctx.sql, personId);
  await deleteFactors(ctx.sql, personId);
  await deleteCodes(ctx.sql, personId);
  await deletePendingOf(ctx.sql, personId);
  for (const { kind } of factors) await recordFactorChange(ctx, personId, "user.factor_removed", kind, true);
  return factors.length;
}
