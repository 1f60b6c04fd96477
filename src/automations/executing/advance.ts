/** Leads due runs of one automation on: runs, journal, ledger, what steps change and all sums in one transaction. */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db, Queryable } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { commitWithoutFlush } from "../../platform/db/flush.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { type Following, type Place, standingIn } from "../publishing/publishing.ts";
import {
  addCounts,
  aheadOf,
  type CaughtUpTo,
  countGoals,
  createCounts,
  findLogicalNow,
  type GoalVisit,
  readVersion,
  takeBackMails,
  tellUnreadable,
  type Version,
} from "../runs/runs.ts";
import {
  type FinishedVisit,
  holdRunning,
  insertVisits,
  type MovedRun,
  putOff,
  type RunningAutomation,
  type TakenRun,
  takeDue,
  updateRuns,
} from "./run-store.ts";
import { type WalkTools, walk } from "./walk.ts";

export type ExecutorTools = WalkTools & {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly caughtUpTo?: CaughtUpTo;
  /** The versions of an automation as people follow them. Without it everybody stays with the version that they are in. */
  readonly readFollowing?: (
    db: Queryable,
    accountId: string,
    automationId: string,
  ) => Promise<readonly Following[]>;
};

const MOST_AT_ONCE = 500;
const PUT_OFF_MS = 5 * 60_000;

/** Returns how many runs were taken. Fewer than `limit` means that nothing more is due and free. */
export async function advanceDue(
  tools: ExecutorTools,
  accountId: string,
  automationId: string,
  limit = MOST_AT_ONCE,
): Promise<number> {
  const dueBy = await findLogicalNow(tools, accountId);
  const taken: TakenRun[] = [];
  try {
    return await advance(tools, accountId, automationId, { dueBy, limit }, taken);
  } catch (error) {
    if (isOfDatabase(error) || taken.length === 0) throw error;
    tools.log.error(
      { err: error, automation_id: toPublicId("aut", automationId) },
      "runs could not be led on together",
    );
  }
  for (const { id } of taken) await advanceAlone(tools, accountId, automationId, dueBy, id);
  return taken.length;
}

const PASSING: ReadonlySet<string> = new Set(["unavailable", "busy", "full", "conflict"]);

/** Says whether the database is at fault, so that the same may succeed later. What it refuses for good is about one of the runs. */
function isOfDatabase(error: unknown): boolean {
  return error instanceof DbError && PASSING.has(error.kind);
}

/** Of many runs that failed together, those go on that can; the others are put off, and keep nobody waiting. */
async function advanceAlone(
  tools: ExecutorTools,
  accountId: string,
  automationId: string,
  dueBy: Date,
  runId: string,
): Promise<void> {
  try {
    await advance(tools, accountId, automationId, { dueBy, limit: 1, runId }, []);
  } catch (error) {
    if (isOfDatabase(error)) throw error;
    tools.log.error(
      { err: error, run_id: toPublicId("run", runId) },
      "a run could not be led on; it is put off",
    );
    await tools.db.transaction((tx) => putOff(tx, accountId, [runId], putOffUntil(tools)));
  }
}

/**
 * Says whether something may have happened in a pause that isn't known yet: whoever is overdue after it is led on only then, so that a goal in the pause
 * stops their mail. A time ahead of the clock was written before that was set back.
 */
function isStillToHear(clock: Clock, { stateChangedAt }: RunningAutomation, knownUntil: Date): boolean {
  return stateChangedAt !== null && stateChangedAt > knownUntil && stateChangedAt <= aheadOf(clock);
}

function putOffUntil({ clock }: Pick<ExecutorTools, "clock">): Date {
  return new Date(clock.now().getTime() + PUT_OFF_MS);
}

async function advance(
  tools: ExecutorTools,
  accountId: string,
  automationId: string,
  which: { readonly dueBy: Date; readonly limit: number; readonly runId?: string },
  taken: TakenRun[],
): Promise<number> {
  return tools.db.transaction(async (tx) => {
    // Nothing of a step leaves the database but by a sender or the outbox, whose claims are flushed: steps that a crash takes away are taken again.
    commitWithoutFlush(tx);
    const running = await holdRunning(tx, accountId, automationId);
    if (!running || isStillToHear(tools.clock, running, which.dueBy)) return 0;
    // A transaction that begins again after a conflict takes anew.
    taken.splice(0, taken.length, ...(await takeDue(tx, accountId, automationId, which)));
    if (taken.length === 0) return 0;
    const now = tools.clock.now();
    const ctx: TxCtx = {
      ...systemCtx(tools, tx, accountId),
      // Events say which automation brought them about.
      actor: { kind: "system", id: toPublicId("aut", automationId) },
      clock: { ...tools.clock, now: () => now },
    };
    const isBehind = taken.some(({ version }) => version < running.version);
    const chain = isBehind ? ((await tools.readFollowing?.(tx, accountId, automationId)) ?? []) : [];
    const places = new Map(taken.map((run) => [run.id, standingIn(chain, run)]));
    const placeOf = ({ id }: TakenRun) => places.get(id) as Place;
    const versions = await readVersions(ctx, automationId, [...places.values()]);
    const versionOf = (number: number): Version => {
      const version = versions.get(number);
      if (!version) throw new Error(`version ${number} was not read`);
      return version;
    };
    const readable = await leaveUnreadable(ctx, automationId, taken, placeOf, versions);
    const visits: FinishedVisit[] = [];
    const counts = createCounts();
    const how = { automationId, listId: running.listId, versionOf, placeOf, now, dueBy: which.dueBy };
    const moved = await walk(ctx, tools, how, readable, visits, counts);
    // These travel with the commit, which fails with any of them.
    updateRuns(tx, accountId, moved);
    insertVisits(tx, accountId, automationId, visits);
    await takeBackMails(ctx, leftWhereTheyStood(readable, moved));
    await countGoals(tx, accountId, goalsAmong(visits, moved), counts);
    await addCounts(tx, accountId, automationId, counts);
    return taken.length;
  });
}

/** Puts off, all at once, who is in a version that can't be read any more, and returns the others. */
async function leaveUnreadable(
  ctx: TxCtx,
  automationId: string,
  taken: readonly TakenRun[],
  placeOf: (run: TakenRun) => Place,
  versions: ReadonlyMap<number, Version>,
): Promise<readonly TakenRun[]> {
  const missing = (run: TakenRun) => {
    const { version, wait } = placeOf(run);
    return [version, wait.version].find((number) => !versions.has(number));
  };
  for (const [number, some] of Map.groupBy(taken, missing)) {
    if (number === undefined) continue;
    const ids = some.map(({ id }) => id);
    await putOff(ctx.sql, ctx.accountId, ids, putOffUntil(ctx));
    await tellUnreadable(ctx, automationId, number);
    ctx.log.error(
      { automation_id: toPublicId("aut", automationId), version: number, people: ids.length },
      "a version can't be read any more; those in it are put off",
    );
  }
  return taken.filter((run) => missing(run) === undefined);
}

/**
 * Runs that were over before they took a step: what ended them happened while they waited. Who leaves by what a step of this automation did has
 * come on to another first.
 */
function leftWhereTheyStood(taken: readonly TakenRun[], moved: readonly MovedRun[]): readonly string[] {
  const stood = new Map(taken.map(({ id, visit }) => [id, visit]));
  return moved.flatMap(({ id, visit, endedAs }) =>
    (endedAs === "goal" || endedAs === "exit") && stood.get(id) === visit ? [id] : [],
  );
}

/** Visits of steps that are goals, and runs that left the automation as one. */
function goalsAmong(visits: readonly FinishedVisit[], moved: readonly MovedRun[]): readonly GoalVisit[] {
  return [
    ...visits.filter(({ reason }) => reason === "goal"),
    ...moved.flatMap(({ id, visit, endedAs }) =>
      endedAs === "goal" ? [{ runId: id, visit, node: null }] : [],
    ),
  ];
}

async function readVersions(
  { sql, accountId }: TxCtx,
  automationId: string,
  places: readonly Place[],
): Promise<ReadonlyMap<number, Version>> {
  const found = new Map<number, Version>();
  for (const number of new Set(places.flatMap(({ version, wait }) => [version, wait.version]))) {
    const version = await readVersion(sql, accountId, automationId, number);
    if (version) found.set(number, version);
  }
  return found;
}
