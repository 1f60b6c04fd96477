/** Time is logical: what falls due is done once all that happened before has been taken into account. */
import { closeAlert, listAccountsWith, openAlert } from "../../alerts/alerts.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";

/** Until when everything that happened in an account has reached its runs; undefined where nothing is known to be on its way. */
export type CaughtUpTo = (db: Db, accountId: string) => Promise<Date | undefined>;

type Tools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly caughtUpTo?: CaughtUpTo;
};

/** What falls due waits so long for what happened before. Longer, and it goes on without it. */
const STUCK_MS = 5 * 60_000;
/** A clock that gains so much on itself was set forward, or the machine slept. */
const STEP_MS = 60_000;
const SAID_AGAIN_AFTER_MS = 3_600_000;
const KIND = "automations_late";

export async function findLogicalNow(tools: Tools, accountId: string): Promise<Date> {
  const { clock } = tools;
  const now = clock.now();
  const memory = memoryOf(clock);
  const wasSetForward = noteTime(memory, clock);
  const caughtUp = await tools.caughtUpTo?.(tools.db, accountId);
  if (!caughtUp || caughtUp >= now) {
    memory.saidAtMs.delete(accountId);
    return now;
  }
  const isStuck = now.getTime() - caughtUp.getTime() >= STUCK_MS;
  if (!isStuck) memory.saidAtMs.delete(accountId);
  // Where the clock was set forward, what happened a moment ago seems to be old, and is read within a moment all the same.
  if (!isStuck || wasSetForward) return caughtUp;
  await sayStuck(tools, memory, accountId);
  return now;
}

/** What a process has seen of a clock, and the accounts that it has spoken of. */
type Memory = {
  wallMs: number;
  monotonicMs: number;
  steppedAtMs: number;
  readonly saidAtMs: Map<string, number>;
};
const memories = new WeakMap<Clock, Memory>();

function memoryOf(clock: Clock): Memory {
  const known = memories.get(clock);
  if (known) return known;
  const memory = {
    wallMs: clock.now().getTime(),
    monotonicMs: clock.monotonicMs(),
    steppedAtMs: Number.NEGATIVE_INFINITY,
    saidAtMs: new Map(),
  };
  memories.set(clock, memory);
  return memory;
}

/** Says whether the clock was set forward a short while ago. */
function noteTime(memory: Memory, clock: Clock): boolean {
  const [wallMs, monotonicMs] = [clock.now().getTime(), clock.monotonicMs()];
  if (wallMs - memory.wallMs - (monotonicMs - memory.monotonicMs) > STEP_MS) memory.steppedAtMs = monotonicMs;
  Object.assign(memory, { wallMs, monotonicMs });
  return monotonicMs - memory.steppedAtMs < STUCK_MS;
}

/** It is said once, and again after an hour, however many batches go on meanwhile. */
async function sayStuck(tools: Tools, { saidAtMs }: Memory, accountId: string): Promise<void> {
  const nowMs = tools.clock.monotonicMs();
  if (nowMs - (saidAtMs.get(accountId) ?? Number.NEGATIVE_INFINITY) < SAID_AGAIN_AFTER_MS) return;
  saidAtMs.set(accountId, nowMs);
  tools.log.warn(
    { account_id: toPublicId("acc", accountId) },
    "automations go on without events that are late",
  );
  await tools.db.transaction((tx) =>
    openAlert(systemCtx(tools, tx, accountId), {
      kind: KIND,
      subject: toPublicId("acc", accountId),
      severity: "warning",
      stateKey: "stuck",
      title: "Automations go on without events that are late",
      detail:
        "What happened in the last minutes can't be read yet, because a transaction of the database has been open for over five minutes, or because reading it fails. Steps that are due are taken without it, so somebody may get a mail although they have reached a goal.",
      remedy:
        "Whoever runs the service ends the transaction that stays open, or finds in the log why events can't be told to automations. The events count once they are read.",
      data: {},
    }),
  );
}

/** Is called where the feed of an account has been away for longer than events are kept. */
export async function tellEventsLost(ctx: TxCtx, readAt: Date): Promise<void> {
  await openAlert(ctx, {
    kind: KIND,
    subject: toPublicId("acc", ctx.accountId),
    severity: "critical",
    stateKey: "lost",
    title: "Automations missed events",
    detail: `Nothing was read for automations since ${readAt.toISOString()}, which is longer than events are kept. What happened then and is gone lets nobody in, wakes nobody, and ends no run.`,
    remedy:
      "Look through the automations for people who should have entered or left meanwhile, and put them in or out by hand.",
    data: { read_until: readAt.toISOString() },
  });
}

/** Closes the alerts about accounts whose events are read again. */
export async function closeLate(tools: Tools): Promise<void> {
  const { db, clock, caughtUpTo } = tools;
  if (!caughtUpTo) return;
  for (const accountId of await listAccountsWith(db, [KIND])) {
    const caughtUp = await caughtUpTo(db, accountId);
    if (caughtUp && clock.now().getTime() - caughtUp.getTime() >= STUCK_MS) continue;
    await db.transaction((tx) =>
      closeAlert(systemCtx(tools, tx, accountId), KIND, toPublicId("acc", accountId)),
    );
  }
}
