/**
 * Poison: a row whose composing ends its sender. Its batch would end one sender after the other; so after two deaths it is
 * composed row by row, each by itself in its sender and marked meanwhile. One that was marked at two deaths is failed. Who dies
 * for another reason marks a row for some milliseconds at most, and not the same one twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import {
  beginComposing,
  countFailedWith,
  endComposing,
  type Holder,
  insist,
  type Lease,
  type LedgerRow,
} from "../ledger/ledger.ts";
import type { ComposeGate } from "./compose-gate.ts";

/** Marked while the source itself is opened. */
export const OPENING = "00000000-0000-0000-0000-000000000000";
const DEATHS_UNTIL_APART = 2;
const DEATHS_OF_POISON = 2;
/** With so many the source is given up: each costs everybody two deaths of a sender. */
const MOST_POISON = 3;

/** A timer that fires after this time shows that the thread itself is not busy with it. */
const ELSEWHERE_MS = 100;

export const POISON_REASON = "sender_ended: composing this message ended its sender twice";

type Composer = { readonly db: Db; readonly worker: Holder; readonly composing: ComposeGate };

type Marked = Pick<Lease, "deaths" | "suspect" | "suspectDeaths">;

export function isApart({ deaths }: Marked): boolean {
  return deaths >= DEATHS_UNTIL_APART;
}

export function isPoison({ suspect, suspectDeaths }: Marked, what: string): boolean {
  return suspect === what && suspectDeaths >= DEATHS_OF_POISON;
}

/** The one that the last sender was at comes first: it ends this one too, or is cleared. */
export function suspectFirst(lease: Marked, rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const suspect = rows.find((row) => row.contact_id === lease.suspect);
  return suspect ? [suspect, ...rows.filter((row) => row !== suspect)] : rows;
}

/**
 * Undefined when the batch is another's by now. What ends a sender does so in the sender's own thread, at once: composing that
 * is waited for longer is done elsewhere, so it is marked no more, and nobody else waits for it.
 */
export async function composeAlone<T>(
  { db, worker, composing }: Composer,
  lease: Lease,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const begun = await composing.alone(async () => {
    if (!(await insist(() => beginComposing(db, worker, lease, what)))) return undefined;
    const composed = work();
    await Promise.race([composed.catch(() => undefined), sleep(ELSEWHERE_MS)]);
    await insist(() => endComposing(db, worker, lease, what));
    return { composed };
  });
  return begun?.composed;
}

export async function hasTooMuchPoison(
  { db }: Pick<Composer, "db">,
  { accountId, sourceId }: Lease,
): Promise<boolean> {
  return (await countFailedWith(db, accountId, sourceId, POISON_REASON)) >= MOST_POISON;
}
