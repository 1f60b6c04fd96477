/** Holds what people did, by the log of events, against the journal: who was woken, who left by a goal, who came back; and what webhook steps have told. */
import type { Result } from "../../bench/harness/bench.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import type { TestApp } from "../../test/support/app.ts";
import { uuidOf } from "../../test/support/subscribers.ts";
import type { ReceivedPost } from "../../test/support/webhooks.ts";
import { exactly } from "../fault.ts";

const WAIT_MS = 60_000;

type Run = {
  readonly id: string;
  readonly person: string;
  readonly entered_at: Date;
  readonly ended_at: Date | null;
  readonly ended_as: string | null;
};
type Visit = {
  readonly run_id: string;
  readonly visit: number;
  readonly node: string;
  readonly way: string | null;
  readonly reason: string;
  readonly arrived_at: Date;
  readonly left_at: Date;
};
type Deed = { readonly person: string; readonly name: string; readonly at: Date };

export async function* judgeEvents(
  app: TestApp,
  name: string,
  automationId: string,
  posts: readonly ReceivedPost[],
): AsyncIterable<Result> {
  const runs = await app.db.many<Run>(sql`
    select id, subscriber_id as person, entered_at, ended_at, ended_as from automation_runs
    where automation_id = ${automationId} order by entered_at, id`);
  const visits = await app.db.many<Visit>(sql`
    select run_id, visit, node, way, reason, arrived_at, left_at from automation_journal
    where automation_id = ${automationId} order by run_id, visit`);
  const deeds = await readDeeds(app);
  yield judgeEntries(name, runs, deeds);
  const runsOf = Map.groupBy(runs, ({ person }) => person);
  const deedsOf = Map.groupBy(deeds, ({ person }) => person);
  const doing = (run: Run, what: string) =>
    (deedsOf.get(run.person) ?? []).filter((deed) => deed.name === what).map(({ at }) => at);
  const visitsOf = Map.groupBy(visits, ({ run_id }) => run_id);
  yield judgeWakeUps(name, runs, visitsOf, doing);
  yield judgeGoals(name, runs, visitsOf, doing);
  yield judgeComingBack(name, runsOf, deeds);
  yield* judgePosts(name, visits, posts);
}

/** What people did, with when they joined. */
async function readDeeds(app: TestApp): Promise<Deed[]> {
  const rows = await app.db.many<Deed>(sql`
    select data ->> 'subscriber_id' as person, created_at as at,
      case type when 'subscriber.created' then 'came' else data ->> 'name' end as name
    from events where type in ('subscriber.created', 'subscriber.event_tracked') order by created_at`);
  return rows.map((row) => ({ ...row, person: uuidOf("sub", row.person) }));
}

/** Every run begins at the moment of what let its person in, and no two by the same. */
function judgeEntries(name: string, runs: readonly Run[], deeds: readonly Deed[]): Result {
  const causes = new Set(
    deeds.flatMap((deed) =>
      deed.name === "came" || deed.name === "came_back" ? [`${deed.person} ${deed.at.getTime()}`] : [],
    ),
  );
  const wrong = runs.filter((run) => !causes.delete(`${run.person} ${run.entered_at.getTime()}`));
  return exactly(
    `${name}: runs that nothing began, or that began twice`,
    wrong.length,
    0,
    "runs",
    show(wrong),
  );
}

type Doing = (run: Run, what: string) => readonly Date[];
type Visits = ReadonlyMap<string, readonly Visit[]>;

/** Who read while they waited for it, and within the minute, was woken by it, and nobody else. */
function judgeWakeUps(name: string, runs: readonly Run[], visitsOf: Visits, doing: Doing): Result {
  let [woken, late] = [0, 0];
  const wrong = runs.filter((run) =>
    (visitsOf.get(run.id) ?? []).some((visit) => {
      if (visit.node !== "listening" || visit.reason === "exit") return false;
      const isWoken = doing(run, "read").some((at) => isWithin(at, visit));
      if (isWoken) woken++;
      else late++;
      return visit.reason !== (isWoken ? "happened" : "timeout");
    }),
  );
  return exactly(`${name}: runs woken wrongly, or not woken`, wrong.length, 0, "runs", [
    `${woken} were woken by what happened, ${late} by the time`,
    ...show(wrong),
  ]);
}

function isWithin(at: Date, { arrived_at: arrivedAt }: Visit): boolean {
  return at >= arrivedAt && at.getTime() <= arrivedAt.getTime() + WAIT_MS;
}

/** Whoever bought while they waited has left there and then, as a goal; and nobody left so without it. */
function judgeGoals(name: string, runs: readonly Run[], visitsOf: Visits, doing: Doing): Result {
  let goals = 0;
  const wrong = runs.filter((run) => {
    const bought = doing(run, "bought");
    const visits = visitsOf.get(run.id) ?? [];
    if (run.ended_as === "goal") goals++;
    // Who had read was due already, and may have gone on before.
    const wasWaiting = visits.find(
      (visit) =>
        (visit.node === "listening" || visit.node === "pause") &&
        bought.some((at) => isWithin(at, visit) && at >= run.entered_at) &&
        visit.reason !== "happened",
    );
    if (wasWaiting)
      return wasWaiting.reason !== "exit" || run.ended_as !== "goal" || visits.at(-1) !== wasWaiting;
    const isGoal = run.ended_as === "goal";
    return (
      isGoal && !bought.some((at) => at >= run.entered_at && at.getTime() <= (run.ended_at?.getTime() ?? 0))
    );
  });
  return exactly(
    `${name}: runs that went on after their goal, or left without one`,
    wrong.length,
    0,
    "runs",
    [`${goals} left by the goal`, ...show(wrong)],
  );
}

/** Whoever came back either was inside still, or has a run since. */
function judgeComingBack(
  name: string,
  runsOf: ReadonlyMap<string, readonly Run[]>,
  deeds: readonly Deed[],
): Result {
  const back = deeds.filter((deed) => deed.name === "came_back");
  let entered = 0;
  const wrong = back.filter(({ person, at }) => {
    const runs = runsOf.get(person) ?? [];
    const hasEntered = runs.some((run) => run.entered_at.getTime() === at.getTime());
    if (hasEntered) entered++;
    const wasInside = runs.some((run) => run.entered_at < at && (run.ended_at === null || run.ended_at > at));
    return !hasEntered && !wasInside;
  });
  return exactly(`${name}: people who came back and were not let in`, wrong.length, 0, "people", [
    `${entered} of ${back.length} were let in again, the others were inside still`,
  ]);
}

/** Each visit of the webhook step was told under its own id, always with the same content, however often it came. */
async function* judgePosts(
  name: string,
  visits: readonly Visit[],
  posts: readonly ReceivedPost[],
): AsyncIterable<Result> {
  const asked = new Set(
    visits.flatMap((one) =>
      one.node === "telling" && one.way !== null ? [`${toPublicId("run", one.run_id)}.${one.visit}`] : [],
    ),
  );
  const came = Map.groupBy(posts, ({ headers }) => String(headers["webhook-id"]));
  const lost = [...asked].filter((id) => !came.has(id));
  const strange = [...came.keys()].filter((id) => !asked.has(id));
  const differs = [...came.values()].filter((some) => new Set(some.map(({ text }) => text)).size > 1);
  const twice = [...came.values()].filter((some) => some.length > 1).length;
  yield exactly(`${name}: webhook steps that nobody was told of`, lost.length, 0, "steps", [
    `${asked.size} steps, ${twice} told more than once`,
  ]);
  yield exactly(`${name}: posts of no step`, strange.length, 0, "ids");
  yield exactly(`${name}: ids that came with other content`, differs.length, 0, "ids");
}

function show(runs: readonly Run[]): string[] {
  return runs.slice(0, 5).map(({ id }) => id);
}
