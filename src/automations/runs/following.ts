/**
 * Says where a run stands in the newest version that it follows. Publishing changes no run: each is found in its new place when it is
 * looked at. A run's own row keeps the version and the step at which it arrived until it leaves that step.
 */
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Graph } from "../graph-types.ts";
import { readVersion, type Version } from "./live.ts";

/** How people inside take to a version when it is published. */
export type Following = {
  readonly number: number;
  /** False where those inside stay with the version that they are in. */
  readonly follows: boolean;
  /** Whether who waits goes on waiting as before; else the time already waited counts for the new wait. */
  readonly keepsWaits: boolean;
  /** Where people stand whose step is gone, or was to be left: {former step: step of this version}. */
  readonly mapping: Readonly<Record<string, string>>;
  /** The names of its steps. */
  readonly steps: { has(name: string): boolean };
};

/** The version and the step of it; `wait` is the version, and the step of that, which says how long it lasts. */
export type Place = {
  readonly version: number;
  readonly node: string;
  readonly wait: { readonly version: number; readonly node: string };
};

/**
 * `versions` are those of the automation, in the order of their numbers; earlier ones than the run's own don't count. Who reached a step
 * just when a version without it was published is in the place before, and goes on from there.
 */
export function standingIn(
  versions: readonly Following[],
  run: { readonly version: number; readonly node: string },
): Place {
  let place: Place = { ...run, wait: run };
  for (const { number, follows, keepsWaits, mapping, steps } of versions) {
    if (number <= run.version || !follows) continue;
    const node = (Object.hasOwn(mapping, place.node) && mapping[place.node]) || place.node;
    if (!steps.has(node)) continue;
    place = { version: number, node, wait: keepsWaits ? place.wait : { version: number, node } };
  }
  return place;
}

/** The versions of an automation, in the order of their numbers. */
export type Chain = readonly (Following & { readonly steps: ReadonlySet<string> })[];

type FollowingRow = {
  number: number;
  people: "follow" | "stay";
  waits: "recount" | "keep";
  mapping: Record<string, string>;
  steps: string[];
};

/** All versions as people follow them, in the order of their numbers, with the names of their steps. */
export async function readFollowing(db: Queryable, accountId: string, automationId: string): Promise<Chain> {
  const rows = await db.many<FollowingRow>(sql`
    select number, people, waits, mapping, array(select json_object_keys(graph -> 'nodes')) as steps
    from automation_versions where account_id = ${accountId} and automation_id = ${automationId} order by number`);
  return rows.map(({ number, people, waits, mapping, steps }) => ({
    number,
    follows: people === "follow",
    keepsWaits: waits === "keep",
    mapping,
    steps: new Set(steps),
  }));
}

/** The versions by which people inside may be judged, and where they stand in them. */
export type Inhabited = { readonly chain: Chain; readonly versions: ReadonlyMap<number, Version> };

type Newest = { readonly id: string; readonly number: number };

const MOST_KEPT = 500;
const kept = new Map<string, Inhabited>();

/**
 * Finds the versions in which somebody may be, whether they stayed or could not follow: the newest, and each in which a step may still be stood
 * on. They are known by the newest one's number, because no version changes; `newest` must be committed.
 */
export async function readInhabited(
  db: Queryable,
  accountId: string,
  newest: Newest & Version,
): Promise<Inhabited> {
  const key = `${accountId} ${newest.id} ${newest.number}`;
  const known = kept.get(key);
  if (known) return known;
  const chain = (await readFollowing(db, accountId, newest.id)).filter(
    ({ number }) => number <= newest.number,
  );
  const numbers = inhabitedIn(chain);
  const versions = new Map<number, Version>([[newest.number, newest]]);
  for (const number of numbers) {
    const version = versions.get(number) ?? (await readVersion(db, accountId, newest.id, number));
    if (version) versions.set(number, version);
  }
  const inhabited = { chain, versions };
  // One that can't be read now, since a field is gone, may be readable later.
  if (numbers.some((number) => !versions.has(number))) return inhabited;
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(key, inhabited);
  return inhabited;
}

/** The graphs of all versions in which somebody may be once this one is published, in the transaction that publishes it. */
export async function readInhabitedGraphs(
  db: Queryable,
  accountId: string,
  automationId: string,
  newest: Graph,
): Promise<readonly Graph[]> {
  const chain = await readFollowing(db, accountId, automationId);
  const graphs = [newest];
  for (const number of inhabitedIn(chain)) {
    // The newest isn't committed, and must not be kept.
    const version =
      number === chain.at(-1)?.number ? undefined : await readVersion(db, accountId, automationId, number);
    if (version) graphs.push(version.graph);
  }
  return graphs;
}

function inhabitedIn(chain: Chain): readonly number[] {
  const places = chain.flatMap(({ number, steps }) =>
    [...steps].map((node) => standingIn(chain, { version: number, node }).version),
  );
  return [...new Set(places)];
}
