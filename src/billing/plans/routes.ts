/** Plans are the instance's, so only operators reach them. */
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { requireId } from "../../platform/ids.ts";
import { paymentsUnreachable, planArchived, planIsDefault } from "../problems.ts";
import { countPlans, listPlans, type PlanEntry } from "./plan-store.ts";
import {
  archivePlan,
  askChangedPrice,
  askPrice,
  createPlan,
  type FindPrice,
  planEtag,
  readPlan,
  shapePlan,
  updatePlan,
} from "./plans.ts";
import { Plan, PlanCreate, PlanPage, PlanParams, PlanPatch, PlanQuery } from "./schema.ts";

const common = { ofInstance: true, scope: "operator", tag: "Plans" } as const;
const changing = { ...common, needsConfirmation: true } as const;
const planOf = ({ id }: { readonly id: string }) => requireId("pln", id, "plan");

export function planRoutes({ findPrice }: { readonly findPrice: FindPrice }): readonly Route[] {
  return [
    readRoute({
      ...common,
      path: "/v1/instance/plans",
      summary: "List plans",
      description: "Newest first.",
      query: PlanQuery,
      success: { status: 200, schema: PlanPage, description: "A page of plans." },
      handler: (call) =>
        pageByAge(call, {
          list: (db, _none, page) =>
            listPlans(db, { state: call.query.state, now: call.ctx.clock.now() }, page),
          count: (db) => countPlans(db, call.query.state),
          shape: shapePlan,
        }),
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/plans",
      audit: { action: "plan.created", of: "answer" },
      summary: "Make a plan",
      description:
        "Amounts are decimal texts, with at most as many decimals as the currency has. Null is no limit. Where `at_limit` is `overage`, both " +
        "`included_mails` and `overage_per_1000` are given. Where accounts are charged, Stripe is asked for `stripe_price_id`, which has to be of the same amount, currency and interval.",
      body: PlanCreate,
      success: { status: 201, schema: Plan, description: "The plan." },
      problems: [paymentsUnreachable],
      prepare: ({ ctx, body }) => askPrice(ctx, findPrice, body.stripe_price_id),
      async handler({ ctx, body, baseUrl }, asked) {
        const answer = answerWith(await createPlan(ctx, body, asked), 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/instance/plans/${answer.body?.id}` } };
      },
    }),
    readRoute({
      ...common,
      path: "/v1/instance/plans/:id",
      summary: "Get a plan",
      params: PlanParams,
      success: { status: 200, schema: Plan, description: "The plan." },
      handler: async ({ ctx, params }) => answerWith(await readPlan(ctx, planOf(params)), 200),
    }),
    writeRoute({
      ...changing,
      method: "PATCH",
      path: "/v1/instance/plans/:id",
      audit: { action: "plan.updated", of: "path" },
      summary: "Change a plan",
      description:
        "What is left out stays as it is; null takes a limit away. It is what is offered from now on: accounts that have the plan keep the terms " +
        "under which they took it. `default` marks the plan that accounts get by themselves.",
      params: PlanParams,
      body: PlanPatch,
      success: { status: 200, schema: Plan, description: "The plan as it now is." },
      problems: [planArchived, paymentsUnreachable],
      prepare: ({ ctx, params, body }) => askChangedPrice(ctx, findPrice, planOf(params), body),
      handler: async ({ ctx, params, body, ifMatch }, asked) =>
        answerWith(await updatePlan(ctx, planOf(params), body, { ifMatch, asked }), 200),
    }),
    writeRoute({
      ...changing,
      method: "POST",
      path: "/v1/instance/plans/:id/archive",
      audit: { action: "plan.archived", of: "path" },
      summary: "Archive a plan",
      description:
        "Nobody subscribes to it from then on. Accounts that have it keep it. The plan that accounts get by themselves isn't archived.",
      params: PlanParams,
      success: { status: 200, schema: Plan, description: "The plan as it now is." },
      problems: [planIsDefault],
      async handler({ ctx, params }) {
        const isChanged = await archivePlan(ctx, planOf(params));
        const answer = answerWith(await readPlan(ctx, planOf(params)), 200);
        return { ...answer, ...(!isChanged && { changedNothing: true as const }) };
      },
    }),
  ];
}

function answerWith(row: PlanEntry, status: number): Answer<Plan> {
  return { status, body: shapePlan(row), etag: planEtag(row) };
}
