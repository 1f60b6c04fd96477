/**
 * Planning turns an audience into rows of the ledger, a slice at a time. Each slice is one transaction that also advances the
 * plan, so planning continues after a crash, and two planners at once write nothing twice. The first slice is small, so that
 * the first mail leaves within a second, whatever the size of the list.
 */
import { isKept } from "../../events/events.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { commitWithoutFlush } from "../../platform/db/flush.ts";
import { compileRules } from "../../subscribers/subscribers.ts";
import {
  type ListPosition,
  type ListStretch,
  lockPlan,
  notifyProgress,
  notifyReady,
  type PlanRow,
  recordQueued,
} from "../ledger/ledger.ts";
import { type Ending, reviewPlanned } from "../sources/sources.ts";
import {
  advancePlan,
  findEnds,
  findPlannedSource,
  insertSlice,
  LAST_ID,
  type PlannedSource,
  START,
} from "./plan-store.ts";

const FIRST_SLICE = 500;
const FIRST_BATCH = 100;
/** So many subscribers of the list are read for a slice, however many rows come of it. That takes some 300 ms. */
const SLICE = 25_000;
const BATCH = 500;
/** A slice takes some subscribers of each stretch of the list, so that a list imported by domain is mixed throughout. */
const MOST_STRETCHES = 64;
const LEAST_STRETCH = 5_000;

type Planner = Pick<Ending, "clock" | "log" | "owner"> & { readonly db: Db };

/**
 * Plans one slice, and returns false when it was the last one. On a first launch nobody has a row yet, unless two subscribers
 * exchanged their addresses between two slices; the slice is then written again in the way that allows for it.
 */
export async function planSlice(planner: Planner, accountId: string, sourceId: string): Promise<boolean> {
  try {
    return await writeSlice(planner, accountId, sourceId, false);
  } catch (error) {
    const isMet =
      error instanceof DbError && error.kind === "unique" && /^deliveries_/.test(error.constraint ?? "");
    if (!isMet) throw error;
    return writeSlice(planner, accountId, sourceId, true);
  }
}

function writeSlice(
  planner: Planner,
  accountId: string,
  sourceId: string,
  mayMeetRows: boolean,
): Promise<boolean> {
  return planner.db.transaction(async (tx) => {
    const plan = await lockPlan(tx, accountId, sourceId);
    if (!plan || plan.ended_at) return false;
    commitWithoutFlush(tx);
    // The source is read after the lock, so that nothing is planned once a cancel has waited for that lock.
    const source = await findPlannedSource(tx, accountId, sourceId);
    if (source.state !== "running" && source.state !== "paused") return false;
    // The release of the account adds the job again.
    if (source.is_held) return false;
    const { taken, left } = await takeStretches(tx, accountId, source, plan);
    const ctx = systemCtx(planner, tx, accountId);
    const { queued, ...planned } = await insertSlice(tx, {
      accountId,
      sourceId,
      source,
      stretches: taken,
      condition: await compileRules(ctx, source.segment_rules as never, {
        listId: source.list_id,
        at: source.launched_at,
        sent: planner.owner.sentCampaigns,
      }),
      batchSize: plan.stretches ? BATCH : FIRST_BATCH,
      mayMeetRows: mayMeetRows || source.launch > 1 || source.formers.length > 0,
      keepsQueued: await isKept(tx, accountId, "email.queued"),
      now: planner.clock.now(),
    });
    const ownerIds = planner.owner.idsInEvents({ stream: source.stream, ownerId: source.owner_id });
    await recordQueued(
      ctx,
      ownerIds,
      queued.map((subscriberId) => ({ subscriberId })),
    );
    const endedAt = left.length === 0 ? planner.clock.now() : null;
    await advancePlan(tx, accountId, sourceId, { stretches: left, ...planned, endedAt });
    if (source.isReviewDue) await reviewPlanned(ctx, planner.owner, sourceId, endedAt !== null);
    await notifyReady(tx, sourceId);
    await notifyProgress(tx, accountId, sourceId);
    return endedAt === null;
  });
}

type TakenStretches = { taken: readonly ListStretch[]; left: readonly ListStretch[] };

async function takeStretches(
  tx: Tx,
  accountId: string,
  source: PlannedSource,
  { stretches, estimate, bound_at: boundAt }: PlanRow,
): Promise<TakenStretches> {
  if (!source.isListLive) return { taken: [], left: [] };
  const listId = source.list_id;
  if (!stretches) {
    const whole = { after: START, upto: [boundAt.toISOString(), LAST_ID] as const };
    return take(tx, accountId, listId, [whole], FIRST_SLICE);
  }
  const [only] = stretches;
  const isCut = stretches.length !== 1 || estimate <= LEAST_STRETCH || only?.upto[1] !== LAST_ID;
  const cut = isCut ? stretches : await cutUp(tx, accountId, listId, only as ListStretch, estimate);
  return take(tx, accountId, listId, cut, Math.floor(SLICE / cut.length));
}

/** Takes the first `rows` subscribers of each stretch, and returns what is left of it, too. */
async function take(
  tx: Tx,
  accountId: string,
  listId: string,
  stretches: readonly ListStretch[],
  rows: number,
): Promise<TakenStretches> {
  const ends = await findEnds(tx, accountId, listId, stretches, rows);
  const taken = stretches.map(({ after, upto }, index) => ({ after, upto: ends[index] ?? upto }));
  const left = stretches.flatMap(({ upto }, index) => {
    const after = ends[index];
    return after ? [{ after, upto }] : [];
  });
  return { taken, left };
}

/** Divides the list in one pass over the index, in steps that each stay far below the time limit of a statement. */
async function cutUp(
  tx: Tx,
  accountId: string,
  listId: string,
  whole: ListStretch,
  estimate: number,
): Promise<ListStretch[]> {
  const pieces = Math.min(MOST_STRETCHES, Math.ceil(estimate / LEAST_STRETCH));
  const rows = Math.ceil(estimate / pieces);
  const cut: ListStretch[] = [];
  for (let after: ListPosition = whole.after; ; ) {
    const [end] = await findEnds(tx, accountId, listId, [{ after, upto: whole.upto }], rows);
    if (!end || cut.length === MOST_STRETCHES - 1) return [...cut, { after, upto: whole.upto }];
    cut.push({ after, upto: end });
    after = end;
  }
}
