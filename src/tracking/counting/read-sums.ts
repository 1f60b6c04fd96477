import type { Queryable } from "../../platform/db/db.ts";
import type { Sums } from "./count.ts";
import { readSums } from "./count-store.ts";

/** The sums of each link of a source, by its number. */
export function readLinkSums(db: Queryable, accountId: string, sourceId: string): Promise<Map<number, Sums>> {
  return readNumbered(db, accountId, sourceId, "link ");
}

/** The sums of each address that several links of a source have, by the number of the first of them. */
export function readUrlSums(db: Queryable, accountId: string, sourceId: string): Promise<Map<number, Sums>> {
  return readNumbered(db, accountId, sourceId, "url ");
}

async function readNumbered(db: Queryable, accountId: string, sourceId: string, prefix: "link " | "url ") {
  const parts = await readSums(db, accountId, [sourceId], prefix);
  return new Map(parts.map((sums) => [Number(sums.part.slice(prefix.length)), sums]));
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
