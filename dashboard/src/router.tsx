/**
 * Every page, by the part of the dashboard that it belongs to: where it is, what its address holds, and the file it is loaded
 * from when it is opened.
 */
import type { QueryClient } from "@tanstack/react-query";
import { createRoute, createRouter } from "@tanstack/react-router";
import { lazyRouteComponent } from "./lazy-page.ts";
import { Broken } from "./pages/broken.tsx";
import { readEventSearch } from "./pages/events/search.ts";
import { readInboxSearch } from "./pages/inbox/search.ts";
import { audienceRoutes } from "./routes/audience.ts";
import { deliverabilityRoutes } from "./routes/deliverability.ts";
import { entryRoutes } from "./routes/entry.ts";
import { needing, readCursor, root, signedIn } from "./routes/frame.tsx";
import { inboundRoutes } from "./routes/inbound.ts";
import { mailRoutes } from "./routes/mail.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  validateSearch: ({ remove }: Record<string, unknown>): { remove?: "sample" | undefined } => ({
    remove: remove === "sample" ? remove : undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/home/home.tsx"), "Home"),
});

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbox",
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import("./pages/inbox/inbox.tsx"), "Inbox"),
});

const apiKeys = createRoute({
  getParentRoute: () => signedIn,
  path: "/api-keys",
  beforeLoad: needing("api_keys:read"),
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("./pages/api-keys/api-keys.tsx"), "ApiKeys"),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: "/events",
  validateSearch: readEventSearch,
  component: lazyRouteComponent(() => import("./pages/events/events.tsx"), "Events"),
});

/** The page of all components is for whoever works on them; a build leaves it out. */
const developmentPages = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: "/kit",
        component: lazyRouteComponent(() => import("./pages/kit/kit.tsx"), "Kit"),
      }),
    ]
  : [];

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      ...entryRoutes,
      signedIn.addChildren([
        home,
        ...mailRoutes,
        ...audienceRoutes,
        inbox,
        ...deliverabilityRoutes,
        ...inboundRoutes,
        apiKeys,
        ...webhookRoutes,
        events,
        settingsRoutes,
      ]),
      ...developmentPages,
    ]),
    context: { queries },
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultErrorComponent: Broken,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
  interface StaticDataRouteOption {
    /** The page takes the whole window, without the side bar, and has a way back of its own. */
    takesWindow?: boolean;
  }
}
