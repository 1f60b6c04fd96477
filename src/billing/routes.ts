/** All routes of billing, for the `api` role. */
import type { Route } from "../platform/http/route.ts";
import type { Price } from "./usage/price.ts";
import { usageRoutes } from "./usage/routes.ts";

export function billingRoutes(tools: { readonly price: Price | undefined }): readonly Route[] {
  return [...usageRoutes(tools)];
}
