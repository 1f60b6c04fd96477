import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { planArchived } from "../problems.ts";
import { PlanSubscription, PlanSubscriptionPut } from "./schema.ts";
import type { SubscriptionRow } from "./subscription-store.ts";
import {
  deleteSubscription,
  putSubscription,
  readSubscription,
  shapeSubscription,
  subscriptionEtag,
} from "./subscriptions.ts";

const path = "/v1/instance/accounts/:id/subscription";
const common = { path, ofInstance: true, scope: "operator", tag: "Plans" } as const;
const Params = Strict({ id: PublicId("acc") });
const accountOf = ({ id }: { readonly id: string }) => requireId("acc", id, "account");

export const subscriptionRoutes: readonly Route[] = [
  readRoute({
    ...common,
    summary: "Get an account's subscription",
    params: Params,
    success: { status: 200, schema: PlanSubscription, description: "The subscription that runs." },
    async handler({ ctx, params }) {
      const row = await readSubscription({ ...ctx, accountId: accountOf(params) });
      return answerWith(row, ctx.clock.now());
    },
  }),
  writeRoute({
    ...common,
    method: "PUT",
    needsConfirmation: true,
    audit: { action: "subscription.set", of: "path" },
    summary: "Give an account a plan",
    description:
      "The terms of the plan are kept as they now are: changing the plan later doesn't touch them, nor does giving the account the same plan again " +
      "without `renew_terms`. Another plan whose periods are as long, in the same currency, goes on with the period that has begun; any other ends what " +
      "ran and begins a period now. What is left out is none: no cap, no tax. A limit below what is used already is taken.",
    params: Params,
    body: PlanSubscriptionPut,
    success: { status: 200, schema: PlanSubscription, description: "The subscription as it now is." },
    problems: [planArchived],
    async handler({ ctx, params, body, ifMatch }) {
      const accountId = accountOf(params);
      const row = await putSubscription({ ...ctx, accountId }, body, ifMatch);
      const about = { accountId, targetId: toPublicId("pls", row.id) };
      return { ...answerWith(row, ctx.clock.now()), about };
    },
  }),
  writeRoute({
    ...common,
    method: "DELETE",
    needsConfirmation: true,
    audit: { action: "subscription.ended", of: "path" },
    summary: "End an account's subscription",
    description: "At once. The account then has no plan, and none of its limits.",
    params: Params,
    success: { status: 204, schema: null, description: "Ended." },
    async handler({ ctx, params }) {
      const accountId = accountOf(params);
      await deleteSubscription({ ...ctx, accountId });
      return { status: 204, about: { accountId, targetId: null } };
    },
  }),
];

function answerWith(row: SubscriptionRow, now: Date): Answer<PlanSubscription> {
  return { status: 200, body: shapeSubscription(row, now), etag: subscriptionEtag(row) };
}
