/**
 * The `public` role answers what recipients and the world reach: the links in mail, archives, images, forms, and what providers
 * post. It has no cookies, no sessions and no `/v1`, so it may have a process and a host of its own under PUBLIC_URL. With
 * SUBMISSION_PORT it also takes mail by SMTP, and with INBOUND_PORT what comes back.
 */
import { join } from "node:path";
import { createPayments, mountStripeWebhook } from "../billing/billing.ts";
import { archivedCampaigns, campaignRecipients } from "../campaigns/campaigns.ts";
import { createTrackingHosts, mountTlsAsk } from "../domains/domains.ts";
import { mountFiles } from "../files/files.ts";
import { mountForms } from "../forms/forms.ts";
import { mountWebhooks } from "../inbound/inbound.ts";
import { createLinkTokens, mountProbe } from "../messages/messages.ts";
import { createPreferencePages } from "../preferences/preferences.ts";
import { mountPreferences } from "../preferences/routes.ts";
import { createPageWords } from "../public-pages/public-pages.ts";
import { createDomainFinder } from "../recipient-domains/recipient-domains.ts";
import { mountSubscriberLinks } from "../subscriber-mail/routes.ts";
import { createSubscriberLinks } from "../subscriber-mail/subscriber-mail.ts";
import { mountArchive, mountTracking } from "../tracking/routes.ts";
import { startTracking } from "../tracking/tracking.ts";
import type { App, Role } from "./app.ts";
import { forgetElsewhere } from "./forget-elsewhere.ts";
import { createMayAnswer, guardHosts } from "./host-guard.ts";
import type { Http } from "./http.ts";
import { startInboundRole } from "./inbound.ts";
import { sourceOwner } from "./source-owner.ts";
import { startSubmissionRole } from "./submission.ts";

/** People wait for the answer to a sign-up. */
const FORM_PATIENCE_MS = 3_000;

export async function startPublic(app: App, http: Http): Promise<Role> {
  const { db, clock, log } = app;
  const tracking = startTracking({
    db,
    clock,
    log,
    folder: join(app.config.dataDir, "spool"),
    idsInEvents: sourceOwner.idsInEvents,
  });
  const pageWords = createPageWords(app.locales);
  const preferences = {
    db,
    clock,
    log,
    pageWords,
    idsInEvents: sourceOwner.idsInEvents,
    secrets: app.secrets,
    hashAddress: app.hashAddress,
    publicUrl: () => app.config.publicUrl ?? http.baseUrl(),
    mails: campaignRecipients,
    forgetElsewhere: forgetElsewhere(app),
  };
  const { publicUrl, baseUrl } = app.config;
  const ownHosts = [publicUrl, baseUrl].flatMap((url) => (url === undefined ? [] : new URL(url).hostname));
  const hosts = createTrackingHosts({ db, clock, ownHosts });
  const linkTokens = createLinkTokens(app.linkKey);
  guardHosts(http.server.fastify, { db, hosts, linkTokens, pageWords });
  mountProbe(http.server.fastify, app);
  mountFiles(http.server.fastify, app);
  mountTlsAsk(http.server.fastify, { db, clock, ownHosts });
  mountWebhooks(http.server.fastify, { ...app, internalHosts: app.config.internalHosts ?? [] });
  const payments = createPayments(app.config);
  if (payments) mountStripeWebhook(http.server.fastify, { db, clock, log, payments });
  mountTracking(http.server, {
    ...tracking.tools,
    contentWorkers: app.contentWorkers,
    linkTokens,
    mayAnswer: createMayAnswer(hosts),
    pageWords,
    preferences: createPreferencePages(preferences),
  });
  mountPreferences(http.server.fastify, preferences);
  mountSubscriberLinks(http.server.fastify, {
    db,
    clock,
    log,
    pageWords,
    links: createSubscriberLinks(app.linkKey, () => app.config.publicUrl ?? http.baseUrl()),
  });
  mountArchive(http.server.fastify, {
    db,
    clock,
    contentWorkers: app.contentWorkers,
    publicUrl: () => app.config.publicUrl ?? http.baseUrl(),
    mails: archivedCampaigns,
    pageWords,
  });
  mountForms(http.server.fastify, {
    ...app,
    findDomains: createDomainFinder(app.dns, FORM_PATIENCE_MS),
    pageWords,
    publicUrl: () => app.config.publicUrl ?? http.baseUrl(),
  });
  const submission = await startSubmissionRole(app, http);
  const inbound = await startInboundRole(app);
  return {
    async stop(graceMs) {
      await Promise.all([tracking.stop(), submission?.stop(graceMs), inbound?.stop(graceMs)]);
    },
  };
}
