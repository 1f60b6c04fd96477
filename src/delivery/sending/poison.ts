/**
 * Poison is a row whose composing ends its sender, and its batch would end one sender after another. After two deaths a
 * batch is therefore composed row by row, each alone in its sender and marked meanwhile; a row marked at two deaths fails. A
 * sender that dies for another reason had a row marked for some milliseconds at most, and not the same one twice.
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

/** This id is marked, instead of a row's, while the source itself is opened. */
export const OPENING = "00000000-0000-0000-0000-000000000000";
const DEATHS_UNTIL_APART = 2;
const DEATHS_OF_POISON = 2;
/** A source with this many such rows is given up, because each costs everybody two deaths of a sender. */
const MOST_POISON = 3;

/** A timer that can fire after this time shows that the composing isn't done in the sender's own thread. */
const ELSEWHERE_MS = 100;

export const POISON_REASON = "sender_ended: composing this message ended its sender twice";

type Composer = { readonly db: Db; readonly worker: Holder; readonly composing: ComposeGate };

type DeathMarks = Pick<Lease, "deaths" | "suspect" | "suspectDeaths">;

export function isApart({ deaths }: DeathMarks): boolean {
  return deaths >= DEATHS_UNTIL_APART;
}

export function isPoison({ suspect, suspectDeaths }: DeathMarks, what: string): boolean {
  return suspect === what && suspectDeaths >= DEATHS_OF_POISON;
}

/** Puts the row that the last sender was composing first: it ends this sender too, or is cleared. */
export function suspectFirst(lease: DeathMarks, rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const suspect = rows.find((row) => row.contact_id === lease.suspect);
  return suspect ? [suspect, ...rows.filter((row) => row !== suspect)] : rows;
}

/**
 * Resolves to undefined when another sender has the batch by now. Composing that ends a sender does so in its own thread, at
 * once; composing that takes longer is done elsewhere, so the mark is taken away, and no other batch waits for it.
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
