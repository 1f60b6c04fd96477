/** The pages of those who are written to: subscribers, segments, lists, fields, topics, imports, exports and suppressions. */
import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../lazy-page.ts";
import { readWizardSearch } from "../pages/imports/wizard/search.ts";
import { readNewSearch, readSegmentsSearch } from "../pages/segments/search.ts";
import { readSearch } from "../pages/subscribers/search.ts";
import { readSuppressionSearch } from "../pages/suppressions/search.ts";
import { readCursor, signedIn } from "./frame.tsx";

const subscribers = createRoute({
  getParentRoute: () => signedIn,
  path: "/subscribers",
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import("../pages/subscribers/subscribers.tsx"), "Subscribers"),
});

const subscriber = createRoute({
  getParentRoute: () => signedIn,
  path: "/subscribers/$id",
  component: lazyRouteComponent(() => import("../pages/subscriber/subscriber.tsx"), "SubscriberPage"),
});

const segments = createRoute({
  getParentRoute: () => signedIn,
  path: "/segments",
  validateSearch: readSegmentsSearch,
  component: lazyRouteComponent(() => import("../pages/segments/segments.tsx"), "Segments"),
});

const newSegment = createRoute({
  getParentRoute: () => signedIn,
  path: "/segments/new",
  validateSearch: readNewSearch,
  component: lazyRouteComponent(() => import("../pages/segments/segment.tsx"), "NewSegment"),
});

const segment = createRoute({
  getParentRoute: () => signedIn,
  path: "/segments/$id",
  component: lazyRouteComponent(() => import("../pages/segments/segment.tsx"), "SegmentPage"),
});

const lists = createRoute({
  getParentRoute: () => signedIn,
  path: "/lists",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/lists/lists.tsx"), "Lists"),
});

const forms = createRoute({
  getParentRoute: () => signedIn,
  path: "/forms",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/forms/forms.tsx"), "Forms"),
});

const form = createRoute({
  getParentRoute: () => signedIn,
  path: "/forms/$id",
  component: lazyRouteComponent(() => import("../pages/forms/form.tsx"), "FormPage"),
});

const fields = createRoute({
  getParentRoute: () => signedIn,
  path: "/fields",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/fields/fields.tsx"), "Fields"),
});

const topics = createRoute({
  getParentRoute: () => signedIn,
  path: "/topics",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/topics/topics.tsx"), "Topics"),
});

const imports = createRoute({
  getParentRoute: () => signedIn,
  path: "/imports",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/imports/imports.tsx"), "Imports"),
});
const newImport = createRoute({
  getParentRoute: () => signedIn,
  path: "/imports/new",
  validateSearch: readWizardSearch,
  component: lazyRouteComponent(() => import("../pages/imports/wizard/wizard.tsx"), "Wizard"),
});
const oneImport = createRoute({
  getParentRoute: () => signedIn,
  path: "/imports/$id",
  component: lazyRouteComponent(() => import("../pages/imports/import-page.tsx"), "ImportPage"),
});
const exports = createRoute({
  getParentRoute: () => signedIn,
  path: "/exports",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../pages/exports/exports.tsx"), "Exports"),
});
const suppressions = createRoute({
  getParentRoute: () => signedIn,
  path: "/suppressions",
  validateSearch: readSuppressionSearch,
  component: lazyRouteComponent(() => import("../pages/suppressions/suppressions.tsx"), "Suppressions"),
});

export const audienceRoutes = [
  subscribers,
  subscriber,
  segments,
  newSegment,
  segment,
  lists,
  forms,
  form,
  fields,
  topics,
  imports,
  newImport,
  oneImport,
  exports,
  suppressions,
] as const;
