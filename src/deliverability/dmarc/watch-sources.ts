/** Tells an account when somebody new sends in its domains' names, and when its own mail fails, as far as reports say so. */
import { closeAlert, listSubjects, openAlert } from "../../alerts/alerts.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { listNewUnknown, listOwnMail, type OwnMail, type SourceMail } from "./source-store.ts";

/** The addresses that the account's transports are known to send from. */
export type OwnAddresses = (db: Queryable, accountId: string) => Promise<readonly string[]>;

/** The alerts that are opened and closed by what reports say. */
export const SOURCE_ALERTS = ["dmarc_unknown_source", "dmarc_failing"] as const;

const DAY_MS = 24 * 3_600_000;
const NEW_FOR_DAYS = 14;
/** Fewer are forwarded mail and the odd forgery, which every domain sees. */
const UNKNOWN_AT_LEAST = 100;
const MOST_NAMED = 10;
const OWN_DAYS = 7;
const OWN_AT_LEAST = 10;
const OWN_SHARE = 0.05;
const CRITICAL_SHARE = 0.5;

export async function watchSources(ctx: TxCtx, ownAddresses: OwnAddresses): Promise<void> {
  const own = await ownAddresses(ctx.sql, ctx.accountId);
  await tellOfUnknown(ctx, own);
  await tellOfFailing(ctx, own);
}

async function tellOfUnknown(ctx: TxCtx, own: readonly string[]): Promise<void> {
  const since = daysAgo(ctx, NEW_FOR_DAYS);
  const fromDay = dayOf(since);
  const found = await listNewUnknown(ctx.sql, ctx.accountId, {
    own,
    since,
    fromDay,
    atLeast: UNKNOWN_AT_LEAST,
  });
  const byDomain = Map.groupBy(found, ({ domain_id }) => domain_id);
  for (const sources of byDomain.values()) await openUnknown(ctx, sources);
  await closeOthers(ctx, "dmarc_unknown_source", [...byDomain.keys()]);
}

/** There is one alert for a domain, since who forges mail does it from many addresses. It is told again, once a day, of new ones. */
async function openUnknown(ctx: TxCtx, sources: readonly SourceMail[]): Promise<void> {
  const [first] = sources;
  if (!first) return;
  const named = sources.slice(0, MOST_NAMED);
  const count = (value: number) => value.toLocaleString("en-GB");
  const list = named.map(({ ip, host, unaligned }) => `${host ?? ip} (${count(unaligned)})`).join(", ");
  await openAlert(ctx, {
    kind: "dmarc_unknown_source",
    subject: toPublicId("dom", first.domain_id),
    severity: "warning",
    stateKey: dayOf(new Date(Math.max(...sources.map(({ first_seen_at }) => first_seen_at.getTime())))),
    title: `An unknown source sends mail from ${first.domain}`,
    detail: `Within ${NEW_FOR_DAYS} days, mail in the name of ${first.domain} came from addresses that aren't yours, and failed DMARC: ${list}.`,
    remedy:
      "If it is a service of yours, let it sign with your domain (DKIM), or add it to SPF. If it isn't, somebody forges your mail: " +
      "a policy of quarantine or reject makes receivers refuse it, once your own mail passes.",
    data: {
      domain_id: toPublicId("dom", first.domain_id),
      sources: named.map(({ ip, host, messages, unaligned }) => ({ ip, host, messages, failed: unaligned })),
    },
  });
}

async function tellOfFailing(ctx: TxCtx, own: readonly string[]): Promise<void> {
  const fromDay = dayOf(daysAgo(ctx, OWN_DAYS));
  const mail = own.length > 0 ? await listOwnMail(ctx.sql, ctx.accountId, { own, fromDay }) : [];
  const failing = mail.filter(
    ({ messages, unaligned }) => unaligned >= OWN_AT_LEAST && unaligned >= OWN_SHARE * messages,
  );
  for (const one of failing) await openFailing(ctx, one);
  await closeOthers(
    ctx,
    "dmarc_failing",
    failing.map(({ domain_id }) => domain_id),
  );
}

async function openFailing(ctx: TxCtx, { domain_id, domain, messages, unaligned }: OwnMail): Promise<void> {
  const percent = Math.round((100 * unaligned) / messages);
  await openAlert(ctx, {
    kind: "dmarc_failing",
    subject: toPublicId("dom", domain_id),
    severity: unaligned >= CRITICAL_SHARE * messages ? "critical" : "warning",
    title: `Your mail from ${domain} fails DMARC`,
    detail: `Of what your transports sent from ${domain} within ${OWN_DAYS} days, receivers report ${percent} % as failing: neither DKIM nor SPF matched the domain of the sender.`,
    remedy: "Look at the domain's records, and let a mail test show which signature a mail leaves with.",
    data: { domain_id: toPublicId("dom", domain_id), messages, failed: unaligned },
  });
}

/** Closes what is over. An alert's subject is the public id of its domain. */
async function closeOthers(
  ctx: TxCtx,
  kind: (typeof SOURCE_ALERTS)[number],
  domainIds: readonly string[],
): Promise<void> {
  const stillOpen = new Set(domainIds.map((id) => toPublicId("dom", id)));
  const subjects = await listSubjects(ctx.sql, ctx.accountId, kind);
  for (const subject of subjects) if (!stillOpen.has(subject)) await closeAlert(ctx, kind, subject);
}

function daysAgo({ clock }: TxCtx, days: number): Date {
  return new Date(clock.now().getTime() - days * DAY_MS);
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
