/**
 * Reports that come back later close a provider too: a relay says 250 to everything, and what the provider said comes as mail or by a webhook.
 * Whoever has had a mail of ours could forge a report of it, so it takes several mails, and only the account's own mail is held back.
 */
import { providerOfDomain } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { TxCtx } from "../../platform/context.ts";
import { type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { createProviderDirectory } from "../../recipient-domains/recipient-domains.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { closeProvider } from "./close.ts";
import { withoutAddresses } from "./closings.ts";
import { type ReplyMeaning, readProviderReply } from "./reply-rules.ts";

/** What a report says of one mail that had left. */
export type ProviderReport = {
  readonly sourceId: string;
  readonly contactId: string;
  /** The recipient's domain, in lower case; "" where nobody knows it any more. */
  readonly domain: string;
  readonly status: string | null;
  readonly diagnostic: string;
};

/** So many different mails, within this time, must say the same. */
const MAILS = 3;
const WITHIN_MS = 3_600_000;

export async function heedReports(ctx: TxCtx, reports: readonly ProviderReport[]): Promise<void> {
  const known = reports.filter(({ domain }) => domain !== "");
  if (known.length === 0) return;
  const directory = createProviderDirectory(ctx.sql, ctx.clock);
  const unknown = known.map(({ domain }) => domain).filter((domain) => !providerOfDomain(domain));
  await directory.load(unknown);
  const told = known.flatMap((report) => {
    const { domain, status: enhanced, diagnostic: text } = report;
    const provider = directory.of(domain);
    const meaning = readProviderReply({ provider, code: null, enhanced, text, phase: "report" });
    return meaning ? [{ ...report, provider, meaning }] : [];
  });
  if (told.length === 0) return;
  const ways = await readWays(ctx, told);
  const placed = told.flatMap(({ meaning, provider, ...report }, at) => {
    const { transportId, fromDomain } = ways[at] ?? NO_WAY;
    const isAboutDomain = meaning.scope === "from_domain";
    // Whom it is about isn't known any more.
    if (transportId === SANDBOX_TRANSPORT || (isAboutDomain && fromDomain === "")) return [];
    const place = {
      transportId,
      provider,
      fromDomain: isAboutDomain ? fromDomain : "",
      reason: meaning.reason,
    };
    return [{ ...report, meaning, place, key: JSON.stringify(Object.values(place)) }];
  });
  const byPlace = Map.groupBy(placed, ({ key }) => key);
  // Two transactions that write about the same transports must do so in the same order.
  for (const key of [...byPlace.keys()].toSorted()) {
    const group = byPlace.get(key) ?? [];
    const [first] = group;
    if (!first) continue;
    const { mails, domains } = await noteReports(ctx, first.place, group);
    if (mails >= MAILS && domains >= first.meaning.domains)
      await closeFor(ctx, first.place, first.meaning, first.diagnostic);
  }
}

type Place = {
  readonly transportId: string;
  readonly provider: string;
  /** The domain in From that it is about; "" where it is about the transport. */
  readonly fromDomain: string;
  readonly reason: ReplyMeaning["reason"];
};

async function closeFor(
  ctx: TxCtx,
  place: Place,
  { reason, closeMs, alert }: ReplyMeaning,
  diagnostic: string,
): Promise<void> {
  const { transportId, provider, fromDomain } = place;
  const reply = withoutAddresses(diagnostic);
  const key = { accountId: ctx.accountId, transportId, provider, fromDomain };
  await closeProvider(ctx, key, { reason, closeMs, alert, reply, toldBy: "report" });
  await forgetReports(ctx.sql, ctx.accountId, place);
}

/** By which transport a mail left, and from which domain. */
type MailWay = Pick<Place, "transportId" | "fromDomain">;
const NO_WAY: MailWay = { transportId: SANDBOX_TRANSPORT, fromDomain: "" };

/**
 * Reads how each mail left, as its flow says: its source may leave by another transport since. A mail without a flow counts for the transport of
 * its source. The primary keys of the ledger, of sources and of mail_flows serve it.
 */
function readWays(
  { sql: tx, accountId }: TxCtx,
  told: readonly ProviderReport[],
): Promise<readonly MailWay[]> {
  const sources = told.map(({ sourceId }) => sourceId);
  const contacts = told.map(({ contactId }) => contactId);
  return tx.many<MailWay>(sql`
    select coalesce(m.transport_id, src.transport_id, ${SANDBOX_TRANSPORT}) as "transportId", coalesce(m.from_domain, '') as "fromDomain"
    from unnest(${sources}::uuid[], ${contacts}::uuid[]) with ordinality as t (source_id, contact_id, n)
    left join sources src on src.account_id = ${accountId} and src.id = t.source_id
    left join lateral (
      select d.flow_id from deliveries d
      where d.account_id = ${accountId} and d.source_id = t.source_id and d.contact_id = t.contact_id limit 1) as d on true
    left join mail_flows m on m.account_id = ${accountId} and m.id = d.flow_id
    order by n`);
}

/** Notes of which mails it was told, each once, and returns how many those are within the time that counts, and to how many domains. */
async function noteReports(
  { sql: tx, accountId, clock }: TxCtx,
  place: Place,
  group: readonly ProviderReport[],
): Promise<{ mails: number; domains: number }> {
  const now = clock.now();
  const { transportId, provider, fromDomain, reason } = place;
  const domains = new Map(group.map(({ contactId, domain }) => [contactId, domain]));
  const contacts = [...domains.keys()].toSorted();
  await tx.execute(sql`
    insert into provider_reports (account_id, transport_id, provider, from_domain, reason, contact_id, to_domain, at)
    select ${accountId}, ${transportId}, ${provider}, ${fromDomain}, ${reason}, contact_id, to_domain, ${now}
    from unnest(${contacts}::uuid[], ${contacts.map((one) => domains.get(one) ?? "")}::text[]) as told (contact_id, to_domain)
    on conflict do nothing`);
  const since = new Date(now.getTime() - WITHIN_MS);
  return tx.one<{ mails: number; domains: number }>(sql`
    select count(*) as mails, count(distinct to_domain) as domains from provider_reports
    where ${isOf(accountId, place)} and reason = ${reason} and at > ${since}`);
}

/** Mails that are counted for one closing aren't counted for the next. */
async function forgetReports(tx: Tx, accountId: string, place: Place): Promise<void> {
  await tx.execute(sql`delete from provider_reports where ${isOf(accountId, place)}`);
}

function isOf(accountId: string, { transportId, provider, fromDomain }: Place): Sql {
  return sql`account_id = ${accountId} and transport_id = ${transportId} and provider = ${provider} and from_domain = ${fromDomain}`;
}

/** The index provider_reports_by_time serves it, over all accounts. */
export async function removeOldReports(db: Writable, now: Date): Promise<void> {
  await db.execute(sql`delete from provider_reports where at < ${new Date(now.getTime() - 2 * WITHIN_MS)}`);
}
