/** All routes of deliverability, for the `api` role. */
import type { Route } from "../platform/http/route.ts";
import type { BeginTools } from "./mail-tests/mail-tests.ts";
import { mailTestRoutes } from "./mail-tests/routes.ts";

export function deliverabilityRoutes(tools: { readonly mailTests: BeginTools }): readonly Route[] {
  return [...mailTestRoutes(tools.mailTests)];
}
