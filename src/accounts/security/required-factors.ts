/** An account may want its people to have second factors. Who is kept out by it is found with each session (`sessions/session-store.ts`). */
import type { TxCtx } from "../../platform/context.ts";
import { refuseUnconfirmed } from "../../platform/http/access-control.ts";
import type { Principal } from "../../platform/http/route.ts";
import { requireId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import { lockAccount } from "../account-store.ts";
import { hasFactor } from "../factors/factors.ts";
import { noFactor, noSession } from "../problems.ts";
import { isBySso } from "../sessions/sessions.ts";
import { findUser } from "../users/users.ts";

/**
 * Refuses a change of it to programs, and to whoever hasn't confirmed that it is them; and nobody keeps others out by what they haven't got
 * themselves. To send what it is already changes nothing, and is refused to nobody.
 */
export async function refuseTwoFactorChange(
  ctx: TxCtx,
  principal: Principal,
  isRequired: boolean,
): Promise<void> {
  const account = await lockAccount(ctx.sql, ctx.accountId);
  if (account.require_two_factor === isRequired) return;
  if (!principal.sessionId || principal.actor.id === null) {
    throw new AppError(
      noSession,
      "whether a second factor is required is changed by people, not by an API key",
    );
  }
  refuseUnconfirmed(principal, ctx.clock.now());
  if (!isRequired || (await isBySso(ctx.sql, principal.sessionId))) return;
  const user = await findUser(ctx.sql, ctx.accountId, requireId("usr", principal.actor.id, "user"));
  if (user && (await hasFactor(ctx.sql, user.person_id))) return;
  throw new AppError(noFactor, "add a second factor of your own first; without one you would be kept out");
}
