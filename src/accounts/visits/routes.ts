import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute } from "../../platform/http/route.ts";
import { PageQuery } from "../../platform/http/schemas.ts";
import { VisitPage } from "./schema.ts";
import { countVisits, listVisits, shapeVisit } from "./visits.ts";

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
      success: { status: 200, schema: VisitPage, description: "A page of visits." },
      handler: (call) => pageByAge(call, { list: listVisits, count: countVisits, shape: shapeVisit }),
    }),
  ];
}
