/**
 * The checklist of what Gmail, Yahoo, Microsoft and Apple ask of whoever sends much mail: each rule judged by the account's own data,
 * with evidence, remedy and source. The rules are pure; this file gathers what they want to know. It is the room's face.
 */
import { getAccount } from "../../accounts/accounts.ts";
import {
  type GroupDay,
  listRecentRevisions,
  readAfterUnsubscribes,
  readByDomainGroup,
} from "../../delivery/delivery.ts";
import { countComplaintsByDomain } from "../../inbound/inbound.ts";
import { readFrozenSenders, readProbed } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { countDoubleOptIn } from "../../subscribers/subscribers.ts";
import type { Evidence, KnownDomain, ReportedMail, TestedMail, Volume } from "./evidence.ts";
import { rateOf, sendsComplaints } from "./judge-people.ts";
import { PROVIDER_DOMAINS, providerOf } from "./providers.ts";
import { listRates } from "./rate-store.ts";
import { RULES } from "./rules.ts";
import { type Checklist, PROVIDERS } from "./schema.ts";
import { RULES_AS_OF } from "./sources.ts";

const DAY_MS = 24 * 3_600_000;
const LOOKED_BACK_MS = 30 * DAY_MS;
const TESTS_COUNT_MS = 90 * DAY_MS;
/** From so many mails a day on, Gmail and Microsoft call a sender a bulk sender. Yahoo tells no number. */
const BULK = 5_000;
const MOST_REVISIONS = 20;
const MOST_UNSUBSCRIBED = 500;

/** What other floors and rooms know. */
export type ChecklistTools = {
  readonly publicUrl: () => string;
  readonly listDomains: (db: Queryable, accountId: string) => Promise<readonly KnownDomain[]>;
  /** The newest test of each transport since then. */
  readonly findTests: (db: Queryable, accountId: string, since: Date) => Promise<readonly TestedMail[]>;
  /** What DMARC reports say of mail by the account's own addresses since then; null where they tell of none. */
  readonly readReported: (db: Queryable, accountId: string, since: Date) => Promise<ReportedMail | null>;
};

export async function readChecklist(ctx: Ctx, tools: ChecklistTools): Promise<Checklist> {
  const evidence = await gather(ctx, tools);
  const volumes = evidence.volumes.map((volume) => shapeVolume(volume, evidence));
  return {
    object: "sender_checklist",
    data: RULES.map(({ code, group, isRequired, title, sources, judge }) => ({
      code,
      group,
      providers: [...new Set(sources.map(({ provider }) => provider))],
      is_required: isRequired,
      title,
      sources: sources.map((source) => ({ ...source })),
      ...judge(evidence),
    })),
    volumes,
    is_bulk: volumes.some((volume) => volume.is_bulk),
    rules_as_of: RULES_AS_OF,
    as_of: ctx.clock.now().toISOString(),
  };
}

async function gather(ctx: Ctx, tools: ChecklistTools): Promise<Evidence> {
  const { sql: db, accountId, clock } = ctx;
  const now = clock.now().getTime();
  const since = new Date(now - LOOKED_BACK_MS);
  const [from, domains, tests, reported, days, complaints, rates, unsubscribes, probed, lists] =
    await Promise.all([
      readSenders(db, accountId, since),
      tools.listDomains(db, accountId),
      tools.findTests(db, accountId, new Date(now - TESTS_COUNT_MS)),
      tools.readReported(db, accountId, since),
      readByDomainGroup(db, accountId, PROVIDER_DOMAINS, since),
      countComplaintsByDomain(db, accountId, since),
      listRates(db, accountId, since),
      readAfterUnsubscribes(db, accountId, since, MOST_UNSUBSCRIBED),
      readProbed(db),
      countDoubleOptIn(db, accountId),
    ]);
  const volumes = volumesOf(days, complaints);
  const publicUrl = tools.publicUrl();
  return { ...from, domains, tests, reported, volumes, rates, unsubscribes, publicUrl, probed, lists };
}

/** Those of the campaigns of late; where there was none, the account's own. */
async function readSenders(
  db: Queryable,
  accountId: string,
  since: Date,
): Promise<Pick<Evidence, "senders" | "hasCampaigns">> {
  const [revisions, account] = await Promise.all([
    listRecentRevisions(db, accountId, since, MOST_REVISIONS),
    getAccount(db, accountId),
  ]);
  if (revisions.length > 0)
    return { senders: await readFrozenSenders(db, accountId, revisions), hasCampaigns: true };
  const from = account?.from_email;
  const own = from ? [{ from, replyTo: account.reply_to, publicUrl: "" }] : [];
  return { senders: own, hasCampaigns: false };
}

function volumesOf(
  days: readonly GroupDay[],
  complaints: readonly { readonly domain: string; readonly count: number }[],
): Volume[] {
  return PROVIDERS.map((provider) => {
    const own = days.filter(({ group }) => group === provider);
    const complained = complaints.filter(({ domain }) => providerOf(domain) === provider);
    return {
      provider,
      accepted: Math.round(own.reduce((sum, { sent }) => sum + sent, 0)),
      hardBounces: Math.round(own.reduce((sum, { hard }) => sum + hard, 0)),
      mostInADay: Math.round(Math.max(0, ...own.map(({ sent }) => sent))),
      complaints: complained.reduce((sum, one) => sum + one.count, 0),
    };
  });
}

function shapeVolume(volume: Volume, { rates }: Evidence): Checklist["volumes"][number] {
  const { provider, accepted, mostInADay, complaints } = volume;
  const rate = rateOf(provider, rates, volume);
  return {
    provider,
    accepted,
    most_in_a_day: mostInADay,
    complaints: sendsComplaints(provider) ? complaints : null,
    complaint_rate: rate?.rate ?? null,
    complaint_rate_source: rate?.source ?? null,
    is_bulk: mostInADay >= BULK,
  };
}
