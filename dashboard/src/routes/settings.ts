/** The pages of the settings. */
import { createRoute, redirect } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { ownersOnly, readCursor, signedIn } from "./frame.tsx";

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings",
  beforeLoad: ({ location }) => {
    if (location.pathname.replace(/\/$/, "") === "/settings") throw redirect({ to: "/settings/account" });
  },
  component: lazyRouteComponent(() => import("../pages/settings/settings.tsx"), "Settings"),
});

const settingsPages = [
  createRoute({
    getParentRoute: () => settings,
    path: "/account",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("../pages/settings/account.tsx"), "AccountSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/people",
    beforeLoad: ownersOnly,
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("../pages/settings/people/people.tsx"), "PeopleSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/sender",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("../pages/settings/account.tsx"), "SenderSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports",
    beforeLoad: ownersOnly,
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("../pages/settings/servers/servers.tsx"), "ServerSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports/new",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("../pages/settings/servers/server.tsx"), "NewServer"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports/$id",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("../pages/settings/servers/server.tsx"), "ServerPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/branding",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(
      () => import("../pages/settings/branding/branding.tsx"),
      "BrandingSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/tracking",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("../pages/settings/tracking.tsx"), "TrackingSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/guardrails",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("../pages/settings/guardrails.tsx"), "GuardrailSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/health",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("../pages/settings/health.tsx"), "HealthSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/profile",
    component: lazyRouteComponent(() => import("../pages/settings/profile.tsx"), "ProfileSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/appearance",
    component: lazyRouteComponent(() => import("../pages/settings/appearance.tsx"), "AppearanceSettings"),
  }),
] as const;

export const settingsRoutes = settings.addChildren(settingsPages);
