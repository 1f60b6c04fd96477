/**
 * The journal of a source: `inflight` is written before a body, its outcome after it, both in groups. The statements may
 * be run again, so a passing fault of the database costs time and nothing else.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { createGroupCommit } from "../../platform/group-commit.ts";
import type { Log } from "../../platform/log.ts";
import { suppressContact } from "../../subscribers/subscribers.ts";
import type { OnFaultPoint } from "../fault-points.ts";
import {
  type Entry,
  markInflight,
  type Parked,
  parkRows,
  type Settled,
  writeAccepted,
  writeOutcomes,
} from "./journal-store.ts";
import type { Holder } from "./lease-store.ts";
import { eventsOf, type OwnerIds } from "./mail-events.ts";

export type Journal = {
  /**
   * False when this sender has it under way already: a row may stand in two of its batches, once as a retry, and to the
   * ledger both are the same worker's.
   */
  begin(contactId: string): boolean;
  end(contactId: string): void;
  isIdle(): boolean;
  admit(entry: Entry): Promise<Admission>;
  /** Returns once it is written, however long the database is away. */
  settle(settled: Settled): Promise<void>;
  /** It waits for another time, as one that was never tried. */
  park(parked: Parked): Promise<void>;
};

/**
 * `held`: it is inflight, committed by a statement that began at `beganMs`. `refused`: by pause, take-over or because it
 * was skipped. `unsure`: nobody knows.
 */
export type Admission =
  | { readonly kind: "held"; readonly beganMs: number }
  | { readonly kind: "refused" }
  | { readonly kind: "unsure" };

const ADMITTING = { most: 300, enough: 100, gatherMs: 5 };
/** Sooner: what was sent and isn't written yet would be sent again if the machine died now. */
const SETTLING = { most: 300, enough: 50, gatherMs: 3 };
const PARKING = { most: 200 };
const ADMIT_ATTEMPTS = 3;
const LONGEST_WAIT_MS = 2_000;

export type JournalOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFaultPoint: OnFaultPoint;
};

export function openJournal(
  { db, clock, log, onFaultPoint }: JournalOptions,
  holder: Holder,
  source: {
    readonly accountId: string;
    readonly sourceId: string;
    /** By which events name what it belongs to. */
    readonly ownerIds: OwnerIds;
    /** Whether somebody wants an event for each accepted message. */
    keepsSent(): boolean;
  },
): Journal {
  const { accountId, sourceId, ownerIds } = source;
  const underWay = new Set<string>();
  const refused: Admission = { kind: "refused" };
  const admitting = createGroupCommit<Entry, Admission>(async (entries) => {
    let beganMs = 0;
    const write = () => {
      beganMs = clock.monotonicMs();
      return markInflight(db, holder, accountId, sourceId, entries, clock.now());
    };
    const contacts = new Set(await insist(write, ADMIT_ATTEMPTS));
    onFaultPoint("inflight");
    const held: Admission = { kind: "held", beganMs };
    return entries.map((entry) => (contacts.has(entry.contactId) ? held : refused));
  }, ADMITTING);

  const settling = createGroupCommit<Settled, void>(async (settled) => {
    onFaultPoint("before_outcome");
    const { accepted = [], other = [] } = Object.groupBy(settled, ({ state }) =>
      state === "sent" ? "accepted" : "other",
    );
    if (accepted.length > 0) {
      const events = source.keepsSent() ? eventsOf(clock, ownerIds, accepted) : undefined;
      await insist(() => writeAccepted(db, holder, outcomesOf(accepted), events));
    }
    if (other.length > 0) await insist(() => db.transaction((tx) => writeOthers(tx, other)));
    return settled.map(() => undefined);
  }, SETTLING);

  function outcomesOf(settled: readonly Settled[]) {
    return { accountId, sourceId, settled, now: clock.now() };
  }

  async function writeOthers(tx: Tx, settled: readonly Settled[]): Promise<void> {
    const written = await writeOutcomes(tx, holder, outcomesOf(settled), eventsOf(clock, ownerIds, settled));
    const ctx = systemCtx({ clock, log }, tx, accountId);
    const gone = written.filter(({ bounce }) => bounce === "hard").map(({ contactId }) => contactId);
    for (const contactId of gone.sort()) await suppressContact(ctx, contactId, "hard_bounce", "delivery");
  }

  const parking = createGroupCommit<Parked, void>(async (parked) => {
    await insist(() => parkRows(db, holder, accountId, sourceId, parked, clock.now()));
    return parked.map(() => undefined);
  }, PARKING);

  return {
    begin(contactId) {
      if (underWay.has(contactId)) return false;
      underWay.add(contactId);
      return true;
    },
    end: (contactId) => void underWay.delete(contactId),
    isIdle: () => underWay.size === 0,
    async admit(entry) {
      try {
        return await admitting.add(entry);
      } catch (error) {
        if (!isPassing(error)) throw error;
        return { kind: "unsure" };
      }
    },
    settle: (settled) => settling.add(settled),
    park: (parked) => parking.add(parked),
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

export function isPassing(error: unknown): boolean {
  return error instanceof DbError && ["unavailable", "busy", "conflict", "full"].includes(error.kind);
}
