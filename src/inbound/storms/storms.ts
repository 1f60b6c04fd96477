/**
 * A storm is when the mails of a domain bounce hard at many times its usual share, as when its servers forget their users for an hour.
 * What bounces in a storm is counted and held, and nobody is suppressed until a person has decided: release it, and it is carried
 * out; dismiss it, and it was nobody's fault.
 */
import { closeAlert, openAlert } from "../../alerts/alerts.ts";
import { readMailedToDomain, turnHardIntoSoft } from "../../delivery/delivery.ts";
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { invalidState, liftSuppressions, suppressContacts } from "../../subscribers/subscribers.ts";
import { isStorm, LEAST_HARD, usualShare } from "./storm-rules.ts";
import {
  addHeld,
  countHard,
  decideHeld,
  decideStorm,
  findDismissed,
  findLastStorms,
  type HeldReport,
  holdEarlier,
  lockStorm,
  openStorm,
  type StormRow,
  summariseItems,
} from "./storm-store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const USUAL_MS = 30 * DAY_MS;
/** What came at the same time is read in any order, so what came some minutes later may have been read before. */
const MINUTES_AFTER_MS = 5 * 60_000;
/** Counting what was mailed takes a while, and changes slowly. */
const KEPT_MS = 10 * 60_000;
const MOST_KEPT = 1_000;

type HardBounce = { readonly domain: string; readonly sourceId: string; readonly at: Date };
type Mailed = Awaited<ReturnType<typeof readMailedToDomain>>;

export type StormWatch = {
  /** Returns the open storm of each domain that is in one with these bounces. They are not among the stored reports yet. */
  holdStorms(ctx: TxCtx, bounces: readonly HardBounce[]): Promise<ReadonlyMap<string, string>>;
};

/** A process has one, which remembers for some minutes what was mailed to a domain. */
export function createStormWatch(): StormWatch {
  const kept = new Map<string, { mailed: Mailed; untilMs: number }>();

  async function readMailed(ctx: TxCtx, domain: string): Promise<Mailed> {
    const key = `${ctx.accountId} ${domain}`;
    const known = kept.get(key);
    const nowMs = ctx.clock.monotonicMs();
    if (known && known.untilMs > nowMs) return known.mailed;
    const since = new Date(ctx.clock.now().getTime() - USUAL_MS);
    const mailed = await readMailedToDomain(ctx.sql, ctx.accountId, domain, since);
    kept.delete(key);
    kept.set(key, { mailed, untilMs: nowMs + KEPT_MS });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return mailed;
  }

  return {
    async holdStorms(ctx, bounces) {
      const known = bounces.filter(({ domain }) => domain !== "");
      const byDomain = Map.groupBy(known, ({ domain }) => domain);
      const held = new Map<string, string>();
      if (byDomain.size === 0) return held;
      const last = await findLastStorms(ctx.sql, ctx.accountId, [...byDomain.keys()].sort());
      const lastOf = new Map(last.map((storm) => [storm.domain, storm]));
      const unheld: HardBounce[] = [];
      for (const [domain, some] of byDomain) {
        const storm = lastOf.get(domain);
        if (storm && isGoingOn(storm, latest(some))) held.set(domain, storm.id);
        else if (!storm || !isSettled(storm, ctx.clock.now())) unheld.push(...some);
      }
      for (const [domain, id] of await recognise(ctx, unheld, readMailed)) held.set(domain, id);
      for (const [domain, id] of held) {
        const some = byDomain.get(domain) ?? [];
        await addHeld(ctx.sql, ctx.accountId, id, { held: some.length, at: latest(some) });
      }
      return held;
    },
  };
}

function latest(bounces: readonly HardBounce[]): Date {
  return new Date(Math.max(...bounces.map(({ at }) => at.getTime())));
}

/** A storm that nobody has decided about goes on as long as it wasn't quiet for an hour, and for a day at most. */
function isGoingOn({ state, last_at, created_at }: StormRow, at: Date): boolean {
  const isRecent = at.getTime() - last_at.getTime() < HOUR_MS;
  return state === "open" && isRecent && at.getTime() - created_at.getTime() < DAY_MS;
}

/** Whoever released a storm said that its bounces are real, so what follows within a day isn't held again. */
function isSettled({ state, decided_at }: StormRow, now: Date): boolean {
  return state === "released" && decided_at !== null && now.getTime() - decided_at.getTime() < DAY_MS;
}

async function recognise(
  ctx: TxCtx,
  bounces: readonly HardBounce[],
  readMailed: (ctx: TxCtx, domain: string) => Promise<Mailed>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (bounces.length === 0) return found;
  const byDomain = Map.groupBy(bounces, ({ domain }) => domain);
  const upto = latest(bounces);
  const after = new Date(upto.getTime() - HOUR_MS);
  const { sql, accountId } = ctx;
  const soonAfter = new Date(upto.getTime() + MINUTES_AFTER_MS);
  const recent = await countHard(sql, accountId, [...byDomain.keys()], { after, upto: soonAfter });
  for (const [domain, some] of byDomain) {
    const everyone = recent.filter((one) => one.domain === domain);
    if (sumOf(everyone, ({ count }) => count) + some.length < LEAST_HARD) continue;
    const all = await readMailed(ctx, domain);
    // Anybody can have any number of transactional mails sent to addresses of their own, and let them bounce.
    const byRequest = new Set(
      all.filter(({ stream }) => stream === "transactional").map((one) => one.sourceId),
    );
    const own = everyone.filter(({ sourceId }) => !byRequest.has(sourceId));
    const now = some.filter(({ sourceId }) => !byRequest.has(sourceId));
    const hard = sumOf(own, ({ count }) => count) + now.length;
    const sources = new Set([...own, ...now].map(({ sourceId }) => sourceId));
    const mailed = Object.groupBy(all, ({ sourceId }) => (sources.has(sourceId) ? "these" : "others"));
    const since = new Date(upto.getTime() - USUAL_MS);
    const earlier = await countHard(sql, accountId, [domain], { after: since, upto: after });
    const bounced = earlier.filter(({ sourceId }) => !sources.has(sourceId));
    const counts = {
      hard,
      mails: sumOf(mailed.these ?? [], ({ sent }) => sent),
      usualHard: sumOf(mailed.others ?? [], (one) => one.hard) + sumOf(bounced, ({ count }) => count),
      usualMails: sumOf(mailed.others ?? [], ({ sent }) => sent),
    };
    if (!isStorm(counts)) continue;
    found.set(domain, await beginStorm(ctx, domain, { ...counts, sources: [...sources], at: upto, after }));
  }
  return found;
}

function sumOf<T>(all: readonly T[], count: (one: T) => number): number {
  return all.reduce((sum, one) => sum + count(one), 0);
}

export const HELD =
  "so many mails to this domain bounced within the hour that its servers may be to blame: somebody has to decide";

type Recognised = Parameters<typeof isStorm>[0] & {
  /** What bounced: only what these suppressed is taken back. */
  readonly sources: readonly string[];
  readonly at: Date;
  readonly after: Date;
};

/** Opens the storm with an alert, and takes back what it suppressed before it was known. */
async function beginStorm(ctx: TxCtx, domain: string, counts: Recognised): Promise<string> {
  const { sql, accountId, clock, log } = ctx;
  const { hard, mails, sources, at, after } = counts;
  const usual_share = usualShare(counts);
  const storm = { id: newId(clock), domain, hard, mails, usual_share, created_at: at };
  const { id } = await openStorm(sql, accountId, storm);
  const earlier = await holdEarlier(sql, accountId, { stormId: id, domain, sources, after, why: HELD });
  const persons = [...new Set(earlier.map(({ personId }) => personId))];
  await liftSuppressions(ctx, persons, "hard_bounce");
  await addHeld(sql, accountId, id, { held: earlier.length, at });
  await summariseItems(sql, accountId, id, "held");
  const data = { storm_id: toPublicId("stm", id), domain, hard, mails, usual_share };
  await recordEvent(ctx, { type: "bounces.held", data });
  await openAlert(ctx, {
    kind: "storm",
    subject: data.storm_id,
    severity: "warning",
    title: `Mail to ${domain} bounces as never before`,
    detail: `${hard} of ${mails} mails to ${domain} bounced for good within an hour, many times its usual share. Nobody is suppressed for it yet.`,
    remedy:
      "If its servers were at fault, dismiss the storm, and its addresses stay. If they are really gone, release it, and they are suppressed.",
    data,
  });
  sql.afterCommit(() => log.warn(data, "hard bounces of a domain are held: somebody has to decide"));
  return id;
}

/** So many are suppressed by one set of statements. */
const RELEASED_AT_ONCE = 1_000;

/** Carries out what a storm holds: these addresses don't exist. */
export async function releaseStorm(ctx: TxCtx, id: string): Promise<StormRow> {
  const { domain } = await lockOpen(ctx, id);
  const { sql, accountId } = ctx;
  const why = "it was held in a storm, and somebody released it";
  const held = await decideHeld(sql, accountId, id, { outcome: "suppressed", why });
  const persons = [...new Set(held.map(({ personId }) => personId))].sort();
  for (let begin = 0; begin < persons.length; begin += RELEASED_AT_ONCE) {
    const wanted = persons
      .slice(begin, begin + RELEASED_AT_ONCE)
      .map((contactId) => ({ contactId, reason: "hard_bounce" as const, source: "delivery", domain }));
    await suppressContacts(ctx, wanted, { tellAll: true });
  }
  return decide(ctx, id, "released", { outcome: "suppressed", count: held.length });
}

/** Says that what a storm holds was nobody's fault: the mails came back, and their addresses are as good as before. */
export async function dismissStorm(ctx: TxCtx, id: string): Promise<StormRow> {
  await lockOpen(ctx, id);
  const { sql, accountId } = ctx;
  const why = "it was held in a storm, and somebody dismissed it: the mail came back, and the address stays";
  const held = await decideHeld(sql, accountId, id, { outcome: "counted", why });
  if (held.length > 0) await turnHardIntoSoft(sql, accountId, held);
  return decide(ctx, id, "dismissed", { outcome: "counted", count: held.length });
}

/** Returns which of these mails were dismissed before: a second copy of a bounce changes nothing that a person has decided. */
export async function takeDismissed<T extends HeldReport>(
  { sql, accountId }: TxCtx,
  mails: readonly T[],
): Promise<ReadonlySet<T>> {
  if (mails.length === 0) return new Set();
  const dismissed = await findDismissed(sql, accountId, mails);
  if (dismissed.length > 0) await turnHardIntoSoft(sql, accountId, dismissed);
  const keys = new Set(dismissed.map(({ sourceId, contactId }) => `${sourceId} ${contactId}`));
  return new Set(mails.filter(({ sourceId, contactId }) => keys.has(`${sourceId} ${contactId}`)));
}

async function lockOpen({ sql, accountId }: TxCtx, id: string): Promise<StormRow> {
  const storm = await lockStorm(sql, accountId, id);
  if (!storm) throw missing("storm");
  if (storm.state !== "open") {
    throw new AppError(invalidState, `this storm was ${storm.state} before`, {
      members: { current_status: storm.state },
    });
  }
  return storm;
}

async function decide(
  ctx: TxCtx,
  id: string,
  state: "released" | "dismissed",
  { outcome, count }: { readonly outcome: string; readonly count: number },
): Promise<StormRow> {
  await summariseItems(ctx.sql, ctx.accountId, id, outcome);
  const storm = await decideStorm(ctx.sql, ctx.accountId, id, state, ctx.clock.now());
  const data = { storm_id: toPublicId("stm", id), domain: storm.domain, count };
  await recordEvent(ctx, { type: `bounces.${state}`, data });
  await closeAlert(ctx, "storm", data.storm_id);
  return storm;
}
