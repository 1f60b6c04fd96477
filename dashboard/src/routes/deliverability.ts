/** The pages of deliverability: the checklist, blocklists and alerts. */
import { createRoute, redirect } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { readAlertSearch } from "../pages/deliverability/search.ts";
import { signedIn } from "./frame.tsx";

const checklist = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability/checklist",
  component: lazyRouteComponent(
    () => import("../pages/deliverability/checklist/checklist.tsx"),
    "ChecklistPage",
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

/** The place leads to its first part. */
const place = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliverability",
  beforeLoad: () => {
    throw redirect({ to: "/deliverability/checklist" });
  },
});

export const deliverabilityRoutes = [place, checklist, blocklists, alerts] as const;
