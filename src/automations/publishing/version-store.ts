/** All statements about published versions, and about who is inside when one is published. */
import { signatureOf } from "../../accounts/accounts.ts";
import type { Actor } from "../../platform/context.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";

export { readFollowing } from "../runs/runs.ts";

export type People = "follow" | "stay";
export type Waits = "recount" | "keep";

export type VersionHead = {
  readonly number: number;
  readonly people: People;
  readonly waits: Waits;
  readonly mapping: Readonly<Record<string, string>>;
  /** Whether its mail goes into the sandbox; null where it has none, or that wasn't noted. */
  readonly is_sandbox: boolean | null;
  readonly published_at: Date;
  readonly published_by_kind: Actor["kind"] | null;
  readonly published_by_id: string | null;
};
export type VersionRow = VersionHead & {
  readonly graph: unknown;
  /** The revision of each e-mail step. */
  readonly emails: Readonly<Record<string, string>>;
};

const head = sql`number, people, waits, mapping, is_sandbox, published_at, published_by_kind, published_by_id`;

export type NewVersion = Pick<
  VersionRow,
  "number" | "people" | "waits" | "mapping" | "is_sandbox" | "graph" | "emails" | "published_at"
>;

export async function insertVersion(
  tx: Tx,
  accountId: string,
  automationId: string,
  version: NewVersion,
  actor: Actor,
): Promise<void> {
  const { updated_by_kind: kind, updated_by_id: id } = signatureOf(actor);
  await tx.execute(sql`
    insert into automation_versions (account_id, automation_id, number, graph, emails, people, waits, mapping, is_sandbox, published_at,
      published_by_kind, published_by_id)
    values (${accountId}, ${automationId}, ${version.number}, ${JSON.stringify(version.graph)}::json,
      ${JSON.stringify(version.emails)}::jsonb, ${version.people}, ${version.waits}, ${JSON.stringify(version.mapping)}::jsonb,
      ${version.is_sandbox}, ${version.published_at}, ${kind}, ${id})`);
}

export function findVersion(
  db: Queryable,
  accountId: string,
  automationId: string,
  number: number,
): Promise<VersionRow | undefined> {
  return db.maybeOne<VersionRow>(sql`
    select ${head}, graph, emails from automation_versions
    where account_id = ${accountId} and automation_id = ${automationId} and number = ${number}`);
}

/** Newest first; `below` is the number of the last one of the page before. */
export function listVersions(
  db: Queryable,
  accountId: string,
  automationId: string,
  { limit, below }: { readonly limit: number; readonly below: number | undefined },
): Promise<VersionHead[]> {
  return db.many<VersionHead>(sql`
    select ${head} from automation_versions
    where account_id = ${accountId} and automation_id = ${automationId} and number < ${below ?? 2_147_483_647}
    order by number desc limit ${limit}`);
}

/** How many stand on a step of a version, as their rows say. */
export type Group = { readonly version: number; readonly node: string; readonly people: number };

/** Counts who stands on any of these steps, by the index automation_runs_at_node. */
export function countStanding(
  db: Queryable,
  accountId: string,
  automationId: string,
  nodes: readonly string[],
): Promise<Group[]> {
  if (nodes.length === 0) return Promise.resolve([]);
  return db.many<Group>(sql`
    select version, node, count(*)::int as people from automation_runs
    where account_id = ${accountId} and automation_id = ${automationId} and state = 'active'
      and node = any(${[...nodes]}::text[])
    group by version, node order by node, version`);
}

/** How many are inside: the sums say it, so nobody is counted one by one. */
export async function countInside(db: Queryable, accountId: string, automationId: string): Promise<number> {
  const { inside } = await db.one<{ inside: number }>(sql`
    select coalesce(sum(case when what = 'entered' then count else -count end), 0)::bigint as inside
    from automation_counts where account_id = ${accountId} and automation_id = ${automationId} and node = ''
      and (what in ('entered', 'completed') or what like 'exited:%')`);
  return inside;
}

export type Waiting = {
  readonly id: string;
  readonly subscriber_id: string;
  readonly version: number;
  readonly node: string;
  readonly arrived_at: Date;
};

/** Some of those who stand on these steps, in any order: as many as are asked for are read by automation_runs_at_node, and no more. */
export function listWaiting(
  db: Queryable,
  accountId: string,
  automationId: string,
  nodes: readonly string[],
  limit: number,
): Promise<Waiting[]> {
  return db.many<Waiting>(sql`
    select run.* from unnest(${[...nodes]}::text[]) as step (node) cross join lateral (
      select id, subscriber_id, version, node, arrived_at from automation_runs
      where account_id = ${accountId} and automation_id = ${automationId} and state = 'active' and node = step.node
      limit ${limit}) as run
    limit ${limit}`);
}

/**
 * The ids of those who stand on these steps since before the version, in their order. Who stands there is found before they are put in order: a
 * table that was never analysed is otherwise read by the ids of all accounts. Each piece is sorted out of all of them, so it should be large.
 */
export async function listStanding(
  db: Queryable,
  accountId: string,
  automationId: string,
  which: { nodes: readonly string[]; before: number; after: string; limit: number },
): Promise<string[]> {
  const { nodes, before, after, limit } = which;
  const rows = await db.many<{ id: string }>(sql`
    select id from (
      select id from automation_runs
      where account_id = ${accountId} and automation_id = ${automationId} and state = 'active'
        and node = any(${[...nodes]}::text[]) and version < ${before} and id > ${after}
      offset 0) as standing
    order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/**
 * Makes due at once those of these runs that still stand on these steps since before the version, so that their wait is counted anew. Until
 * then they are as if they had just come, so that what happens meanwhile still wakes them. They are locked in the order of their ids.
 */
export async function makeDue(
  tx: Tx,
  accountId: string,
  which: { ids: readonly string[]; nodes: readonly string[]; before: number; now: Date },
): Promise<void> {
  const { ids, nodes, before, now } = which;
  await tx.execute(sql`
    with wanted as materialized (
      select run.id from unnest(${[...ids]}::uuid[]) as one (id) cross join lateral (
        select id, state, node, version, due_at from automation_runs
        where account_id = ${accountId} and id = one.id offset 0 for update) as run
      where run.state = 'active' and run.node = any(${[...nodes]}::text[]) and run.version < ${before} and run.due_at > ${now}
    )
    update automation_runs set due_at = ${now}, woken_by = 'arrival'
    where account_id = ${accountId} and id = any(array(select id from wanted))`);
}
