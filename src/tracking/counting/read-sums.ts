import type { Queryable } from "../../platform/db/db.ts";
import { NO_SUMS, type Sums } from "./count.ts";
import { readSums } from "./count-store.ts";

/** The sums of each link of a source, by its number. */
export function readLinkSums(db: Queryable, accountId: string, sourceId: string): Promise<Map<number, Sums>> {
  return readNumbered(db, accountId, sourceId, "links");
}

/** The sums of each address that several links of a source have, by the number of the first of them. */
export function readUrlSums(db: Queryable, accountId: string, sourceId: string): Promise<Map<number, Sums>> {
  return readNumbered(db, accountId, sourceId, "urls");
}

async function readNumbered(db: Queryable, accountId: string, sourceId: string, kind: "links" | "urls") {
  const parts = await readSums(db, accountId, [sourceId], kind);
  return new Map(parts.map((sums) => [Number(sums.part.split(" ")[1]), sums]));
}

export type DomainSums = { readonly totals: Sums; readonly byDomain: ReadonlyMap<string, Sums> };

/** The sums of all mail and of each recipient domain, as of one moment; '' is all domains that aren't counted by themselves. */
export async function readDomainSums(
  db: Queryable,
  accountId: string,
  sourceIds: readonly string[],
): Promise<DomainSums> {
  const parts = await readSums(db, accountId, sourceIds, "domains");
  return {
    totals: parts.find(({ part }) => part === "") ?? NO_SUMS,
    byDomain: new Map(
      parts.filter(({ part }) => part !== "").map((sums) => [sums.part.slice("domain ".length), sums]),
    ),
  };
}

/** The sums of each quarter of an hour in which something happened, in the order of time. */
export async function readQuarterSums(
  db: Queryable,
  accountId: string,
  sourceIds: readonly string[],
): Promise<{ readonly at: Date; readonly sums: Sums }[]> {
  const parts = await readSums(db, accountId, sourceIds, "quarters");
  return parts.map((sums) => ({ at: new Date(sums.part.slice("quarter ".length)), sums }));
}
