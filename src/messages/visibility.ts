/** Says whose opens and clicks of a frozen message can be seen. */
import { type Queryable, sql } from "../platform/db/db.ts";
import type { Seen, Visibility } from "../subscribers/subscribers.ts";
import { readManyLinkUrls } from "./links/links.ts";
import { FROZEN_TRACKING } from "./revision-store.ts";

/** A revision that was frozen before there were modes has none: everybody is tracked. */
type FrozenTracking = {
  readonly opens: boolean;
  readonly clicks: boolean;
  readonly mode?: "individual" | "consented" | "aggregate" | "off";
};

const SEEN: Readonly<Record<NonNullable<FrozenTracking["mode"]>, Seen>> = {
  individual: "all",
  consented: "consenting",
  aggregate: "nobody",
  off: "nobody",
};

export function visibilityOf({ opens, clicks, mode }: FrozenTracking): Visibility {
  const seen = SEEN[mode ?? "individual"];
  return { opens: opens ? seen : "nobody", clicks: clicks ? seen : "nobody" };
}

export async function readVisibility(
  db: Queryable,
  accountId: string,
  revisionIds: readonly string[],
): Promise<ReadonlyMap<string, Visibility>> {
  if (revisionIds.length === 0) return new Map();
  const rows = await db.many<{ id: string; tracking: FrozenTracking | null }>(sql`
    select r.id, ${FROZEN_TRACKING} as tracking from revisions r
    where r.account_id = ${accountId} and r.id = any(${[...revisionIds]}::uuid[])`);
  return new Map(
    rows.map(({ id, tracking }) => [id, visibilityOf(tracking ?? { opens: false, clicks: false })]),
  );
}

/**
 * The same, but where a message has no link of its author's that is counted, nobody's click can be seen. Each content is read whole, so
 * this is for those who ask seldom.
 */
export async function readVisibilityByLinks(
  db: Queryable,
  accountId: string,
  revisionIds: readonly string[],
): Promise<ReadonlyMap<string, Visibility>> {
  const seen = await readVisibility(db, accountId, revisionIds);
  const tracked = [...seen]
    .filter(([, { clicks }]) => clicks !== "nobody")
    .map(([id]) => ({ accountId, id }));
  const urls = await readManyLinkUrls(db, tracked);
  const canClick = (id: string) => urls.get(id)?.some((url) => url !== null) ?? false;
  return new Map([...seen].map(([id, one]) => [id, canClick(id) ? one : { ...one, clicks: "nobody" }]));
}
