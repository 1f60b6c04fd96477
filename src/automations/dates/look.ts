/**
 * Looks through the list of one automation for people whose date lets them in. A page of people, their runs and how far the look has come are
 * one transaction, so each moment counts once, whatever is cut off.
 */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { type DatedPerson, findDated, type SentCampaigns } from "../../subscribers/subscribers.ts";
import type { DateTrigger } from "../graph-types.ts";
import {
  type CaughtUpTo,
  enterRuns,
  findLogicalNow,
  type LiveAutomation,
  readOneLive,
  readVersion,
} from "../runs/runs.ts";
import { beginLook, type Look, moveLook, takeLook } from "./look-store.ts";
import { dateTriggersOf, daysOf, momentIn, nextMark, type Window } from "./moments.ts";

export type DateTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sent: SentCampaigns;
  readonly caughtUpTo?: CaughtUpTo;
};

const PEOPLE_AT_ONCE = 5_000;
/** Who was away for long is let in week by week, so that nobody has two moments in one window. */
const LONGEST_WINDOW_MS = 7 * 24 * 3_600_000;

/** `again` says that there may be more, and `taken` that another process is at it, or that nobody enters the automation. */
export type Looked = "again" | "done" | "taken";

export async function lookForDates(
  tools: DateTools,
  accountId: string,
  automationId: string,
  limit = PEOPLE_AT_ONCE,
): Promise<Looked> {
  // A date that was written before its moment counts, even where its transaction commits a little later.
  const settled = await findLogicalNow(tools, accountId);
  return tools.db.transaction(async (tx) => {
    const look = await takeLook(tx, accountId, automationId);
    if (!look) return (await beginLook(tx, accountId, automationId)) ? "again" : "taken";
    const automation = await readOneLive(tx, accountId, automationId);
    if (!automation) return "done";
    const version = await readVersion(tx, accountId, automationId, look.version);
    const triggers = version ? dateTriggersOf(version.graph) : [];
    const move = (to: Partial<Look>) => moveLook(tx, accountId, automationId, { ...look, ...to });
    const window = windowOf(look, triggers, settled);
    if (window) {
      const ctx = systemCtx(tools, tx, accountId);
      const after = await lookAtPage(ctx, tools, automation, triggers, window, look.after, limit);
      const done = { lookedUntil: window.to, looksUntil: null, after: undefined };
      await move(
        after ? { looksUntil: window.to, after } : { ...done, nextAt: nextMark(triggers, window.to) ?? null },
      );
      return "again";
    }
    const { successor, lookedUntil } = look;
    if (successor && successor.publishedAt <= settled) {
      const from = later(lookedUntil, successor.publishedAt);
      await move({ version: successor.version, lookedUntil: from, nextAt: from });
      return "again";
    }
    const nextAt = nextMark(triggers, lookedUntil) ?? null;
    if (nextAt?.getTime() !== look.nextAt?.getTime()) await move({ nextAt });
    return "done";
  });
}

/** Goes on with the window under way, or opens the next one that may have a moment in it. Dates of a version count until the next is published. */
function windowOf(look: Look, triggers: readonly DateTrigger[], settled: Date): Window | undefined {
  const { lookedUntil: from, looksUntil, successor } = look;
  if (looksUntil) return { from, to: looksUntil };
  const end = Math.min(settled.getTime(), successor?.publishedAt.getTime() ?? Number.POSITIVE_INFINITY);
  const mark = nextMark(triggers, from);
  if (!mark || mark.getTime() > end) return undefined;
  return { from, to: new Date(Math.min(end, from.getTime() + LONGEST_WINDOW_MS)) };
}

/** Lets in whom a moment in the window concerns among the next people of the list. Returns the last of them; undefined where nobody comes after. */
async function lookAtPage(
  ctx: TxCtx,
  { sent }: Pick<DateTools, "sent">,
  automation: LiveAutomation,
  triggers: readonly DateTrigger[],
  window: Window,
  after: Look["after"],
  limit: number,
): Promise<Look["after"]> {
  const wanted = triggers.map((trigger) => ({
    field: trigger.field,
    isYearly: trigger.repeat === "yearly",
    days: daysOf(trigger, window),
  }));
  const page = await findDated(ctx.sql, ctx.accountId, automation.listId, wanted, { after, limit });
  const entries = page.people.flatMap((person) => {
    const at = firstMoment(person, triggers, window);
    return at ? [{ subscriberId: person.id, key: "", causeDepth: 0, at }] : [];
  });
  const { stopped } = await enterRuns(ctx, { sent }, automation, entries);
  if (stopped.length > 0)
    ctx.log.warn(
      { automation_id: toPublicId("aut", automation.id), people: stopped.length },
      "people entered an automation too often, and were stopped",
    );
  return page.last;
}

/** Who came to the list after a moment isn't let in by it. */
function firstMoment(
  { dates, zone, createdAt }: DatedPerson,
  triggers: readonly DateTrigger[],
  window: Window,
): Date | undefined {
  const moments = triggers.flatMap((trigger, nth) => {
    const date = dates[nth];
    const moment = date ? momentIn(trigger, date, zone, window) : undefined;
    return moment && moment >= createdAt ? [moment] : [];
  });
  return moments.sort((a, b) => a.getTime() - b.getTime())[0];
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}
