/** The pages of what comes back: the log, one item of it, storms of bounces, mailboxes, and the addresses that providers post to. */
import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { readInboundSearch, readStormSearch } from "../pages/inbound/search.ts";
import { readCursor, signedIn } from "./frame.tsx";

const log = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbound",
  validateSearch: readInboundSearch,
  component: lazyRouteComponent(() => import("../pages/inbound/log/log.tsx"), "InboundLog"),
});

const item = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbound/$id",
  component: lazyRouteComponent(() => import("../pages/inbound/log/item.tsx"), "InboundItemPage"),
});

const storms = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbound/storms",
  validateSearch: readStormSearch,
  component: lazyRouteComponent(() => import("../pages/inbound/storms/storms.tsx"), "Storms"),
});

const mailboxes = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbound/mailboxes",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/inbound/mailboxes/mailboxes.tsx"), "Mailboxes"),
});

const endpoints = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbound/endpoints",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/inbound/endpoints/endpoints.tsx"), "Endpoints"),
});

export const inboundRoutes = [log, storms, mailboxes, endpoints, item] as const;
