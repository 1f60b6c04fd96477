/**
 * The schedule starts each campaign at its time or up to a second later, once, whatever the number of processes. Each process
 * checks and compiles what comes up ahead of its time, and then tries to launch it: the compare-and-set lets one win.
 */
import { findHolds } from "../../accounts/accounts.ts";
import { recordEvent } from "../../events/events.ts";
import { type MessageTools, readBasis } from "../../messages/messages.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { AppError } from "../../platform/problems.ts";
import { aboutCampaign, messageOf } from "../editing/editing.ts";
import { campaignLocked, problemOf } from "../problems.ts";
import { nextState } from "../status.ts";
import {
  type CampaignRow,
  type Due,
  findCampaign,
  findDue,
  lockIfFree,
  moveCampaign,
  stateOf,
} from "../store.ts";
import { launchCampaign } from "./actions.ts";
import { type Launch, prepareLaunch } from "./launch.ts";

const LOOK_EVERY_MS = 500;
/** Compiling may take seconds on a busy machine. */
const AHEAD_MS = 15_000;
const MOST_AT_ONCE = 100;
/** Started one after the other, fifty campaigns of the same minute took more than the two seconds that they have. */
const STARTS_AT_ONCE = 4;
/** A campaign that starts later than this says so in its event: no process ran at its time. */
const LATE_MS = 5_000;

const ACCOUNT_HELD = "account_held";

export type ScheduleOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly tools: MessageTools;
};

export function startSchedule(options: ScheduleOptions): { stop(): Promise<void> } {
  const prepared = new Map<string, Promise<Launch | undefined>>();
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    // Without an address of our own, the links in the mail would lead nowhere.
    if (options.tools.publicUrl() === "") return;
    looking ??= look(options, prepared)
      .catch((error) => options.log.warn({ reason: error.message }, "the schedule could not be looked at"))
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function look(
  options: ScheduleOptions,
  prepared: Map<string, Promise<Launch | undefined>>,
): Promise<void> {
  const { db, clock, log } = options;
  const until = new Date(clock.now().getTime() + AHEAD_MS);
  const coming = await findDue(db, until, MOST_AT_ONCE);
  const keys = new Set(coming.map(keyOf));
  for (const key of prepared.keys()) if (!keys.has(key)) prepared.delete(key);
  for (const due of coming) {
    const key = keyOf(due);
    if (prepared.has(key)) continue;
    // Its error shows when it is awaited; until then it must not count as an unhandled rejection.
    const made = prepareDue(options, due);
    made.catch(() => undefined);
    prepared.set(key, made);
  }
  const left = coming.filter(({ send_at }) => send_at <= clock.now()).values();
  const start = async () => {
    for (const due of left) {
      await startDue(options, due, prepared).catch((error) => {
        prepared.delete(keyOf(due));
        log.warn(
          { reason: error.message, campaign: due.id },
          "a campaign could not be started; trying again",
        );
      });
    }
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, start));
}

function keyOf({ account_id, id, version }: Due): string {
  return `${account_id} ${id} ${version}`;
}

async function prepareDue(options: ScheduleOptions, due: Due): Promise<Launch | undefined> {
  const ctx = systemCtx(options, options.db, due.account_id);
  const row = await findCampaign(ctx.sql, due.account_id, due.id);
  // Whether anybody would get it is for the engine to say, at its time and not before.
  return row && prepareLaunch(ctx, options.tools, row, true);
}

async function startDue(
  options: ScheduleOptions,
  due: Due,
  prepared: Map<string, Promise<Launch | undefined>>,
): Promise<void> {
  const launch = await prepared.get(keyOf(due));
  prepared.delete(keyOf(due));
  if (!launch) return;
  await launchDue(options, due, launch).catch(async (error) => {
    if (!(error instanceof AppError && error.problem === campaignLocked)) throw error;
    await options.db.transaction(async (tx) => {
      const row = await lockIfFree(tx, due.account_id, due.id);
      if (row?.status !== "scheduled" || row.version !== launch.version) return;
      const ctx = systemCtx(options, tx, due.account_id);
      await failDue(ctx, row, { reason: campaignLocked.code, problems: [] });
    });
  });
}

/** Fails a campaign whose time has come and that can't be sent. */
async function failDue(
  ctx: TxCtx,
  row: CampaignRow,
  { reason, problems }: { readonly reason: string; readonly problems: readonly string[] },
): Promise<void> {
  const at = ctx.clock.now();
  await moveCampaign(ctx, row.id, stateOf(row), {
    to: { status: "failed", pausedFrom: null, scheduledFrom: null, hasSent: row.has_sent, isAgreed: false },
    at,
    finished_at: at,
    status_reason: problems.every((code) => code === reason) ? reason : `${reason}: ${problems.join(", ")}`,
  });
  const data = { ...aboutCampaign(row), reason, problems: [...new Set(problems)] };
  await recordEvent(ctx, { type: "campaign.failed", data, isNoticed: true });
}

/** A campaign whose time comes while its account is held never starts by itself: once released, somebody says whether it still shall. */
async function pauseHeld(ctx: TxCtx, row: CampaignRow): Promise<void> {
  const to = nextState(stateOf(row), "pause");
  const at = ctx.clock.now();
  if (!to || !(await moveCampaign(ctx, row.id, stateOf(row), { to, at, pause_reason: ACCOUNT_HELD }))) return;
  const data = { ...aboutCampaign(row), reason: ACCOUNT_HELD };
  await recordEvent(ctx, { type: "campaign.paused", data, isNoticed: true });
}

async function launchDue(options: ScheduleOptions, due: Due, launch: Launch): Promise<void> {
  await options.db.transaction(async (tx) => {
    const ctx = systemCtx(options, tx, due.account_id);
    // A locked row isn't waited for: whoever holds it starts or changes it, and the next look finds what came of that.
    const row = await lockIfFree(tx, due.account_id, due.id);
    const now = ctx.clock.now();
    // Somebody took it back, put it off, edited it or started it since we looked.
    if (row?.status !== "scheduled" || row.version !== launch.version) return;
    if (!row.send_at || row.send_at > now) return;
    if ((await findHolds(tx, due.account_id)).length > 0) return pauseHeld(ctx, row);
    // What was prepared ahead may rest on what has changed since: then the next look prepares it anew.
    if ((await readBasis(ctx, options.tools, messageOf(row))) !== launch.basis) return;
    if (launch.faults.length > 0) {
      const problems = launch.faults.map(({ code }) => code);
      return failDue(ctx, row, { reason: problemOf(launch.faults).code, problems });
    }
    const to = nextState(stateOf(row), "send");
    if (!to) return;
    const lateMs = now.getTime() - row.send_at.getTime();
    const isLate = lateMs > LATE_MS;
    await launchCampaign(ctx, row, to, launch, {
      reason: isLate ? "started_late" : null,
      data: isLate ? { late_by_seconds: Math.round(lateMs / 1_000) } : {},
    });
  });
}
