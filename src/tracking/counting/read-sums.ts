import type { Queryable } from "../../platform/db/db.ts";
import type { Sums } from "./count.ts";
import { readSums } from "./count-store.ts";

/** The sums of each link of these sources, by its number. */
export async function readLinkSums(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<Map<number, Sums>> {
  const parts = await readSums(db, accountId, [sourceId], "link ");
  return new Map(parts.map((sums) => [Number(sums.part.slice("link ".length)), sums]));
}

/** The sums of each quarter of an hour in which something happened, in the order of time. */
export async function readQuarterSums(
  db: Queryable,
  accountId: string,
  sourceIds: readonly string[],
): Promise<{ readonly at: Date; readonly sums: Sums }[]> {
  const parts = await readSums(db, accountId, sourceIds, "quarter ");
  return parts.map((sums) => ({ at: new Date(sums.part.slice("quarter ".length)), sums }));
}
