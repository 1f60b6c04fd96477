/**
 * Reports that come back later close a provider too: a relay says 250 to everything, and what the provider said comes as mail or by a webhook.
 * Whoever has had a mail of ours could forge a report of it, so it takes several mails, and only the account's own mail is held back.
 */
import { providerOfDomain } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { TxCtx } from "../../platform/context.ts";
import { sql, type Tx, type Writable } from "../../platform/db/db.ts";
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
  const transports = await readTransports(ctx, told);
  const byPlace = Map.groupBy(told, ({ sourceId, provider, meaning: { reason } }) =>
    JSON.stringify([transports.get(sourceId) ?? SANDBOX_TRANSPORT, provider, reason]),
  );
  // Two transactions that write about the same transports must do so in the same order.
  for (const key of [...byPlace.keys()].toSorted()) {
    const [transportId = "", provider = ""] = JSON.parse(key) as string[];
    const group = byPlace.get(key) ?? [];
    const [first] = group;
    if (!first || transportId === SANDBOX_TRANSPORT) continue;
    const place = { transportId, provider, reason: first.meaning.reason };
    const contacts = group.map(({ contactId }) => contactId);
    if ((await noteReports(ctx, place, contacts)) < MAILS) continue;
    await closeFor(ctx, place, first.meaning, first.diagnostic);
  }
}

type Place = {
  readonly transportId: string;
  readonly provider: string;
  readonly reason: ReplyMeaning["reason"];
};

async function closeFor(
  ctx: TxCtx,
  { transportId, provider }: Place,
  { reason, closeMs, alert }: ReplyMeaning,
  diagnostic: string,
): Promise<void> {
  const key = { accountId: ctx.accountId, transportId, provider, fromDomain: "" };
  const reply = withoutAddresses(diagnostic);
  await closeProvider(ctx, key, { reason, closeMs, alert, reply, toldBy: "report" });
  await forgetReports(ctx.sql, ctx.accountId, transportId, provider);
}

async function readTransports(
  { sql: tx, accountId }: TxCtx,
  told: readonly ProviderReport[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(told.map(({ sourceId }) => sourceId))];
  const rows = await tx.many<{ id: string; transport_id: string }>(
    sql`select id, transport_id from sources where account_id = ${accountId} and id = any(${ids}::uuid[])`,
  );
  return new Map(rows.map((row) => [row.id, row.transport_id]));
}

/** Notes of which mails it was told, each once, and returns how many those are within the time that counts. */
async function noteReports(
  { sql: tx, accountId, clock }: TxCtx,
  { transportId, provider, reason }: Place,
  contacts: readonly string[],
): Promise<number> {
  const now = clock.now();
  await tx.execute(sql`
    insert into provider_reports (account_id, transport_id, provider, reason, contact_id, at)
    select ${accountId}, ${transportId}, ${provider}, ${reason}, contact_id, ${now}
    from unnest(${[...new Set(contacts)].toSorted()}::uuid[]) as contact_id
    on conflict do nothing`);
  const since = new Date(now.getTime() - WITHIN_MS);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) as count from provider_reports
    where account_id = ${accountId} and transport_id = ${transportId} and provider = ${provider} and reason = ${reason} and at > ${since}`);
  return count;
}

/** Mails that are counted for one closing aren't counted for the next. */
async function forgetReports(
  tx: Tx,
  accountId: string,
  transportId: string,
  provider: string,
): Promise<void> {
  await tx.execute(sql`
    delete from provider_reports
    where account_id = ${accountId} and transport_id = ${transportId} and provider = ${provider}`);
}

/** The index provider_reports_by_time serves it, over all accounts. */
export async function removeOldReports(db: Writable, now: Date): Promise<void> {
  await db.execute(sql`delete from provider_reports where at < ${new Date(now.getTime() - 2 * WITHIN_MS)}`);
}
