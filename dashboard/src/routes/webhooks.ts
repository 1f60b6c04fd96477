/** The pages of webhooks: the endpoints, and one of them with the log of what was posted to it. */
import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { readDeliverySearch } from "../pages/webhooks/search.ts";
import { readCursor, signedIn } from "./frame.tsx";

const endpoints = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/webhooks/webhooks.tsx"), "Webhooks"),
});

const endpoint = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks/$id",
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import("../pages/webhooks/webhook.tsx"), "WebhookPage"),
});

export const webhookRoutes = [endpoints, endpoint] as const;
