/** What becomes of steps that fell due while an automation was paused. */
import type { TxCtx } from "../../platform/context.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { allFields } from "../../subscribers/subscribers.ts";
import { readGraph } from "../graph/graph.ts";
import type { Graph, Node } from "../graph-types.ts";
import type { AutomationRow } from "../store.ts";
import { standingIn } from "./following.ts";
import { findVersion, readFollowing } from "./version-store.ts";

type OverdueNode = { readonly node: string; readonly people: number };

/** Counts by automation_runs_due who has fallen due, by their steps. */
export function countOverdue(
  db: Queryable,
  accountId: string,
  automationId: string,
  now: Date,
): Promise<OverdueNode[]> {
  return db.many<OverdueNode>(sql`
    select node, count(*)::int as people from automation_runs
    where account_id = ${accountId} and automation_id = ${automationId} and state = 'active' and due_at <= ${now}
    group by node order by node`);
}

/** Lets them go on one after another, evenly over so many minutes, in the order in which they fell due. */
export async function spreadOverdue(
  tx: Tx,
  accountId: string,
  automationId: string,
  now: Date,
  minutes: number,
): Promise<void> {
  await tx.execute(sql`
    with overdue as materialized (
      select id, (row_number() over (order by due_at, id) - 1)::float8 / count(*) over () as share from automation_runs
      where account_id = ${accountId} and automation_id = ${automationId} and state = 'active' and due_at <= ${now}
    )
    update automation_runs r
    set due_at = ${now}::timestamptz + make_interval(secs => o.share * ${minutes * 60})
    from overdue o where r.account_id = ${accountId} and r.id = o.id`);
}

type WokenBy = "arrival" | "time" | "event";

/**
 * Leads them past the mails that they would have got, to the step after: their wait is over, and those mails are left out. Everything else
 * is done as ever, once the automation goes on. Who came to a wait meanwhile hasn't waited yet, and for whom happened what they waited for
 * goes the way of that.
 */
export async function skipOverdue(ctx: TxCtx, row: AutomationRow, now: Date): Promise<void> {
  const { sql: tx, accountId } = ctx;
  const chain = await readFollowing(tx, accountId, row.id);
  const fields = await allFields(tx, accountId);
  const graphs = new Map<number, Graph | undefined>();
  const groups = await tx.many<{ version: number; node: string; woken_by: WokenBy }>(sql`
    select distinct version, node, woken_by from automation_runs
    where account_id = ${accountId} and automation_id = ${row.id} and state = 'active' and due_at <= ${now}`);
  for (const group of groups) {
    const place = standingIn(chain, group);
    if (!graphs.has(place.version)) {
      const version = await findVersion(tx, accountId, row.id, place.version);
      graphs.set(place.version, version && readGraph(version.graph, fields, "").graph);
    }
    const graph = graphs.get(place.version);
    const passed = graph ? pathPastMails(graph, place.node, group.woken_by) : [];
    const to = passed.at(-1)?.to;
    if (to === undefined || !passed.some(({ isMail }) => isMail)) continue;
    await pass(ctx, row.id, { ...group, wokenBy: group.woken_by, toVersion: place.version, to }, passed, now);
  }
}

type Passed = { readonly node: string; readonly way: string; readonly to: string; readonly isMail: boolean };

/** The steps from this one on that lead past mails: a wait that is over, and each mail that comes at once. */
function pathPastMails(graph: Graph, from: string, wokenBy: WokenBy): readonly Passed[] {
  const passed: Passed[] = [];
  const seen = new Set<string>();
  for (let name = from; !seen.has(name); ) {
    seen.add(name);
    const way = wayPast(graph.nodes.get(name), name === from && seen.size === 1 ? wokenBy : "arrival");
    if (!way) break;
    passed.push({ node: name, ...way });
    name = way.to;
  }
  return passed;
}

function wayPast(node: Node | undefined, wokenBy: WokenBy): Omit<Passed, "node"> | undefined {
  if (node?.type === "email") return { way: "next", to: node.next, isMail: true };
  if (wokenBy === "arrival") return undefined;
  if (node?.type === "wait") return { way: "next", to: node.next, isMail: false };
  if (node?.type !== "wait_for") return undefined;
  return wokenBy === "event"
    ? { way: "then", to: node.then, isMail: false }
    : { way: "else", to: node.else, isMail: false };
}

type Moved = {
  readonly version: number;
  readonly node: string;
  readonly wokenBy: WokenBy;
  readonly toVersion: number;
  readonly to: string;
};

/** Moves a group of runs along the path, with a row of the journal and a count for each step of it. */
async function pass(
  { sql: tx, accountId }: TxCtx,
  automationId: string,
  { version, node, wokenBy, toVersion, to }: Moved,
  passed: readonly Passed[],
  now: Date,
): Promise<void> {
  // The first step stands in the journal and the sums under the name that the runs had it by.
  const names = passed.map((one, at) => (at === 0 ? node : one.node));
  const reasons = passed.map(({ isMail, way }) =>
    isMail ? "skipped" : way === "else" ? "timeout" : way === "then" ? "happened" : "waited",
  );
  await tx.execute(sql`
    with path as materialized (
      select * from unnest(${names}::text[], ${passed.map(({ way }) => way)}::text[], ${reasons}::text[])
        with ordinality as step (node, way, reason, nth)
    ), overdue as materialized (
      select id, visit, arrived_at from automation_runs
      where account_id = ${accountId} and automation_id = ${automationId} and state = 'active' and due_at <= ${now}
        and version = ${version} and node = ${node} and woken_by = ${wokenBy}
      for update
    ), moved as (
      update automation_runs r set node = ${to}, version = ${toVersion}, visit = r.visit + ${passed.length}::int,
        arrived_at = ${now}, due_at = ${now}, woken_by = 'arrival'
      from overdue o where r.account_id = ${accountId} and r.id = o.id
    ), written as (
      insert into automation_journal (account_id, run_id, visit, version, arrived_at, left_at, automation_id, node, way, reason)
      select ${accountId}, o.id, o.visit + p.nth - 1, ${toVersion}::int,
        case when p.nth = 1 then o.arrived_at else ${now}::timestamptz end, ${now}::timestamptz, ${automationId}, p.node, p.way, p.reason
      from overdue o cross join path p
    ), sums as (
      select place.node, place.what, (select count(*) from overdue) as count
      from (
        select node, 'left:' || way as what from path
        union all select node, 'entered' from path where nth > 1
        union all select ${to}::text, 'entered'
      ) as place
    )
    insert into automation_counts as known (account_id, automation_id, node, what, shard, count)
    select ${accountId}, ${automationId}, node, what, 0, sum(count) from sums where count > 0
    group by node, what order by node, what
    on conflict (account_id, automation_id, node, what, shard) do update set count = known.count + excluded.count`);
}
