/** The `api` role serves `/v1`, its documents and the dashboard. Every route is mounted by the list in this file. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { accountDataRoutes } from "../account-data/routes.ts";
import {
  ACCOUNT_HEADER,
  ACCOUNT_PARAMETER,
  createKeyCheck,
  createOperatorCheck,
  createSessionCheck,
  createSso,
  type KeyCheck,
  logoShowing,
  readActorNamesOrAddresses,
  sessionProblems,
  stillMay,
  watchKeyChanges,
} from "../accounts/accounts.ts";
import { accountRoutes } from "../accounts/routes.ts";
import { alertRoutes } from "../alerts/routes.ts";
import { createAuditRecorder } from "../audit/audit.ts";
import { auditRoutes } from "../audit/routes.ts";
import { automationRoutes } from "../automations/routes.ts";
import { createPayments, giveDefaultPlan, type Price } from "../billing/billing.ts";
import { billingRoutes } from "../billing/routes.ts";
import {
  campaignFrom,
  campaignRecipients,
  campaignSendingFrom,
  campaignShowing,
  countCampaignsFrom,
  sentCampaigns,
} from "../campaigns/campaigns.ts";
import { routesOfCampaigns } from "../campaigns/routes.ts";
import { mountAuthorFrame } from "../content/content.ts";
import { mountDashboard } from "../dashboard/dashboard.ts";
import { deliverabilityRoutes } from "../deliverability/routes.ts";
import { createReadyNotifier, findTransportChanger } from "../delivery/delivery.ts";
import { deliveryRoutes } from "../delivery/routes.ts";
import { type HealthTools, healthRoutes } from "../doctor/routes.ts";
import type { DomainTools } from "../domains/domains.ts";
import { domainRoutes } from "../domains/routes.ts";
import {
  type AcceptTools,
  createRoomFinder,
  createSenderFinder,
  createWaveFinder,
  scheduledEmailFrom,
} from "../emails/emails.ts";
import { emailRoutes } from "../emails/routes.ts";
import { eventRoutes } from "../events/routes.ts";
import { holdFile } from "../files/files.ts";
import { fileRoutes } from "../files/routes.ts";
import { formRoutes } from "../forms/routes.ts";
import { inboundRoutes } from "../inbound/routes.ts";
import { instanceRoutes } from "../instance/routes.ts";
import type { MessageTools } from "../messages/messages.ts";
import { messageRoutes } from "../messages/routes.ts";
import { canMailProof, createInvitationMail } from "../notices/notices.ts";
import { mountDocs } from "../platform/http/documents/docs.ts";
import { mountRoutes } from "../platform/http/mount.ts";
import type { Route } from "../platform/http/route.ts";
import { clientOf } from "../platform/http/route-call.ts";
import { createGuardedClient } from "../platform/net/guarded-client.ts";
import { createResolveName } from "../platform/net/resolve-name.ts";
import { AppError, unauthorized } from "../platform/problems.ts";
import { createPageWords } from "../public-pages/public-pages.ts";
import { publicPageRoutes } from "../public-pages/routes.ts";
import { createDomainFinder } from "../recipient-domains/recipient-domains.ts";
import { recipientDomainRoutes } from "../recipient-domains/routes.ts";
import { sampleDataRoutes } from "../sample-data/routes.ts";
import { sectionRoutes } from "../sections/routes.ts";
import { sectionShowing } from "../sections/sections.ts";
import { findWelcomeFault } from "../subscriber-mail/subscriber-mail.ts";
import { mountDownloads, routesOfSubscribers } from "../subscribers/routes.ts";
import { createFirstList, listWelcomingWith } from "../subscribers/subscribers.ts";
import { templateRoutes } from "../templates/routes.ts";
import { createTemplateFiller, templateShowing } from "../templates/templates.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { documentedMessages, findUrlFault } from "../webhooks/webhooks.ts";
import type { App, Role } from "./app.ts";
import { type DeliverabilityTools, deliverabilityTools } from "./deliverability-tools.ts";
import { domainTools } from "./domain-tools.ts";
import { forgetElsewhere } from "./forget-elsewhere.ts";
import { healthOf } from "./health.ts";
import type { Http } from "./http.ts";
import { messageTools } from "./message-tools.ts";
import { sourceOwner } from "./source-owner.ts";
import { submissionOf } from "./submission.ts";

export function apiRoutes(
  keyCheck: Pick<KeyCheck, "forget">,
  app: Pick<App, "db" | "connection" | "secretKeys" | "secrets" | "hashAddress" | "uploadDir" | "locales"> & {
    readonly listener: Pick<App["listener"], "listen">;
    readonly config: Pick<App["config"], "internalHosts"> & Partial<App["config"]>;
    readonly systemFrom?: App["systemFrom"];
    readonly deliverability: Pick<DeliverabilityTools, "blocklists" | "checklist"> & {
      readonly dmarc: Pick<DeliverabilityTools["dmarc"], "ownAddresses">;
    };
  },
  tools: MessageTools,
  health: HealthTools,
  wakeSenders: (sourceId: string) => void,
  domains: DomainTools,
): readonly Route[] {
  const accept: AcceptTools = {
    secrets: app.secrets,
    hashAddress: app.hashAddress,
    workers: tools.workers,
    fillTemplate: createTemplateFiller(tools.workers),
    hasInstanceServer: tools.relayHost !== undefined,
    wakeSenders,
    findWave: createWaveFinder(tools.relayHost !== undefined),
    findRoom: createRoomFinder(),
    senders: createSenderFinder(tools.signing, tools.unverifiedSenders),
    publicUrl: tools.publicUrl,
  };
  const { internalHosts = [] } = app.config;
  const client = createGuardedClient({
    internalHosts,
    resolve: createResolveName(domains.dns, internalHosts),
  });
  const invitationMail = createInvitationMail({ accept, systemFrom: app.systemFrom });
  return [
    ...accountRoutes({
      keysChanged: keyCheck.forget,
      secrets: app.secrets,
      holdFile,
      invitationMail,
      canProveAddress: canMailProof({ accept, systemFrom: app.systemFrom }),
      findChanger: findTransportChanger,
      takesPasswords: app.config.passwordSignIn !== "off",
      sso: createSso(app.config),
      signUp: app.config.signUp ?? "closed",
      async furnish(ctx) {
        await createFirstList(ctx);
        await giveDefaultPlan(ctx);
      },
    }),
    ...accountDataRoutes(app),
    ...eventRoutes({ stillMay }),
    ...auditRoutes({ readNames: readActorNamesOrAddresses }),
    ...routesOfSubscribers({
      ...app,
      campaigns: campaignRecipients,
      sentCampaigns,
      checkWelcome: findWelcomeFault,
      forgetElsewhere: forgetElsewhere(app),
    }),
    ...deliveryRoutes({
      secrets: app.secrets,
      internalHosts: app.config.internalHosts ?? [],
      hasInstanceServer: accept.hasInstanceServer,
      owner: sourceOwner,
      publicUrl: tools.publicUrl,
    }),
    ...domainRoutes({ ...domains, findCampaignFrom: campaignSendingFrom }),
    ...messageRoutes(tools),
    ...fileRoutes({
      publicUrl: tools.publicUrl,
      usedBy: [campaignShowing, logoShowing, templateShowing, sectionShowing],
    }),
    ...sectionRoutes,
    ...automationRoutes({
      ...tools,
      sent: sentCampaigns,
      listener: app.listener,
      hash: app.hashAddress,
      secrets: app.secrets,
      findUrlFault: (url) => findUrlFault({ client, internalHosts }, url),
    }),
    ...templateRoutes({
      ...tools,
      usedBy: [campaignFrom, scheduledEmailFrom(app.secrets), listWelcomingWith],
      countUses: countCampaignsFrom,
    }),
    ...routesOfCampaigns({ ...tools, listener: app.listener, hashAddress: app.hashAddress }),
    ...emailRoutes(accept),
    ...formRoutes({
      publicUrl: tools.publicUrl,
      secrets: app.secrets,
      pageWords: createPageWords(app.locales),
    }),
    ...inboundRoutes({
      secrets: app.secrets,
      publicUrl: tools.publicUrl,
      internalHosts: app.config.internalHosts ?? [],
      owner: sourceOwner,
    }),
    ...alertRoutes(),
    ...recipientDomainRoutes({ findDomains: createDomainFinder(domains.dns) }),
    ...deliverabilityRoutes({
      ...app.deliverability,
      mailTests: {
        messages: tools,
        inboundDomain: tools.inboundDomain,
        inboundPort: app.config.inboundPort,
      },
    }),
    ...billingRoutes({
      price: priceOf(app.config),
      issuer: app.config.billingIssuer ?? [],
      payments: createPayments(app.config),
      publicUrl: tools.publicUrl,
    }),
    ...webhookRoutes({
      secrets: app.secrets,
      client,
      internalHosts,
    }),
    ...sampleDataRoutes(app.hashAddress),
    ...publicPageRoutes(app),
    ...healthRoutes(health),
    ...instanceRoutes(health),
  ];
}

function priceOf({
  relayPricePer1000,
  relayPriceCurrency = "USD",
}: Partial<App["config"]>): Price | undefined {
  return relayPricePer1000 === undefined
    ? undefined
    : { microsPer1000: relayPricePer1000, currency: relayPriceCurrency };
}

/** Takes the account out of the query, where no route expects it. */
function takeNamedAccount({ method, headers, query }: FastifyRequest) {
  const given = query as Record<string, unknown>;
  const parameter = method === "GET" || method === "HEAD" ? given[ACCOUNT_PARAMETER] : undefined;
  if (parameter !== undefined) delete given[ACCOUNT_PARAMETER];
  return { header: headers[ACCOUNT_HEADER], parameter };
}

export async function startApi(app: App, http: Http): Promise<Role> {
  const { config, log } = app;
  const keyCheck = createKeyCheck(app.db, app.clock, log);
  watchKeyChanges(app.listener, keyCheck);
  const operatorCheck = createOperatorCheck(app.db, app.clock);
  const sessionCheck = createSessionCheck({
    ...app,
    baseUrl: http.baseUrl,
    takesPasswords: config.passwordSignIn !== "off",
  });
  const checkSession = (request: FastifyRequest, reply: FastifyReply, isPersonal: boolean) =>
    sessionCheck.check(
      { ...clientOf(request), method: request.method, named: takeNamedAccount(request), isPersonal },
      (cookie) => reply.header("set-cookie", cookie),
    );
  const tools = messageTools(app, http);
  const health = {
    version: app.version,
    readHealth: healthOf(app, http),
    submission: () => submissionOf(config, tools.publicUrl()),
  };
  const deliverability = deliverabilityTools(app, tools.publicUrl);
  const domains = domainTools(app, tools.publicUrl);
  const withTools = { ...app, deliverability };
  const routes = apiRoutes(keyCheck, withTools, tools, health, createReadyNotifier(app.db), domains);
  mountRoutes({
    server: http.server,
    routes,
    db: app.db,
    secrets: app.secrets,
    clock: app.clock,
    log,
    baseUrl: http.baseUrl,
    rateLimitPerMinute: config.rateLimitPerMinute,
    recordAudit: createAuditRecorder(app.clock),
    async authenticate(request, reply) {
      const { authorization } = request.headers;
      const { isPersonal = false, ofInstance } = request.routeOptions.config.route ?? {};
      if (ofInstance) {
        const byKey = authorization !== undefined && (await operatorCheck.checkKey(authorization));
        if (byKey) return byKey;
        if (authorization !== undefined) return keyCheck.check(authorization, request.ip);
        const person = await checkSession(request, reply, true);
        return person && !(person instanceof AppError) ? operatorCheck.checkPerson(person) : person;
      }
      return authorization === undefined
        ? checkSession(request, reply, isPersonal)
        : keyCheck.check(authorization, request.ip);
    },
  });
  mountDownloads(http.server.fastify, { ...app, campaigns: campaignRecipients, sentCampaigns });
  await mountDocs(http.server.fastify, {
    routes,
    messages: documentedMessages(),
    problems: sessionProblems,
    baseUrl: http.baseUrl,
    version: app.version,
  });
  mountAuthorFrame(http.server.fastify, {
    publicUrl: tools.publicUrl,
    async admit(request, reply) {
      const found = await checkSession(request, reply, true);
      if (found instanceof AppError) throw found;
      if (!found) throw new AppError(unauthorized, "sign in first");
    },
  });
  const dashboard = mountDashboard(http.server.fastify, { log, build: config.dashboardBuild });
  return {
    async stop() {
      await Promise.all([keyCheck.stop(), dashboard.stop()]);
    },
  };
}
