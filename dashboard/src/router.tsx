/** Every page, in one list: where it is, what its address holds, and the file it is loaded from when it is opened. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { reportSignedIn } from "./api/connection.ts";
import { asApiError } from "./api/problem.ts";
import { query, sessionQuery } from "./api/queries.ts";
import { Toasts } from "./kit/toasts.tsx";
import { lazyRouteComponent } from "./lazy-page.ts";
import { Broken } from "./pages/broken.tsx";
import { readComposerSearch } from "./pages/campaigns/composer/search.ts";
import { readRecipientsSearch } from "./pages/campaigns/recipients/search.ts";
import { readCampaignsSearch } from "./pages/campaigns/search.ts";
import { readEmailSearch, readEmailsSearch } from "./pages/emails/search.ts";
import { readEventSearch } from "./pages/events/search.ts";
import { readWizardSearch } from "./pages/imports/wizard/search.ts";
import { readInboxSearch } from "./pages/inbox/search.ts";
import { NotFound } from "./pages/not-found.tsx";
import { readNewSearch, readSegmentsSearch } from "./pages/segments/search.ts";
import { readSearch } from "./pages/subscribers/search.ts";
import { readSuppressionSearch } from "./pages/suppressions/search.ts";
import { readTemplateSearch, readTemplatesSearch } from "./pages/templates/search.ts";
import { Shell } from "./shell/shell.tsx";

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: () => (
    <>
      <Outlet />
      <Toasts />
    </>
  ),
  notFoundComponent: NotFound,
});

/** Only an address of ours is gone back to after signing in. A browser drops tabs and line ends, so that it is asked. */
function ownAddress(from: unknown): string | undefined {
  if (typeof from !== "string" || !from.startsWith("/")) return undefined;
  const url = URL.parse(from, window.location.origin);
  return url?.origin === window.location.origin ? url.pathname + url.search + url.hash : undefined;
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ from }: Record<string, unknown>): { from?: string | undefined } => ({
    from: ownAddress(from),
  }),
  component: lazyRouteComponent(() => import("./pages/entry/sign-in.tsx"), "SignIn"),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: lazyRouteComponent(() => import("./pages/entry/setup.tsx"), "Setup"),
});

const forgottenPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgotten-password",
  component: lazyRouteComponent(() => import("./pages/entry/forgotten-password.tsx"), "ForgottenPassword"),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  async beforeLoad({ context, location }) {
    try {
      await context.queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (asApiError(error).status !== 401) throw error;
      reportSignedIn();
      throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { from: location.href } });
    }
  },
  component: Shell,
  errorComponent: Broken,
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  validateSearch: ({ remove }: Record<string, unknown>): { remove?: "sample" | undefined } => ({
    remove: remove === "sample" ? remove : undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/home/home.tsx"), "Home"),
});

/** What a reader leaves out, the router keeps; so anything but a text is set to undefined. */
const readCursor = ({ cursor }: Record<string, unknown>): { cursor?: string | undefined } => ({
  cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
});

const campaigns = createRoute({
  getParentRoute: () => signedIn,
  path: "/campaigns",
  validateSearch: readCampaignsSearch,
  component: lazyRouteComponent(() => import("./pages/campaigns/campaigns.tsx"), "Campaigns"),
});

const composer = createRoute({
  getParentRoute: () => signedIn,
  path: "/campaigns/$id/edit",
  validateSearch: readComposerSearch,
  staticData: { takesWindow: true },
  component: lazyRouteComponent(() => import("./pages/campaigns/composer/composer.tsx"), "Composer"),
});

const campaign = createRoute({
  getParentRoute: () => signedIn,
  path: "/campaigns/$id",
  // What its page asks for first is under way while its files are loaded.
  loader({ context: { queries }, params }) {
    void queries.prefetchQuery(query("GET /v1/campaigns/{id}", { path: { id: params.id } }));
    void queries.prefetchQuery(query("GET /v1/campaigns/{id}/stats", { path: { id: params.id } }));
  },
  component: lazyRouteComponent(() => import("./pages/campaigns/campaign/campaign.tsx"), "CampaignPage"),
});

const campaignParts = [
  createRoute({
    getParentRoute: () => campaign,
    path: "/",
    // Most campaigns that somebody opens were sent, so what shows those comes along.
    loader: () => void import("./pages/campaigns/report/report.tsx").catch(() => undefined),
    component: lazyRouteComponent(() => import("./pages/campaigns/campaign/overview.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/links",
    component: lazyRouteComponent(() => import("./pages/campaigns/report/links.tsx"), "ReportLinks"),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/recipients",
    validateSearch: readRecipientsSearch,
    component: lazyRouteComponent(
      () => import("./pages/campaigns/recipients/recipients.tsx"),
      "CampaignRecipients",
    ),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/domains",
    component: lazyRouteComponent(() => import("./pages/campaigns/report/domains.tsx"), "ReportDomains"),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/mail",
    component: lazyRouteComponent(() => import("./pages/campaigns/report/mail.tsx"), "SentMail"),
  }),
] as const;

const emails = createRoute({
  getParentRoute: () => signedIn,
  path: "/emails",
  validateSearch: readEmailsSearch,
  component: lazyRouteComponent(() => import("./pages/emails/emails.tsx"), "Emails"),
});

const email = createRoute({
  getParentRoute: () => signedIn,
  path: "/emails/$id",
  validateSearch: readEmailSearch,
  component: lazyRouteComponent(() => import("./pages/emails/email/email.tsx"), "EmailPage"),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: "/templates",
  validateSearch: readTemplatesSearch,
  component: lazyRouteComponent(() => import("./pages/templates/templates.tsx"), "Templates"),
});

const template = createRoute({
  getParentRoute: () => signedIn,
  path: "/templates/$id",
  validateSearch: readTemplateSearch,
  staticData: { takesWindow: true },
  component: lazyRouteComponent(() => import("./pages/templates/template.tsx"), "TemplatePage"),
});

const subscribers = createRoute({
  getParentRoute: () => signedIn,
  path: "/subscribers",
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import("./pages/subscribers/subscribers.tsx"), "Subscribers"),
});

const subscriber = createRoute({
  getParentRoute: () => signedIn,
  path: "/subscribers/$id",
  component: lazyRouteComponent(() => import("./pages/subscriber/subscriber.tsx"), "SubscriberPage"),
});

const segments = createRoute({
  getParentRoute: () => signedIn,
  path: "/segments",
  validateSearch: readSegmentsSearch,
  component: lazyRouteComponent(() => import("./pages/segments/segments.tsx"), "Segments"),
});

const newSegment = createRoute({
  getParentRoute: () => signedIn,
  path: "/segments/new",
  validateSearch: readNewSearch,
  component: lazyRouteComponent(() => import("./pages/segments/segment.tsx"), "NewSegment"),
});

const segment = createRoute({
  getParentRoute: () => signedIn,
  path: "/segments/$id",
  component: lazyRouteComponent(() => import("./pages/segments/segment.tsx"), "SegmentPage"),
});

const lists = createRoute({
  getParentRoute: () => signedIn,
  path: "/lists",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("./pages/lists/lists.tsx"), "Lists"),
});

const fields = createRoute({
  getParentRoute: () => signedIn,
  path: "/fields",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("./pages/fields/fields.tsx"), "Fields"),
});

const imports = createRoute({
  getParentRoute: () => signedIn,
  path: "/imports",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("./pages/imports/imports.tsx"), "Imports"),
});
const newImport = createRoute({
  getParentRoute: () => signedIn,
  path: "/imports/new",
  validateSearch: readWizardSearch,
  component: lazyRouteComponent(() => import("./pages/imports/wizard/wizard.tsx"), "Wizard"),
});
const oneImport = createRoute({
  getParentRoute: () => signedIn,
  path: "/imports/$id",
  component: lazyRouteComponent(() => import("./pages/imports/import-page.tsx"), "ImportPage"),
});
const exports = createRoute({
  getParentRoute: () => signedIn,
  path: "/exports",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("./pages/exports/exports.tsx"), "Exports"),
});
const suppressions = createRoute({
  getParentRoute: () => signedIn,
  path: "/suppressions",
  validateSearch: readSuppressionSearch,
  component: lazyRouteComponent(() => import("./pages/suppressions/suppressions.tsx"), "Suppressions"),
});

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbox",
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import("./pages/inbox/inbox.tsx"), "Inbox"),
});

/** What only an owner may change, a member doesn't see. */
const ownersOnly = async ({ context }: { context: { queries: QueryClient } }) => {
  const { user } = await context.queries.ensureQueryData(sessionQuery);
  if (user.role !== "owner") throw redirect({ to: "/settings/profile" });
};

const apiKeys = createRoute({
  getParentRoute: () => signedIn,
  path: "/api-keys",
  beforeLoad: ownersOnly,
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("./pages/api-keys/api-keys.tsx"), "ApiKeys"),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: "/events",
  validateSearch: readEventSearch,
  component: lazyRouteComponent(() => import("./pages/events/events.tsx"), "Events"),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings",
  beforeLoad: ({ location }) => {
    if (location.pathname.replace(/\/$/, "") === "/settings") throw redirect({ to: "/settings/account" });
  },
  component: lazyRouteComponent(() => import("./pages/settings/settings.tsx"), "Settings"),
});

const settingsPages = [
  createRoute({
    getParentRoute: () => settings,
    path: "/account",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/account.tsx"), "AccountSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/people",
    beforeLoad: ownersOnly,
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("./pages/settings/people/people.tsx"), "PeopleSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/sender",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/account.tsx"), "SenderSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports",
    beforeLoad: ownersOnly,
    validateSearch: readCursor,
    component: lazyRouteComponent(() => import("./pages/settings/servers/servers.tsx"), "ServerSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports/new",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/servers/server.tsx"), "NewServer"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/transports/$id",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/servers/server.tsx"), "ServerPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/branding",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/branding/branding.tsx"), "BrandingSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/tracking",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/tracking.tsx"), "TrackingSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/guardrails",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/guardrails.tsx"), "GuardrailSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/health",
    beforeLoad: ownersOnly,
    component: lazyRouteComponent(() => import("./pages/settings/health.tsx"), "HealthSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/profile",
    component: lazyRouteComponent(() => import("./pages/settings/profile.tsx"), "ProfileSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/appearance",
    component: lazyRouteComponent(() => import("./pages/settings/appearance.tsx"), "AppearanceSettings"),
  }),
] as const;

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
      signIn,
      setup,
      forgottenPassword,
      signedIn.addChildren([
        home,
        campaigns,
        composer,
        campaign.addChildren(campaignParts),
        emails,
        email,
        templates,
        template,
        subscribers,
        subscriber,
        segments,
        newSegment,
        segment,
        lists,
        fields,
        imports,
        newImport,
        oneImport,
        exports,
        suppressions,
        inbox,
        apiKeys,
        events,
        settings.addChildren(settingsPages),
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
