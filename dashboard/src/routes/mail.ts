/** The pages of what is sent: campaigns, automations, transactional mail and templates. */
import { createRoute } from "@tanstack/react-router";
import { query } from "../api/queries.ts";
import { lazyRouteComponent } from "../lazy-page.ts";
import {
  readAutomationSearch,
  readAutomationsSearch,
  readRunsSearch,
  readVersionsSearch,
} from "../pages/automations/search.ts";
import { readComposerSearch } from "../pages/campaigns/composer/search.ts";
import { readRecipientsSearch } from "../pages/campaigns/recipients/search.ts";
import { readCampaignsSearch } from "../pages/campaigns/search.ts";
import { readEmailSearch, readEmailsSearch } from "../pages/emails/search.ts";
import { readTemplateSearch, readTemplatesSearch } from "../pages/templates/search.ts";
import { signedIn } from "./frame.tsx";

const campaigns = createRoute({
  getParentRoute: () => signedIn,
  path: "/campaigns",
  validateSearch: readCampaignsSearch,
  component: lazyRouteComponent(() => import("../pages/campaigns/campaigns.tsx"), "Campaigns"),
});

const composer = createRoute({
  getParentRoute: () => signedIn,
  path: "/campaigns/$id/edit",
  validateSearch: readComposerSearch,
  staticData: { takesWindow: true },
  component: lazyRouteComponent(() => import("../pages/campaigns/composer/composer.tsx"), "Composer"),
});

const campaign = createRoute({
  getParentRoute: () => signedIn,
  path: "/campaigns/$id",
  // What its page asks for first is under way while its files are loaded.
  loader({ context: { queries }, params }) {
    void queries.prefetchQuery(query("GET /v1/campaigns/{id}", { path: { id: params.id } }));
    void queries.prefetchQuery(query("GET /v1/campaigns/{id}/stats", { path: { id: params.id } }));
  },
  component: lazyRouteComponent(() => import("../pages/campaigns/campaign/campaign.tsx"), "CampaignPage"),
});

const campaignParts = [
  createRoute({
    getParentRoute: () => campaign,
    path: "/",
    // Most campaigns that somebody opens were sent, so what shows those comes along.
    loader: () => void import("../pages/campaigns/report/report.tsx").catch(() => undefined),
    component: lazyRouteComponent(() => import("../pages/campaigns/campaign/overview.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/links",
    component: lazyRouteComponent(() => import("../pages/campaigns/report/links.tsx"), "ReportLinks"),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/recipients",
    validateSearch: readRecipientsSearch,
    component: lazyRouteComponent(
      () => import("../pages/campaigns/recipients/recipients.tsx"),
      "CampaignRecipients",
    ),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/domains",
    component: lazyRouteComponent(() => import("../pages/campaigns/report/domains.tsx"), "ReportDomains"),
  }),
  createRoute({
    getParentRoute: () => campaign,
    path: "/mail",
    component: lazyRouteComponent(() => import("../pages/campaigns/report/mail.tsx"), "SentMail"),
  }),
] as const;

const automations = createRoute({
  getParentRoute: () => signedIn,
  path: "/automations",
  validateSearch: readAutomationsSearch,
  component: lazyRouteComponent(() => import("../pages/automations/automations.tsx"), "Automations"),
});

const automation = createRoute({
  getParentRoute: () => signedIn,
  path: "/automations/$id",
  validateSearch: readAutomationSearch,
  component: lazyRouteComponent(() => import("../pages/automations/automation.tsx"), "AutomationPage"),
});

const automationRuns = createRoute({
  getParentRoute: () => signedIn,
  path: "/automations/$id/people",
  validateSearch: readRunsSearch,
  component: lazyRouteComponent(() => import("../pages/automations/runs/runs.tsx"), "Runs"),
});

const automationVersions = createRoute({
  getParentRoute: () => signedIn,
  path: "/automations/$id/versions",
  validateSearch: readVersionsSearch,
  component: lazyRouteComponent(() => import("../pages/automations/versions/versions.tsx"), "Versions"),
});

const stepMail = createRoute({
  getParentRoute: () => signedIn,
  path: "/automations/$id/mail/$step",
  staticData: { takesWindow: true },
  component: lazyRouteComponent(() => import("../pages/automations/mail/mail.tsx"), "StepMail"),
});

const emails = createRoute({
  getParentRoute: () => signedIn,
  path: "/emails",
  validateSearch: readEmailsSearch,
  component: lazyRouteComponent(() => import("../pages/emails/emails.tsx"), "Emails"),
});

const email = createRoute({
  getParentRoute: () => signedIn,
  path: "/emails/$id",
  validateSearch: readEmailSearch,
  component: lazyRouteComponent(() => import("../pages/emails/email/email.tsx"), "EmailPage"),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: "/templates",
  validateSearch: readTemplatesSearch,
  component: lazyRouteComponent(() => import("../pages/templates/templates.tsx"), "Templates"),
});

const template = createRoute({
  getParentRoute: () => signedIn,
  path: "/templates/$id",
  validateSearch: readTemplateSearch,
  staticData: { takesWindow: true },
  component: lazyRouteComponent(() => import("../pages/templates/template.tsx"), "TemplatePage"),
});

export const mailRoutes = [
  campaigns,
  composer,
  campaign.addChildren(campaignParts),
  automations,
  automation,
  automationRuns,
  automationVersions,
  stepMail,
  emails,
  email,
  templates,
  template,
] as const;
