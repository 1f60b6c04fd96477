/** Reads automations whose people move, with the graph of what was published. A version never changes, so it is read and kept once. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Fault } from "../../platform/problems.ts";
import { allFields, type FieldRow } from "../../subscribers/subscribers.ts";
import { readGraph } from "../graph/graph.ts";
import type { Graph } from "../graph-types.ts";

export type Version = {
  readonly number: number;
  readonly graph: Graph;
  /** The revisions of the mails, by the names of their steps. */
  readonly emails: ReadonlyMap<string, string>;
  /** Whether its mail goes into the sandbox, or by a server; null where that is decided for each wave. */
  readonly isSandbox: boolean | null;
};

export type LiveAutomation = {
  readonly id: string;
  readonly listId: string;
  /** Who is paused takes people, and moves nobody; one that is draining moves those inside, and takes nobody. */
  readonly state: "live" | "paused" | "draining";
} & Version;

type Row = { id: string; list_id: string; state: LiveAutomation["state"]; version: number };

type VersionRow = { graph: unknown; emails: Record<string, string>; is_sandbox: boolean | null };

const MOST_KEPT = 500;
const kept = new Map<string, Version>();

export type Live = {
  readonly automations: readonly LiveAutomation[];
  /** Those whose version can't be read any more, since a field it names is gone. */
  readonly unreadable: readonly { readonly id: string; readonly version: number }[];
};

/** Returns those that are live, paused or draining. */
export async function readLive(db: Queryable, accountId: string): Promise<Live> {
  const rows = await db.many<Row>(sql`
    select id, list_id, state, version from automations
    where account_id = ${accountId} and state in ('live', 'paused', 'draining')`);
  const automations: LiveAutomation[] = [];
  const unreadable: { id: string; version: number }[] = [];
  for (const row of rows) {
    const version = await readVersion(db, accountId, row.id, row.version);
    if (version) automations.push({ id: row.id, listId: row.list_id, state: row.state, ...version });
    else unreadable.push({ id: row.id, version: row.version });
  }
  return { automations, unreadable };
}

export async function readOneLive(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<LiveAutomation | undefined> {
  const row = await db.maybeOne<Row>(sql`
    select id, list_id, state, version from automations
    where account_id = ${accountId} and id = ${id} and state in ('live', 'paused', 'draining')`);
  const version = row && (await readVersion(db, accountId, id, row.version));
  return version && { id, listId: row.list_id, state: row.state, ...version };
}

/** Returns undefined where there is no such version, or where it names a field that is gone. */
export async function readVersion(
  db: Queryable,
  accountId: string,
  automationId: string,
  number: number,
): Promise<Version | undefined> {
  const key = `${accountId} ${automationId} ${number}`;
  const known = kept.get(key);
  if (known) return known;
  const row = await db.maybeOne<VersionRow>(sql`
    select graph, emails, is_sandbox from automation_versions
    where account_id = ${accountId} and automation_id = ${automationId} and number = ${number}`);
  const version = row && toVersion(number, row, await allFields(db, accountId));
  if (!version) return undefined;
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(key, version);
  return version;
}

/** Says why a version can't be read any more: by a stricter reader, or because what it names is gone. Nobody in it moves meanwhile. */
export async function readVersionFaults(
  db: Queryable,
  accountId: string,
  automationId: string,
  number: number,
): Promise<readonly Fault[]> {
  if (kept.has(`${accountId} ${automationId} ${number}`)) return [];
  const row = await db.maybeOne<VersionRow>(sql`
    select graph, emails, is_sandbox from automation_versions
    where account_id = ${accountId} and automation_id = ${automationId} and number = ${number}`);
  return row ? readGraph(row.graph, await allFields(db, accountId), "/graph").faults : [];
}

function toVersion(number: number, row: VersionRow, fields: readonly FieldRow[]): Version | undefined {
  const { graph } = readGraph(row.graph, fields, "/graph");
  return graph && { number, graph, emails: new Map(Object.entries(row.emails)), isSandbox: row.is_sandbox };
}
