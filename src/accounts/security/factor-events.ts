import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { FactorKind } from "../factors/factors.ts";
import { asUser } from "../sessions/sessions.ts";
import { listMemberships } from "../users/users.ts";

/**
 * Each account of the person has it in its log, and tells the person: one of them alone might keep its mail back. The person acts,
 * unless the operator does.
 */
export async function recordFactorChange(
  ctx: TxCtx,
  personId: string,
  type: "user.factor_added" | "user.factor_removed",
  factor: FactorKind,
  isOperator = false,
): Promise<void> {
  for (const user of await listMemberships(ctx.sql, personId)) {
    const own = isOperator ? { ...ctx, accountId: user.account_id } : asUser(ctx, user);
    await recordEvent(own, {
      type,
      data: { user_id: toPublicId("usr", user.id), factor },
      isNoticed: true,
    });
  }
}

/** A recovery code is used by whoever has lost their factor, or by somebody who has found the codes: each account tells the person. */
export async function recordCodeUse(ctx: TxCtx, personId: string): Promise<void> {
  for (const user of await listMemberships(ctx.sql, personId)) {
    await recordEvent(asUser(ctx, user), {
      type: "user.recovery_code_used",
      data: { user_id: toPublicId("usr", user.id) },
      isNoticed: true,
    });
  }
}
