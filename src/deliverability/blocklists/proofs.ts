/** Keeps the proofs of the lists fresh, and says which lists may be believed. */
import type { Clock } from "../../platform/clock.ts";
import type { Queryable, Writable } from "../../platform/db/db.ts";
import type { Dns } from "../../platform/dns.ts";
import type { Blocklist, Blocklists } from "./configured-lists.ts";
import { testPoints } from "./listing-rules.ts";
import { type AddressOnList, lookUpAddress, type ProvedList, proveList } from "./look-up.ts";
import { type ProofRow, readProofs, writeProofs } from "./store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A list is proved every day; one that nobody answers for stays proved for another day. */
const PROOF_HOLDS_MS = 2 * DAY_MS;

export async function readProvedLists(
  db: Queryable,
  lists: readonly Blocklist[],
  now: Date,
): Promise<ProvedList[]> {
  const rows = await readProofs(
    db,
    lists.map(({ zone }) => zone),
  );
  return lists.map((list) => {
    const own = rows.filter(({ zone }) => zone === list.zone);
    const kindsOf = (some: readonly ProofRow[]) => new Set(some.map(({ kind }) => kind));
    return {
      list,
      proved: kindsOf(own.filter((row) => holds(row, now))),
      disproved: kindsOf(own.filter(({ is_disproved }) => is_disproved)),
    };
  });
}

export function holds({ proved_at, is_disproved }: ProofRow, now: Date): boolean {
  return !is_disproved && proved_at !== null && now.getTime() - proved_at.getTime() < PROOF_HOLDS_MS;
}

/** Proves those lists anew that were not asked for a day, and the unproved ones after an hour. */
export async function refreshProofs(
  { db, clock, dns }: { readonly db: Writable; readonly clock: Clock; readonly dns: Pick<Dns, "a"> },
  lists: readonly Blocklist[],
): Promise<void> {
  const now = clock.now();
  const rows = await readProofs(
    db,
    lists.map(({ zone }) => zone),
  );
  const isFresh = (row: ProofRow) =>
    now.getTime() - row.checked_at.getTime() < (holds(row, now) ? DAY_MS : HOUR_MS);
  const due = lists.filter((list) => {
    const own = rows.filter(({ zone }) => zone === list.zone);
    return own.filter(isFresh).length < testPoints(list).length;
  });
  if (due.length === 0) return;
  const proofs = (await Promise.all(due.map((list) => proveList(dns, list)))).flat();
  await writeProofs(db, proofs, clock.now());
}

type LookUpTools = {
  readonly db: Writable;
  readonly clock: Clock;
  readonly dns: Pick<Dns, "a">;
  readonly blocklists: Blocklists;
};

/** Makes the function that asks all lists for one address, now. Where lists are off, it answers with none. */
export function createAddressLookUp({ blocklists: { lists, whyOff }, ...tools }: LookUpTools) {
  return async (address: string): Promise<AddressOnList[]> => {
    if (whyOff !== null) return [];
    await refreshProofs(tools, lists);
    return lookUpAddress(tools.dns, await readProvedLists(tools.db, lists, tools.clock.now()), address);
  };
}
