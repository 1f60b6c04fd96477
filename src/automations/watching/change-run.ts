/** What people of the account do with a single run: they end it, cut its wait short, or put it onto another step. */
import type { TxCtx } from "../../platform/context.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import { invalidState } from "../../subscribers/subscribers.ts";
import type { Graph, Node } from "../graph-types.ts";
import { readFollowing, standingIn } from "../publishing/publishing.ts";
import { addCounts, createCounts, exitRuns, hintDue, readVersion } from "../runs/runs.ts";
import { findRun, lockRun, putRun, type RunRow } from "./runs-store.ts";

/** Ends a run where it stands. */
export async function exitRun(ctx: TxCtx, id: string): Promise<RunRow> {
  const run = await lockActive(ctx, id);
  const at = new Date(Math.max(ctx.clock.now().getTime(), run.entered_at.getTime()));
  await exitRuns(ctx, { id: run.automation_id }, { runIds: [id], as: "removed", at });
  return mustFind(ctx, id);
}

/** Lets a run go on at once, as if its wait were over. */
export async function skipWait(ctx: TxCtx, id: string): Promise<RunRow> {
  const run = await lockActive(ctx, id);
  const { version, node, graph } = await placeOf(ctx, run);
  const past = wayPast(graph.nodes.get(node));
  if (!past) throw refuse(run, "it doesn't wait at this step");
  return put(ctx, run, { ...past, version, reason: "skipped" });
}

export async function moveRun(ctx: TxCtx, id: string, node: string): Promise<RunRow> {
  const run = await lockActive(ctx, id);
  const { version, graph } = await placeOf(ctx, run);
  if (!graph.nodes.has(node))
    throw invalid({ pointer: "/node", code: "unknown_node", detail: "there is no such step" });
  return put(ctx, run, { way: "moved", node, version, reason: "moved" });
}

async function put(
  ctx: TxCtx,
  run: RunRow,
  to: { readonly way: string; readonly node: string; readonly version: number; readonly reason: string },
): Promise<RunRow> {
  const { sql, accountId, clock } = ctx;
  await putRun(sql, accountId, run, to, clock.now());
  const counts = createCounts();
  counts.add(run.node, `left:${to.way}`);
  counts.add(to.node, "entered");
  await addCounts(sql, accountId, run.automation_id, counts);
  await hintDue(sql);
  return mustFind(ctx, run.id);
}

function wayPast(node: Node | undefined): { readonly way: string; readonly node: string } | undefined {
  if (node?.type === "wait") return { way: "next", node: node.next };
  return node?.type === "wait_for" ? { way: "else", node: node.else } : undefined;
}

async function placeOf(
  { sql, accountId }: TxCtx,
  run: RunRow,
): Promise<{ readonly version: number; readonly node: string; readonly graph: Graph }> {
  const place = standingIn(await readFollowing(sql, accountId, run.automation_id), run);
  const version = await readVersion(sql, accountId, run.automation_id, place.version);
  if (!version) throw refuse(run, "its version can't be read any more");
  return { version: place.version, node: place.node, graph: version.graph };
}

async function lockActive({ sql, accountId }: TxCtx, id: string): Promise<RunRow> {
  const run = await lockRun(sql, accountId, id);
  if (!run) throw missing("run");
  if (run.state !== "active") throw refuse(run, "it has ended");
  return run;
}

async function mustFind({ sql, accountId }: TxCtx, id: string): Promise<RunRow> {
  const run = await findRun(sql, accountId, id);
  if (!run) throw missing("run");
  return run;
}

function refuse({ state }: RunRow, why: string): AppError {
  return new AppError(invalidState, why, { members: { current_status: state } });
}
