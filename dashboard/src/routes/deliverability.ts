/** The pages of deliverability: domains, providers, DMARC, the checklist, mail tests, blocklists and alerts. */
import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { readAlertSearch, readDmarcSearch, readProviderSearch } from "../pages/deliverability/search.ts";
import { readCursor, signedIn } from "./frame.tsx";

const domains = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/deliverability/domains/domains.tsx"), "Domains"),
});

const providers = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/providers",
  validateSearch: readProviderSearch,
  component: lazyRouteComponent(() => import("../pages/deliverability/providers/providers.tsx"), "Providers"),
});

const dmarc = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/dmarc",
  validateSearch: readDmarcSearch,
  component: lazyRouteComponent(() => import("../pages/deliverability/dmarc/dmarc.tsx"), "Dmarc"),
});

const checklist = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/checklist",
  component: lazyRouteComponent(
    () => import("../pages/deliverability/checklist/checklist.tsx"),
    "ChecklistPage",
  ),
});

const tests = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/tests",
  validateSearch: readCursor,
  component: lazyRouteComponent(
    () => import("../pages/deliverability/mail-tests/mail-tests.tsx"),
    "MailTests",
  ),
});

const test = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/tests/$id",
  component: lazyRouteComponent(
    () => import("../pages/deliverability/mail-tests/mail-test.tsx"),
    "MailTestPage",
  ),
});

const blocklists = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/blocklists",
  component: lazyRouteComponent(
    () => import("../pages/deliverability/blocklists/blocklists.tsx"),
    "BlocklistsPage",
  ),
});

const alerts = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/alerts",
  validateSearch: readAlertSearch,
  component: lazyRouteComponent(() => import("../pages/deliverability/alerts/alerts.tsx"), "Alerts"),
});

export const deliverabilityRoutes = [
  domains,
  providers,
  dmarc,
  checklist,
  tests,
  test,
  blocklists,
  alerts,
] as const;
