/** What becomes of steps that fell due while an automation was paused, a piece at a time. */
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";
import { allFields } from "../../subscribers/subscribers.ts";
import { readGraph } from "../graph/graph.ts";
import type { Graph, Node } from "../graph-types.ts";
import { hintDue } from "../runs/runs.ts";
import type { OverdueWork } from "../store.ts";
import { hasOtherWait } from "./compare.ts";
import { standingIn } from "./following.ts";
import {
  addDone,
  insertOverdue,
  lockOverdue,
  type OverdueRun,
  type Passed,
  pass,
  removeOverdue,
  setDue,
  takeOverdue,
  type WokenBy,
  type Work,
} from "./overdue-store.ts";
import { findVersion, readFollowing } from "./version-store.ts";

/** So many are locked and in memory at a time. */
const AT_ONCE = 2_000;

/**
 * Is called in the transaction in which an automation goes on. Few steps are moved at once. Many are kept back until a job has come to them,
 * however often that is interrupted; what is returned then says how many they are.
 */
export async function beginOverdue(
  ctx: TxCtx,
  automationId: string,
  work: Omit<Work, "done">,
): Promise<OverdueWork | null> {
  const { sql: tx, accountId } = ctx;
  const { choice, people } = work;
  const whole = { ...work, done: 0 };
  if (people <= AT_ONCE) {
    await movePiece(ctx, automationId, whole);
    return null;
  }
  await insertOverdue(tx, accountId, automationId, whole);
  const payload = { account_id: accountId, automation_id: automationId };
  await addJob(tx, moveOverdueJob, payload, { key: `overdue ${automationId}` });
  return { choice, people, done: 0 };
}

type OfAutomation = { readonly account_id: string; readonly automation_id: string };

/** Goes through those who are kept back, a piece a transaction. It may be run again at any time, and goes on where it came to. */
export const moveOverdueJob = defineJob<OfAutomation>({
  name: "move_overdue_runs",
  timeoutMs: 3_600_000,
  run: async (tools, { account_id: accountId, automation_id: automationId }) => {
    for (;;) {
      const isOver = await tools.db.transaction(async (tx) => {
        const work = await lockOverdue(tx, accountId, automationId);
        if (!work) return true;
        const count = await movePiece(systemCtx(tools, tx, accountId), automationId, work);
        if (count < AT_ONCE) await removeOverdue(tx, accountId, automationId);
        else await addDone(tx, accountId, automationId, count);
        await hintDue(tx);
        return count < AT_ONCE;
      });
      if (isOver) return;
      tools.signal.throwIfAborted();
    }
  },
});

/** Moves the next of them, and returns how many they were. Afterwards they are due later than whoever is kept back. */
async function movePiece(ctx: TxCtx, automationId: string, work: Work): Promise<number> {
  const runs = await takeOverdue(ctx.sql, ctx.accountId, automationId, work.until, AT_ONCE);
  const at = Math.max(ctx.clock.now().getTime(), work.until.getTime() + 1);
  if (work.choice === "spread") await spread(ctx, runs, work);
  else await skip(ctx, automationId, runs, new Date(at));
  return runs.length;
}

/** Lets them go on one after another, evenly over so many minutes, in the order in which they fell due. */
async function spread({ sql: tx, accountId }: TxCtx, runs: readonly OverdueRun[], work: Work): Promise<void> {
  const { until, spread_minutes: minutes, people, done } = work;
  const dueAt = (nth: number) => {
    const share = Math.min(1, (done + nth) / people);
    return new Date(until.getTime() + 1 + Math.floor(share * minutes * 60_000));
  };
  await setDue(
    tx,
    accountId,
    runs.map(({ id }, nth) => ({ id, at: dueAt(nth) })),
  );
}

/**
 * Leads them past the mails that they would have got, to the step after: their wait is over, and those mails are left out. Everything else
 * is done as ever, once the automation goes on. Who came to a wait meanwhile hasn't waited yet, and for whom happened what they waited for
 * goes the way of that.
 */
async function skip(ctx: TxCtx, automationId: string, runs: readonly OverdueRun[], at: Date): Promise<void> {
  const { sql: tx, accountId } = ctx;
  const chain = await readFollowing(tx, accountId, automationId);
  const fields = await allFields(tx, accountId);
  const graphs = new Map<number, Graph | undefined>();
  const graphOf = async (number: number) => {
    if (!graphs.has(number)) {
      const version = await findVersion(tx, accountId, automationId, number);
      graphs.set(number, version && readGraph(version.graph, fields, "").graph);
    }
    return graphs.get(number);
  };
  const groups = Map.groupBy(runs, ({ version, node, wokenBy }) => `${version} ${node} ${wokenBy}`);
  for (const some of groups.values()) {
    const [first] = some;
    if (!first) continue;
    const place = standingIn(chain, first);
    const graph = await graphOf(place.version);
    const isSameWait =
      place.wait.version === first.version ||
      !isOtherWait(await graphOf(first.version), first.node, graph, place.node);
    const passed = graph ? pathPastMails(graph, place.node, first.wokenBy, isSameWait) : [];
    const to = passed.at(-1)?.to;
    const ids = some.map(({ id }) => id);
    if (to !== undefined && passed.some(({ isMail }) => isMail))
      await pass(
        tx,
        accountId,
        automationId,
        { ids, from: first.node, toVersion: place.version, to, at },
        passed,
      );
    else
      await setDue(
        tx,
        accountId,
        ids.map((id) => ({ id, at })),
      );
  }
}

function isOtherWait(from: Graph | undefined, name: string, to: Graph | undefined, toName: string): boolean {
  return !from || !to || hasOtherWait(from, name, to, toName);
}

/** The steps from this one on that lead past mails: a wait that is over, and each mail that comes at once. */
function pathPastMails(graph: Graph, from: string, wokenBy: WokenBy, isSameWait: boolean): readonly Passed[] {
  const passed: Passed[] = [];
  const seen = new Set<string>();
  for (let name = from; !seen.has(name); ) {
    seen.add(name);
    const isFirst = name === from && seen.size === 1;
    const way = wayPast(graph.nodes.get(name), isFirst ? wokenBy : "arrival", isSameWait);
    if (!way) break;
    passed.push({ node: name, ...way });
    name = way.to;
  }
  return passed;
}

/** A wait that was published anew meanwhile may last longer, and a rule may hold by now: whoever leads people on asks for both. */
function wayPast(
  node: Node | undefined,
  wokenBy: WokenBy,
  isSameWait: boolean,
): Omit<Passed, "node"> | undefined {
  if (node?.type === "email") return { way: "next", to: node.next, isMail: true };
  if (wokenBy === "arrival") return undefined;
  if (node?.type === "wait_for" && wokenBy === "event") return { way: "then", to: node.then, isMail: false };
  if (!isSameWait) return undefined;
  if (node?.type === "wait") return { way: "next", to: node.next, isMail: false };
  return node?.type === "wait_for" && !node.rule ? { way: "else", to: node.else, isMail: false } : undefined;
}
