/** The pages of the settings. */
import { createRoute, redirect } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { readAuditSearch } from "../pages/settings/audit/search.ts";
import { readInstanceSearch } from "../pages/settings/instance/search.ts";
import { readPlansSearch } from "../pages/settings/plans/search.ts";
import { readUsageSearch } from "../pages/settings/usage/search.ts";
import { readWordsSearch } from "../pages/settings/words/search.ts";
import { forOperators, needing, readCursor, signedIn } from "./frame.tsx";

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
    beforeLoad: needing("account:write"),
    component: lazyRouteComponent(() => import("../pages/settings/account.tsx"), "AccountSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/people",
    beforeLoad: needing("users:write"),
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("../pages/settings/people/people.tsx"), "PeopleSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/sender",
    beforeLoad: needing("account:write"),
    component: lazyRouteComponent(() => import("../pages/settings/account.tsx"), "SenderSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports",
    beforeLoad: needing("transports:read"),
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("../pages/settings/servers/servers.tsx"), "ServerSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports/new",
    beforeLoad: needing("transports:write"),
    component: lazyRouteComponent(() => import("../pages/settings/servers/server.tsx"), "NewServer"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports/$id",
    beforeLoad: needing("transports:write"),
    component: lazyRouteComponent(() => import("../pages/settings/servers/server.tsx"), "ServerPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/branding",
    beforeLoad: needing("account:write"),
    component: lazyRouteComponent(
      () => import("../pages/settings/branding/branding.tsx"),
      "BrandingSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/mail-style",
    beforeLoad: needing("account:write"),
    component: lazyRouteComponent(
      () => import("../pages/settings/mail-style/mail-style.tsx"),
      "MailStyleSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/words",
    beforeLoad: needing("account:write"),
    validateSearch: readWordsSearch,
    component: lazyRouteComponent(() => import("../pages/settings/words/words.tsx"), "WordsSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/tracking",
    beforeLoad: needing("account:write"),
    component: lazyRouteComponent(() => import("../pages/settings/tracking.tsx"), "TrackingSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/guardrails",
    beforeLoad: needing("account:write"),
    component: lazyRouteComponent(() => import("../pages/settings/guardrails.tsx"), "GuardrailSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/usage",
    beforeLoad: needing("usage:read"),
    validateSearch: readUsageSearch,
    component: lazyRouteComponent(() => import("../pages/settings/usage/usage.tsx"), "UsageSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/billing",
    beforeLoad: needing("billing:read"),
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("../pages/settings/billing/billing.tsx"), "BillingSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/billing/statements/$id",
    beforeLoad: needing("billing:read"),
    validateSearch: readCursor,
    component: lazyRouteComponent(
      () => import("../pages/settings/billing/statements/statement.tsx"),
      "StatementPage",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/audit",
    beforeLoad: needing("audit:read"),
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import("../pages/settings/audit/audit.tsx"), "AuditSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/single-sign-on",
    beforeLoad: needing("sso:read"),
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("../pages/settings/sso/single-sign-on.tsx"), "SsoSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/health",
    beforeLoad: needing("instance:read"),
    component: lazyRouteComponent(() => import("../pages/settings/health.tsx"), "HealthSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/instance",
    beforeLoad: forOperators,
    validateSearch: readInstanceSearch,
    component: lazyRouteComponent(
      () => import("../pages/settings/instance/instance.tsx"),
      "InstanceSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/instance/$id",
    beforeLoad: forOperators,
    validateSearch: readCursor,
    component: lazyRouteComponent(
      () => import("../pages/settings/instance/account/account.tsx"),
      "InstanceAccountPage",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/plans",
    beforeLoad: forOperators,
    validateSearch: readPlansSearch,
    component: lazyRouteComponent(() => import("../pages/settings/plans/plans.tsx"), "PlansSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/profile",
    component: lazyRouteComponent(() => import("../pages/settings/profile/profile.tsx"), "ProfileSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/security",
    component: lazyRouteComponent(
      () => import("../pages/settings/security/security.tsx"),
      "SecuritySettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/appearance",
    component: lazyRouteComponent(() => import("../pages/settings/appearance.tsx"), "AppearanceSettings"),
  }),
] as const;

export const settingsRoutes = settings.addChildren(settingsPages);
