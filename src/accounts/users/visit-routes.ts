import { type Static, Type } from "typebox";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute } from "../../platform/http/route.ts";
import { Page, PageQuery, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { countVisits, listVisits, shapeVisit } from "./visits.ts";

export const Visit = Type.Object(
  {
    object: Type.Literal("visit"),
    id: PublicId("vis"),
    account_id: PublicId("acc"),
    reason: Type.String({ description: "What the operator gave as the reason." }),
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Visit" },
);
export type Visit = Static<typeof Visit>;

export function visitRoutes(): readonly Route[] {
  return [
    readRoute({
      path: "/v1/visits",
      scope: "audit:read",
      tag: "Audit",
      summary: "List when operators looked in",
      description:
        "Whoever runs this service may look into an account as a viewer, for an hour at most and for a reason that stands here, newest first. " +
        "While they do, they are among the users of the account, and can be removed.",
      query: PageQuery({}),
      success: { status: 200, schema: Page(Visit, "VisitPage"), description: "A page of visits." },
      handler: (call) => pageByAge(call, { list: listVisits, count: countVisits, shape: shapeVisit }),
    }),
  ];
}
