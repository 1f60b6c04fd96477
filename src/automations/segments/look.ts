/**
 * Looks at one page of people of a segment that an automation watches. Who came and who left, their runs, and how far the look has come are one transaction,
 * so each move counts once, whatever is cut off.
 */
import { findUnreadSubjects, oldestShown } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { type Db, prepared, type Queryable, sql } from "../../platform/db/db.ts";
import { fromPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import {
  createFactReader,
  type Rule,
  readListPage,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import { takeFeed, tellMoves } from "../feed/feed.ts";
import {
  endWatches,
  judgeMembers,
  lockWatch,
  moveWatch,
  readCurrent,
  removeSomeOf,
  type Watch,
} from "../members/members.ts";
import { type LiveAutomation, readOneLive } from "../runs/runs.ts";

export type SegmentTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sent: SentCampaigns;
};

export type WaitingWatch = { readonly accountId: string; readonly id: string };

/** The feed of the account waits for a page, so it takes a part of a second. */
const PEOPLE_AT_ONCE = 2_000;
/** A look through everybody begins so long after the last one did. */
const LOOK_EVERY_MS = 15 * 60_000;
/** Whether the rules were changed is asked so often. */
const ASK_RULES_EVERY_MS = 60_000;

/** Finds what is to be looked at, of all accounts. A clock that was set back by more than an hour keeps nobody waiting for it. */
export function findWaiting(db: Queryable, now: Date): Promise<WaitingWatch[]> {
  const far = new Date(now.getTime() + 3_600_000);
  return db.many<WaitingWatch>(
    prepared(sql`
    select account_id as "accountId", id from automation_segments
    where is_ended or next_at <= ${now} or next_at > ${far}`),
  );
}

/** `again` says that there may be more, and `taken` that another process is at it, or reads the log. */
export type LookedAt = "again" | "done" | "taken";

export function lookAtSegment(
  tools: SegmentTools,
  accountId: string,
  watchId: string,
  limit = PEOPLE_AT_ONCE,
): Promise<LookedAt> {
  return tools.db.transaction(async (tx) => {
    const watch = await lockWatch(tx, accountId, watchId);
    if (!watch) return "taken";
    if (watch.isEnded) return (await removeSomeOf(tx, accountId, watchId, limit)) ? "again" : "done";
    const feed = await takeFeed(tx, accountId);
    if (!feed) return "taken";
    const ctx = systemCtx(tools, tx, accountId);
    const automation = await readOneLive(tx, accountId, watch.automationId);
    if (!automation) return endOrWait(ctx, watch);
    const current = await readCurrent(ctx, tools.sent, automation, watch);
    if (!current || current.watch.id !== watch.id || !isToLook(watch, tools.clock.now())) {
      if (!current || current.watch.id === watch.id) await moveWatch(tx, accountId, askLater(ctx, watch));
      return "done";
    }
    const since = oldestShown(tools.clock);
    const unread = () => findUnreadSubjects(tx, accountId, "subscriber.imported", feed.after, since);
    return lookAtPage(ctx, tools, automation, watch, current.rule, unread, limit);
  });
}

/** An automation that has ended is watched no more; one that can't be read now, since a field is gone, may be readable later. */
async function endOrWait(ctx: TxCtx, watch: Watch): Promise<LookedAt> {
  const { sql: tx, accountId } = ctx;
  const running = await tx.many(sql`
    select from automations where account_id = ${accountId} and id = ${watch.automationId}
      and state in ('live', 'paused', 'draining')`);
  if (running.length > 0) await moveWatch(tx, accountId, askLater(ctx, watch));
  else await endWatches(tx, accountId, watch.automationId);
  return "done";
}

function askLater({ clock }: TxCtx, watch: Watch): Watch {
  return { ...watch, nextAt: new Date(clock.now().getTime() + ASK_RULES_EVERY_MS) };
}

function isToLook({ lookedAt, looksUntil, isRelative }: Watch, now: Date): boolean {
  if (looksUntil || !lookedAt) return true;
  return isRelative && Math.abs(now.getTime() - lookedAt.getTime()) >= LOOK_EVERY_MS;
}

/** The first look notes who is in the segment; those after it tell who came and who left since. */
async function lookAtPage(
  ctx: TxCtx,
  { sent }: Pick<SegmentTools, "sent">,
  automation: LiveAutomation,
  watch: Watch,
  rule: Rule,
  readUnread: () => Promise<ReadonlySet<string>>,
  limit: number,
): Promise<LookedAt> {
  const { sql: tx, accountId, clock } = ctx;
  const until = watch.looksUntil ?? clock.now();
  const page = { after: watch.after, until, limit };
  const { ids, last } = await readListPage(tx, accountId, automation.listId, sql`true`, page);
  const reader = await createFactReader(ctx, automation.listId, sent);
  const changes = await judgeMembers(ctx, reader, watch, rule, ids);
  if (watch.lookedAt && changes.length > 0) {
    // It is asked after the people were read: whoever was seen as an import left them is in the log by now.
    const imported = new Set([...(await readUnread())].map((id) => fromPublicId("sub", id)));
    const moved = changes.filter(({ subscriberId }) => !imported.has(subscriberId));
    await tellMoves(ctx, sent, automation, watch.segmentId, moved);
  }
  const next = last
    ? { ...watch, looksUntil: until, after: last }
    : { ...watch, lookedAt: until, looksUntil: null, after: undefined };
  await moveWatch(tx, accountId, last ? { ...next, nextAt: clock.now() } : askLater(ctx, next));
  return last ? "again" : "done";
}
