/**
 * The journal of one batch: `inflight` is written before a body, its outcome after it, both in groups. The statements may
 * be run again, so a passing fault of the database costs time and nothing else.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/db/db.ts";
import { DbError } from "../platform/db/errors.ts";
import type { Log } from "../platform/log.ts";
import { suppressContact } from "../subscribers/subscribers.ts";
import { createGrouping } from "./grouping.ts";
import { type Entry, markInflight, type Settled, writeOutcomes } from "./journal-store.ts";
import type { Holder, Lease } from "./lease-store.ts";
import { systemCtx } from "./sources.ts";

export type Journal = {
  /** `held`: it is inflight, committed. `refused`: by pause, take-over or because it was skipped. `unsure`: nobody knows. */
  admit(entry: Entry): Promise<Admission>;
  /** Returns once it is written, however long the database is away. */
  settle(settled: Settled): Promise<void>;
};
type Admission = "held" | "refused" | "unsure";

const MOST_A_GROUP = 200;
const ADMIT_ATTEMPTS = 3;
const LONGEST_WAIT_MS = 2_000;

export function openJournal(
  { db, clock, log }: { db: Db; clock: Clock; log: Log },
  holder: Holder,
  { accountId, sourceId }: Lease,
): Journal {
  const admitting = createGrouping<Entry, boolean>(async (entries) => {
    const write = () => markInflight(db, holder, accountId, sourceId, entries, clock.now());
    const marked = await insist(write, ADMIT_ATTEMPTS);
    const held = new Set(marked.filter((one) => one.isInflight).map((one) => one.contactId));
    return entries.map((entry) => held.has(entry.contactId));
  }, MOST_A_GROUP);

  const settling = createGrouping<Settled, void>(async (settled) => {
    await insist(() => db.transaction((sql) => writeGroup(sql, settled)));
    return settled.map(() => undefined);
  }, MOST_A_GROUP);

  async function writeGroup(
    sql: Parameters<typeof systemCtx>[1],
    settled: readonly Settled[],
  ): Promise<void> {
    const written = await writeOutcomes(sql, holder, accountId, sourceId, settled, clock.now());
    const ctx = systemCtx({ clock, log }, sql, accountId);
    const gone = written.filter(({ bounce }) => bounce === "hard").map(({ contactId }) => contactId);
    for (const contactId of gone.sort()) await suppressContact(ctx, contactId, "hard_bounce", "delivery");
  }

  return {
    async admit(entry) {
      try {
        return (await admitting.add(entry)) ? "held" : "refused";
      } catch (error) {
        if (!isPassing(error)) throw error;
        return "unsure";
      }
    },
    settle: (settled) => settling.add(settled),
  };
}

/** Again and again while the database is away: only for what may be run twice. */
export async function insist<T>(write: () => Promise<T>, attempts = Number.POSITIVE_INFINITY): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error) || attempt >= attempts) throw error;
      await sleep(Math.min(50 * 2 ** attempt, LONGEST_WAIT_MS));
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof DbError && ["unavailable", "busy", "conflict", "full"].includes(error.kind);
}
