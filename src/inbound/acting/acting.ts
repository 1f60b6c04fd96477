/**
 * Acting: what follows from what comes back. Each report is matched with a mail, and what it says is carried out once, in whatever order
 * reports come. Every report gets an outcome, and a sentence that says why.
 */
import { heedReports, noteFeedback, settleByEvidence } from "../../delivery/delivery.ts";
import { parseAddress } from "../../mail/addresses.ts";
import type { TxCtx } from "../../platform/context.ts";
import { findErased } from "../../subscribers/subscribers.ts";
import { deleteItems } from "../intake/item-store.ts";
import { type Matched, matchReports } from "../matching/match.ts";
import { readItem } from "../reading/read-item.ts";
import { createStormWatch } from "../storms/storms.ts";
import type { InboundHandlers, InboundItem, Provider, Report, ReportOutcome } from "../types.ts";
import { carryOutArrivals } from "./arrivals.ts";
import { carryOutBounces } from "./bounces.ts";
import { carryOutComplaints } from "./complaints.ts";
import { forgetReports, insertReports, type ReportRow, takeReports } from "./report-store.ts";
import {
  believed,
  type Case,
  decideWithoutMail,
  evidenceOf,
  feedbackOf,
  type Made,
  providerReportOf,
  said,
} from "./rules.ts";
import type { ActingTools } from "./tools.ts";
import { carryOutUnsubscribes } from "./unsubscribes.ts";

export { countComplaintsByDomain } from "./complaints-by-domain.ts";
export { forgetReports, listReports, reportPartitions } from "./report-store.ts";
export type { ActingTools } from "./tools.ts";

/** A process has one. */
export function createActingTools(tools: Omit<ActingTools, "storms">): ActingTools {
  return { ...tools, storms: createStormWatch() };
}

export type ReadItem = { readonly item: InboundItem; readonly reports: readonly Report[] };

/** Acts on items of one account in one transaction. Returns what was made of each report, in the order of items and reports. */
export async function actOn(
  ctx: TxCtx,
  tools: ActingTools,
  read: readonly ReadItem[],
): Promise<readonly ReportOutcome[]> {
  const told = read.flatMap(({ item, reports }) => reports.map((report, n) => ({ item, report, n })));
  const earlier = await takeReports(
    ctx.sql,
    ctx.accountId,
    read.map(({ item }) => item.id),
  );
  const matches = await matchReports(ctx, tools, told);
  const cases = told.map((one, at): Case => {
    const match = matches[at];
    const mail = match?.mail ?? null;
    return { ...one, report: believed({ ...one, mail }), at: timeOf(one), mail, unmatched: match?.why ?? "" };
  });
  await settleByEvidence(ctx.sql, ctx.clock, cases.flatMap(evidenceOf));
  const made = await decideAll(ctx, tools, cases, earlier);
  await heedReports(ctx, cases.flatMap(providerReportOf));
  await insertReports(
    ctx.sql,
    tools.secrets,
    ctx.accountId,
    cases.map((one, at) => shapeRow(tools, one, made[at] as Made)),
  );
  await forgetErased(ctx, tools, cases);
  return cases.map(({ mail }, at) => {
    const { outcome, why } = made[at] as Made;
    return { outcome, why, named: mail && { sourceId: mail.sourceId, contactId: mail.contactId } };
  });
}

/** What comes back about a person after their erasure is forgotten at once, as what came before was. */
async function forgetErased(
  { sql, accountId }: TxCtx,
  { hashAddress }: ActingTools,
  cases: readonly Case[],
): Promise<void> {
  const addresses = cases.map(({ report }) => parseAddress(report.recipient ?? ""));
  const hashes = addresses.flatMap((one) => (one.ok ? [hashAddress(one.key)] : []));
  const people = cases.flatMap(({ mail }) => (mail ? [mail.personId] : []));
  const erased = await findErased(sql, accountId, { contactIds: people, hashes });
  if (erased.length === 0) return;
  const itemIds = await forgetReports(sql, accountId, erased);
  await deleteItems(sql, accountId, { contactIds: [], itemIds });
}

/** Reading and acting, as the job asks for them. */
export function inboundHandlers(
  tools: ActingTools & {
    readonly readProviderBody: (provider: Provider, raw: Buffer) => readonly Report[];
    readonly others: InboundHandlers["others"];
  },
): InboundHandlers {
  return {
    readItem: (item) => readItem(item, tools.readProviderBody),
    actOn: (ctx, item, reports) => actOn(ctx, tools, [{ item, reports }]),
    others: tools.others,
  };
}

/** Returns what is made of each. What the ledger knows already changes nothing. */
async function decideAll(
  ctx: TxCtx,
  tools: ActingTools,
  cases: readonly Case[],
  earlier: readonly ReportRow[],
): Promise<readonly Made[]> {
  const made = new Map<Case, Made>();
  for (const one of cases) {
    const decided = decideWithoutMail(one);
    if (decided) made.set(one, decided);
  }
  const returned = cases.filter((one) => !made.has(one) && feedbackOf(one) !== null);
  const noted = await noteFeedback(
    ctx,
    tools.owner,
    returned.flatMap((one) => feedbackOf(one) ?? []),
  );
  const fresh: Case[] = [];
  for (const [at, one] of returned.entries()) {
    if (noted[at] === "new") fresh.push(one);
    else made.set(one, known(one, noted[at], earlier));
  }
  for (const carryOut of [carryOutBounces, carryOutComplaints])
    for (const [one, what] of await carryOut(ctx, tools, fresh)) made.set(one, what);
  const undecided = cases.filter((one) => !made.has(one));
  for (const [one, what] of await carryOutArrivals(ctx, tools, undecided, earlier)) made.set(one, what);
  const wishes = cases.filter((one) => !made.has(one));
  for (const [one, what] of await carryOutUnsubscribes(ctx, tools, wishes))
    made.set(one, (what.outcome === "duplicate" && madeBefore(one, earlier)) || what);
  return cases.map((one) => made.get(one) ?? said("ignored", "nothing follows from it"));
}

/** An item that is read again keeps what was made of it. */
function known(one: Case, noted: string | undefined, earlier: readonly ReportRow[]): Made {
  if (noted === "never sent")
    return said("ignored", "the ledger says that this mail was never taken by a server");
  if (noted === "known") return said("duplicate", "the same came back of this mail before");
  return madeBefore(one, earlier) ?? said("duplicate", "this item was acted on when it was first read");
}

/** Returns what was made of a report when its item was read before. */
function madeBefore({ item, n, mail }: Case, earlier: readonly ReportRow[]): Made | undefined {
  const before = earlier.find(
    (row) => row.itemId === item.id && row.n === n && row.contactId === mail?.contactId,
  );
  return before && { outcome: before.outcome, why: before.why, stormId: before.stormId };
}

/** What is told of the time is believed as far as it can be so: not before the last 30 days, and not after it came. */
function timeOf({ item, report }: { readonly item: InboundItem; readonly report: Report }): Date {
  const toldMs = report.at?.getTime() ?? Number.NaN;
  const cameMs = item.receivedAt.getTime();
  return toldMs <= cameMs && toldMs > cameMs - OLDEST_MS ? new Date(toldMs) : item.receivedAt;
}

const OLDEST_MS = 30 * 24 * 3_600_000;

function shapeRow({ hashAddress }: ActingTools, one: Case, made: Made) {
  const { item, report, n, mail } = one;
  const { kind, reason, status, recipient, diagnostic } = report;
  const address = parseAddress(recipient ?? "");
  return {
    itemId: item.id,
    n,
    kind,
    class: report.class,
    reason,
    status,
    ...matchOf(mail),
    outcome: made.outcome,
    why: made.why,
    stormId: made.stormId ?? null,
    told: { recipient, diagnostic },
    addressHash: address.ok ? hashAddress(address.key) : null,
    receivedAt: item.receivedAt,
  };
}

function matchOf(mail: Matched | null) {
  const none = { matchedBy: null, sourceId: null, contactId: null, personId: null, domain: null };
  if (!mail) return none;
  const { by: matchedBy, sourceId, contactId, personId, domain } = mail;
  return { matchedBy, sourceId, contactId, personId, domain };
}
