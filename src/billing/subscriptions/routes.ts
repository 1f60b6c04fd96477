import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { planArchived, planIsDefault } from "../problems.ts";
import { PlanSubscription, PlanSubscriptionPut } from "./schema.ts";
import { shapeSubscription, subscriptionEtag } from "./shape.ts";
import { deleteSubscription, putSubscription, readSubscription } from "./subscriptions.ts";

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
      const held = await readSubscription({ ...ctx, accountId: accountOf(params) });
      return answerWith(held, ctx.clock.now());
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
      "without `renew_terms`. Another plan whose periods are as long, in the same currency, goes on with the period that has begun: at once, and that " +
      "period is billed by it as a whole, unless it is smaller; then it is a `pending_change` from the next period on, which giving the present plan again " +
      "takes back. A plan is smaller that costs less, includes fewer mails or stops where mails were charged; at the same price and with as many mails, one " +
      "that has less of anything else; and one with shorter periods. Any other begins periods of its own now, and ends what ran. What is left out is none: " +
      "no cap, no tax. A limit below what is used already is taken.",
    params: Params,
    body: PlanSubscriptionPut,
    success: { status: 200, schema: PlanSubscription, description: "The subscription as it now is." },
    problems: [planArchived],
    async handler({ ctx, params, body, ifMatch }) {
      const accountId = accountOf(params);
      const held = await putSubscription({ ...ctx, accountId }, body, ifMatch);
      const about = { accountId, targetId: toPublicId("pls", held.current.id) };
      return { ...answerWith(held, ctx.clock.now()), about };
    },
  }),
  writeRoute({
    ...common,
    method: "DELETE",
    needsConfirmation: true,
    audit: { action: "subscription.ended", of: "path" },
    summary: "End an account's subscription",
    description:
      "With the hour that runs, whose mails are its last. Then the account has the plan that accounts get by themselves, or where there is none, no plan " +
      "and no limits. An account that has that plan already keeps it.",
    params: Params,
    success: { status: 204, schema: null, description: "Ended." },
    problems: [planIsDefault],
    async handler({ ctx, params }) {
      const accountId = accountOf(params);
      const isEnded = await deleteSubscription({ ...ctx, accountId });
      const about = { accountId, targetId: null };
      return { status: 204, about, ...(!isEnded && { changedNothing: true as const }) };
    },
  }),
];

type Shown = Parameters<typeof subscriptionEtag>[0];

function answerWith(held: Shown, now: Date): Answer<PlanSubscription> {
  return { status: 200, body: shapeSubscription(held, now), etag: subscriptionEtag(held) };
}
