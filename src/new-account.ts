import { createApiKey } from "./accounts/accounts.ts";
import { giveDefaultPlan } from "./billing/billing.ts";
import type { TxCtx } from "./platform/context.ts";
import { toPublicId } from "./platform/ids.ts";
import { createFirstList } from "./subscribers/subscribers.ts";

/** A new account gets a key and a list, so that a client can begin at once, and the plan that accounts get by themselves. */
export async function furnishAccount(ctx: TxCtx): Promise<{ key: string; listId: string }> {
  const { key } = await createApiKey(ctx, {
    name: "First key",
    scopes: ["full"],
    expiresAt: null,
    unlimited: false,
  });
  const list = await createFirstList(ctx);
  await giveDefaultPlan(ctx);
  return { key, listId: toPublicId("lst", list.id) };
}
