/** The `jobs` role does everything in the background. The lists in this file name every job and every timer. */
import { deleteAccountsJob } from "../account-data/jobs.ts";
import {
  endVisitJob,
  forgetOldSignUps,
  refusedFactorJob,
  refusedSignInJob,
  resealFactors,
} from "../accounts/accounts.ts";
import { forgetOldAlerts } from "../alerts/alerts.ts";
import { auditPartitions } from "../audit/audit.ts";
import {
  createCaughtUpTo,
  removeRunsJob,
  resealStepSecrets,
  startDates,
  startExecutor,
  startFeed,
  startOutbox,
  startSegments,
} from "../automations/automations.ts";
import {
  archiveDrainedJob,
  automationJobs,
  enrollJob,
  readFollowing,
  sweepRulesJob,
} from "../automations/jobs.ts";
import { allowAheadJob, closeStatementsJob, createPayments, stripeJobs } from "../billing/billing.ts";
import {
  campaignOwner,
  followAllowancesJob,
  quotaJobs,
  startSchedule,
  tagRecipientsJob,
} from "../campaigns/campaigns.ts";
import { removeOldReports, takeArrival, takeReportMail } from "../deliverability/deliverability.ts";
import { deliverabilityJobs } from "../deliverability/jobs.ts";
import {
  createReadyNotifier,
  deliveryJobs,
  findByProviderId,
  forgetClosings,
  judgeAccounts,
  ledgerPartitions,
  readAcceptedAt,
  removeOldEgressAddresses,
  removeOldTransportDays,
  resealPasswords,
  rollUpReputationJob,
  rollUpUsageJob,
} from "../delivery/delivery.ts";
import { resealDomainKeys, startDomainWatching } from "../domains/domains.ts";
import {
  type AcceptTools,
  createRoomFinder,
  createSenderFinder,
  createWaveFinder,
  emailPartitions,
} from "../emails/emails.ts";
import { emailJobs } from "../emails/jobs.ts";
import { adoptEventsAfterRestore, eventPartitions } from "../events/events.ts";
import { tidyForms } from "../forms/forms.ts";
import { signUpJob } from "../forms/jobs.ts";
import {
  createActingTools,
  inboundHandlers,
  inboundPartitions,
  readProviderBody,
  removeOldInbound,
  reportPartitions,
  resealEndpointSecrets,
  resealMailboxes,
  startMailboxPolling,
  storeInbound,
} from "../inbound/inbound.ts";
import { inboundJobs } from "../inbound/jobs.ts";
import { createLinkTokens, createReturnPaths, probingJob } from "../messages/messages.ts";
import { createTellPeople, forgetOldMails, noticeJobs } from "../notices/notices.ts";
import type { Config } from "../platform/config/settings.ts";
import { maintainPartitions, type PartitionedTable } from "../platform/db/partitions.ts";
import { idempotencyPartitions } from "../platform/http/idempotency.ts";
import { type AnyJob, defineJob, freeJobsOf, type Job, removeReplacedJobs } from "../platform/jobs/jobs.ts";
import { startJobRunner } from "../platform/jobs/runner.ts";
import { startTimers, type Timer } from "../platform/jobs/timers.ts";
import { createGuardedClient } from "../platform/net/guarded-client.ts";
import { createResolveName } from "../platform/net/resolve-name.ts";
import { watchWorkers } from "../platform/workers/watch.ts";
import { removeOldWorkers } from "../platform/workers/workers.ts";
import { forgetOldLinks } from "../preferences/preferences.ts";
import { removeOldDomains, startDomainLookUps } from "../recipient-domains/recipient-domains.ts";
import { subscriberMailJobs } from "../subscriber-mail/jobs.ts";
import { createSubscriberLinks, forgetOldSubscriberMails } from "../subscriber-mail/subscriber-mail.ts";
import {
  bulkChangeJobs,
  customEventPartitions,
  engagementPartitions,
  importJobs,
  removeListJob,
  removeOldKeys,
  removeOldSoftBounces,
  sunsetJobs,
  thinGrowthJob,
} from "../subscribers/subscribers.ts";
import { createTemplateFiller } from "../templates/templates.ts";
import { removeOldHitGroups, startCounting, trackingPartitions } from "../tracking/tracking.ts";
import {
  deliveryPartitions,
  removeDeliveriesJob,
  resealWebhooks,
  startWebhookDelivery,
} from "../webhooks/webhooks.ts";
import { addressesInEvents } from "./addresses-in-events.ts";
import type { App, Role } from "./app.ts";
import { deliverabilityTools } from "./deliverability-tools.ts";
import { domainTools } from "./domain-tools.ts";
import type { Http } from "./http.ts";
import { mailTestTools } from "./mail-test-tools.ts";
import { messageTools } from "./message-tools.ts";
import { sourceOwner } from "./source-owner.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A group of hits whose answer was lost is stored again within seconds, or when the database is back. */
const HIT_GROUPS_KEPT_MS = 6 * HOUR_MS;

/** Rows of these tables are kept for a time only. Partitions are made ahead of time and dropped when they are old. */
export function partitionedTables(config: Pick<Config, "emailRetentionDays">): readonly PartitionedTable[] {
  return [
    idempotencyPartitions,
    eventPartitions,
    auditPartitions,
    ...ledgerPartitions,
    ...trackingPartitions,
    ...engagementPartitions,
    customEventPartitions,
    ...emailPartitions(config.emailRetentionDays),
    ...inboundPartitions,
    ...reportPartitions,
    deliveryPartitions,
  ];
}

function maintaining(config: Config): Job<Record<string, never>> {
  return defineJob<Record<string, never>>({
    name: "maintain_partitions",
    run: async ({ db, clock, log }) => {
      await maintainPartitions(db, clock, partitionedTables(config), log);
      // The start does this too, but a standby may be promoted while the process runs.
      await adoptEventsAfterRestore(db, log);
    },
  });
}

const cleanUp = defineJob<Record<string, never>>({
  name: "clean_up",
  run: async ({ db, clock, log }) => {
    await removeOldWorkers(db);
    await removeReplacedJobs(db);
    await forgetClosings({ db, clock, log });
    await forgetOldAlerts(db, clock.now());
    await forgetOldMails(db, clock.now());
    await forgetOldSignUps(db, clock.now());
    await tidyForms(db, clock.now());
    await forgetOldSubscriberMails(db, clock.now());
    await forgetOldLinks(db, clock.now());
    await removeOldInbound(db, clock.now());
    await removeOldReports(db, clock.now());
    await removeOldTransportDays(db, clock.now());
    await removeOldEgressAddresses(db);
    await removeOldDomains(db, clock.now());
    await removeOldSoftBounces(db, clock.now());
    await removeOldKeys(db, clock.now());
    await removeOldHitGroups(db, new Date(clock.now().getTime() - HIT_GROUPS_KEPT_MS));
  },
});

const jobs: readonly AnyJob[] = [
  cleanUp,
  deleteAccountsJob,
  removeListJob,
  removeDeliveriesJob,
  removeRunsJob,
  tagRecipientsJob,
  thinGrowthJob,
  rollUpReputationJob,
  rollUpUsageJob,
  closeStatementsJob,
  allowAheadJob,
  ...quotaJobs,
  ...automationJobs,
];

const judgeAccountsJob = defineJob<Record<string, never>>({ name: "judge_accounts", run: judgeAccounts });

const timers: readonly Timer[] = [
  { everyMs: HOUR_MS, job: cleanUp },
  { everyMs: 15 * MINUTE_MS, job: deleteAccountsJob },
  { everyMs: 5 * MINUTE_MS, job: judgeAccountsJob },
  { everyMs: DAY_MS, job: thinGrowthJob },
  { everyMs: HOUR_MS, job: rollUpReputationJob },
  { everyMs: HOUR_MS, job: rollUpUsageJob },
  { everyMs: 5 * MINUTE_MS, job: closeStatementsJob },
  { everyMs: HOUR_MS, job: allowAheadJob },
  { everyMs: MINUTE_MS, job: followAllowancesJob },
  { everyMs: MINUTE_MS, job: archiveDrainedJob },
];

/** Stored secrets are sealed anew with the current SECRET_KEY, so that they outlast its rotation. */
function resealing(secrets: App["secrets"]): Job<Record<string, never>> {
  return defineJob<Record<string, never>>({
    name: "reseal",
    run: async ({ db }) => {
      await resealPasswords(db, secrets);
      await resealEndpointSecrets(db, secrets);
      await resealMailboxes(db, secrets);
      await resealWebhooks(db, secrets);
      await resealStepSecrets(db, secrets);
      await resealDomainKeys(db, secrets);
      await resealFactors(db, secrets);
    },
  });
}

/** What comes to the addresses of an account's own, by their kind. */
const others: Parameters<typeof inboundHandlers>[0]["others"] = {
  dmarc_report: takeReportMail,
  mail_test: takeArrival,
};

/** A report is believed by a MAC of ours, in a return path or in a link, which only the account's own mail has. */
function handlersOf({ hashAddress, secrets, linkKey }: App) {
  const returnPaths = createReturnPaths(linkKey);
  const linkTokens = createLinkTokens(linkKey);
  const tools = createActingTools({
    hashAddress,
    secrets,
    owner: sourceOwner,
    verifyToken(token, accountId) {
      const read = returnPaths.read(token);
      if (read) return returnPaths.verify(read, accountId) ? read : null;
      const linked = linkTokens.read(token);
      return linked?.accountId === accountId ? linked : null;
    },
    findByProviderId,
  });
  return inboundHandlers({ ...tools, readProviderBody, others });
}

const every = (everyMs: number, some: readonly Timer["job"][]): Timer[] =>
  some.map((job) => ({ everyMs, job }));

export async function startJobs(app: App, http: Http): Promise<Role> {
  const { db, clock, log, connection, metrics, secrets, relay } = app;
  const { internalHosts = [] } = app.config;
  const imports = importJobs(app);
  const resealJob = resealing(secrets);
  const maintainTables = maintaining(app.config);
  const tools = messageTools(app, http);
  const links = createSubscriberLinks(app.linkKey, tools.publicUrl);
  const probeJob = probingJob(secrets, tools.publicUrl);
  const accept: AcceptTools = {
    secrets,
    hashAddress: app.hashAddress,
    workers: app.contentWorkers,
    fillTemplate: createTemplateFiller(app.contentWorkers),
    hasInstanceServer: relay !== undefined,
    wakeSenders: createReadyNotifier(db),
    findWave: createWaveFinder(relay !== undefined),
    findRoom: createRoomFinder(),
    senders: createSenderFinder(app.signing, app.config.unverifiedSenders),
    publicUrl: tools.publicUrl,
  };
  const inbound = handlersOf(app);
  const ownTools = deliverabilityTools(app, tools.publicUrl);
  const mailTests = mailTestTools(app, ownTools);
  const deliverability = deliverabilityJobs({ ...ownTools, mailTests });
  const sunset = sunsetJobs(campaignOwner.sentCampaigns);
  const sent = campaignOwner.sentCampaigns;
  const sweepRules = sweepRulesJob({ sent });
  const payments = stripeJobs(createPayments(app.config));
  const common = { db, clock, log };
  const runner = await startJobRunner({
    ...common,
    connection,
    jobs: [
      ...jobs,
      judgeAccountsJob,
      resealJob,
      maintainTables,
      probeJob,
      ...imports.jobs,
      ...bulkChangeJobs({ hashAddress: app.hashAddress, sentCampaigns: campaignOwner.sentCampaigns }),
      ...sunset.jobs,
      ...payments.jobs,
      enrollJob({ sent }),
      sweepRules,
      signUpJob(app),
      refusedSignInJob(secrets),
      endVisitJob,
      refusedFactorJob(),
      ...emailJobs(accept),
      ...noticeJobs({
        accept,
        systemFrom: app.systemFrom,
        baseUrl: http.baseUrl,
        takesPasswords: app.config.passwordSignIn !== "off",
      }),
      ...subscriberMailJobs({ accept, systemFrom: app.systemFrom, links }),
      ...deliverability.jobs,
      ...inboundJobs({ secrets, handlers: inbound }),
      ...deliveryJobs({ owner: sourceOwner, secrets, relay, internalHosts }),
    ],
    concurrency: app.config.jobConcurrency,
    onFinished: metrics.countJob,
  });
  const watch = watchWorkers({
    ...common,
    connection,
    free: async (tx, worker) => {
      if (worker.lock_name) await freeJobsOf(tx, worker.lock_name);
    },
  });
  const everyHour = [maintainTables, imports.tidyUp, resealJob, ...deliverability.hourly, ...payments.hourly];
  const own: Timer[] = [
    ...every(MINUTE_MS, [...deliverability.everyMinute, ...payments.everyMinute]),
    ...every(15 * MINUTE_MS, [sweepRules]),
    ...every(HOUR_MS, everyHour),
    ...every(DAY_MS, [probeJob, sunset.daily, ...deliverability.daily, ...payments.daily]),
  ];
  const ticking = startTimers(db, [...timers, ...own], log);
  const schedule = startSchedule({ ...common, tools });
  const leading = { ...common, sent, caughtUpTo: createCaughtUpTo(clock) };
  const automations = startExecutor({
    ...leading,
    listener: app.listener,
    hash: app.hashAddress,
    hasInstanceServer: relay !== undefined,
    readFollowing,
  });
  const feed = startFeed(leading);
  const dates = startDates(leading);
  const segments = startSegments(leading);
  const counting = startCounting({
    ...common,
    readAccepted: readAcceptedAt,
    idsInEvents: sourceOwner.idsInEvents,
  });
  const returnPaths = createReturnPaths(app.linkKey);
  const mailboxes = startMailboxPolling({
    ...common,
    listener: app.listener,
    secrets,
    internalHosts,
    readItem: inbound.readItem,
    storeInbound: (tx, items) => storeInbound(tx, { secrets, clock }, items),
    verifyAddress: (localPart, accountId) => {
      const read = returnPaths.read(localPart);
      return read && returnPaths.verify(read, accountId) ? read : null;
    },
  });
  const domains = startDomainWatching(domainTools(app, tools.publicUrl));
  const recipientDomains = startDomainLookUps(app);
  const client = createGuardedClient({ internalHosts, resolve: createResolveName(app.dns, internalHosts) });
  const outbox = startOutbox({
    ...common,
    listener: app.listener,
    secrets,
    client,
    tellPeople: createTellPeople({ accept, systemFrom: app.systemFrom, baseUrl: http.baseUrl }),
  });
  const webhooks = startWebhookDelivery({
    ...common,
    listener: app.listener,
    secrets,
    client,
    addressesOf: (queryable, accountId, events) => addressesInEvents(app, queryable, accountId, events),
  });
  return {
    async stop(graceMs) {
      await Promise.all([
        webhooks.stop(graceMs),
        outbox.stop(graceMs),
        mailboxes.stop(),
        domains.stop(),
        recipientDomains.stop(),
        schedule.stop(),
        automations.stop(),
        feed.stop(),
        dates.stop(),
        segments.stop(),
        counting.stop(),
        ticking.stop(),
        watch.stop(),
        runner.stop(graceMs),
      ]);
    },
  };
}
