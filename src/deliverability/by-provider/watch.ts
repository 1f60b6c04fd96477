/**
 * Tells an account where its mail fares badly at one provider, though it may fare well as a whole. It judges all mail from one domain to one
 * provider together, as providers do, and pauses nothing: that is for the guardrails of campaigns.
 */
import { readGuardrails } from "../../accounts/accounts.ts";
import { closeAlert, listAccountsWith, listSubjects, openAlert } from "../../alerts/alerts.ts";
import { type FlowTotals, listAccountsWithMail, readFlowsSince } from "../../delivery/delivery.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import { OTHER_PROVIDER } from "../../recipient-domains/recipient-domains.ts";
import { providerName } from "./by-provider.ts";
import { judgeProvider, type Trouble } from "./judge.ts";

const KIND = "provider";
const JUDGED_MS = 24 * 3_600_000;

/** Accounts whose mail has ended are looked at until their alerts are closed. */
export async function watchAllProviders({ db, clock, log, signal }: JobCtx): Promise<void> {
  const since = sinceOf(clock.now());
  const accounts = [...(await listAccountsWithMail(db, since)), ...(await listAccountsWith(db, [KIND]))];
  for (const accountId of new Set(accounts)) {
    if (signal.aborted) return;
    await db.transaction((tx) => watchProviders(systemCtx({ clock, log }, tx, accountId)));
  }
}

/** Whole hours are counted, so that the oldest one counts as a whole. */
function sinceOf(now: Date): Date {
  return new Date(Math.floor((now.getTime() - JUDGED_MS) / 3_600_000) * 3_600_000);
}

export async function watchProviders(ctx: TxCtx): Promise<void> {
  const limits = await readGuardrails(ctx.sql, ctx.accountId);
  const flows = await readFlowsSince(ctx.sql, ctx.accountId, sinceOf(ctx.clock.now()));
  const judged = Map.groupBy(
    // The mailboxes of no provider in particular have no one who judges.
    flows.filter(({ provider }) => provider !== OTHER_PROVIDER),
    subjectOf,
  );
  const bad = new Set<string>();
  for (const [subject, own] of [...judged].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const counts = sumOf(own);
    const troubles = judgeProvider(counts, limits);
    if (troubles.length === 0) continue;
    bad.add(subject);
    await open(ctx, subject, own[0] as FlowTotals, counts, troubles);
  }
  for (const subject of await listSubjects(ctx.sql, ctx.accountId, KIND))
    if (!bad.has(subject)) await closeAlert(ctx, KIND, subject);
}

/** An alert's subject is the provider and the domain in From. */
function subjectOf({ provider, fromDomain }: FlowTotals): string {
  return `${provider} ${fromDomain}`;
}

type Sums = Pick<FlowTotals, "accepted" | "refused" | "deferred" | "hard" | "complained">;

function sumOf(flows: readonly FlowTotals[]): Sums {
  const sum = (name: keyof Sums) => flows.reduce((total, one) => total + one[name], 0);
  return {
    accepted: sum("accepted"),
    refused: sum("refused"),
    deferred: sum("deferred"),
    hard: sum("hard"),
    complained: sum("complained"),
  };
}

const REMEDIES: Readonly<Record<Trouble["name"], string>> = {
  hard_bounces: "Send only to people who asked for it, and let addresses be checked when they are imported.",
  complaints: "Make it easy to leave, and send less often, or to those who read.",
  deferrals:
    "Send more slowly to this provider, and look at what its servers answered in the campaign's report.",
};

async function open(
  ctx: TxCtx,
  subject: string,
  { provider, fromDomain }: FlowTotals,
  counts: Sums,
  troubles: readonly Trouble[],
): Promise<void> {
  const name = providerName(provider);
  const from = fromDomain === "" ? "your mail" : `your mail from ${fromDomain}`;
  await openAlert(ctx, {
    kind: KIND,
    subject,
    severity: troubles.some(({ severity }) => severity === "critical") ? "critical" : "warning",
    stateKey: troubles.map((one) => one.name).join(" "),
    title: `${name}: ${from} is in trouble`,
    detail: `Within 24 hours at ${name}: ${troubles.map(({ detail }) => detail).join("; ")}.`,
    remedy: troubles.map((one) => REMEDIES[one.name]).join(" "),
    data: { provider, domain: fromDomain, troubles: troubles.map((one) => one.name), ...dataOf(counts) },
  });
}

/** As the API names them. */
function dataOf({ accepted: sent, refused, deferred, hard: hard_bounces, complained: complaints }: Sums) {
  return { sent, refused, deferred, hard_bounces, complaints };
}
