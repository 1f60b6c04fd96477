import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { requireId } from "../../platform/ids.ts";
import { countReviews, listReviews, type ReviewEntry } from "./review-store.ts";
import { approveReview, readReview, refuseReview, reviewDecided, shapeReview } from "./reviews.ts";
import { Review, ReviewPage, ReviewParams, ReviewQuery, ReviewRefusal } from "./schema.ts";

const common = { ofInstance: true, scope: "operator", tag: "Instance" } as const;
const one = (description: string) => ({ status: 200, schema: Review, description });
const reviewOf = ({ id }: { readonly id: string }) => requireId("rev", id, "review");

function answer(row: ReviewEntry) {
  const body = shapeReview(row);
  return { status: 200, body, about: { accountId: row.account_id, targetId: body.id } } as const;
}

export const reviewRoutes: readonly Route[] = [
  readRoute({
    ...common,
    path: "/v1/instance/reviews",
    summary: "List reviews",
    description:
      "Newest first: campaigns of new accounts that wait for an operator, or that somebody decided about. What a campaign says, and to whom it " +
      "goes, is seen by looking into its account.",
    query: ReviewQuery,
    success: { status: 200, schema: ReviewPage, description: "A page of reviews." },
    handler(call) {
      const { state = "pending" } = call.query;
      return pageByAge(call, {
        list: (db, _none, page) => listReviews(db, state, page),
        count: (db) => countReviews(db, state),
        shape: shapeReview,
      });
    },
  }),
  readRoute({
    ...common,
    path: "/v1/instance/reviews/:id",
    summary: "Get a review",
    params: ReviewParams,
    success: one("The review."),
    async handler({ ctx, params }) {
      return { status: 200, body: shapeReview(await readReview(ctx.sql, reviewOf(params))) };
    },
  }),
  writeRoute({
    ...common,
    method: "POST",
    path: "/v1/instance/reviews/:id/approve",
    needsConfirmation: true,
    audit: { action: "review.approved", of: "path" },
    summary: "Approve a campaign",
    description: "It goes on by itself, and later campaigns of its account aren't reviewed.",
    params: ReviewParams,
    success: one("The review as it now is."),
    problems: [reviewDecided],
    handler: async ({ ctx, params }) => answer(await approveReview(ctx, reviewOf(params))),
  }),
  writeRoute({
    ...common,
    method: "POST",
    path: "/v1/instance/reviews/:id/refuse",
    needsConfirmation: true,
    audit: { action: "review.refused", of: "path" },
    summary: "Refuse a campaign",
    description:
      "It fails, and nobody gets it. The people of the account are shown the reason, and its owners are mailed. Changed and sent again, it is reviewed again.",
    params: ReviewParams,
    body: ReviewRefusal,
    success: one("The review as it now is."),
    problems: [reviewDecided],
    handler: async ({ ctx, params, body }) => answer(await refuseReview(ctx, reviewOf(params), body.reason)),
  }),
];
