/**
 * The journal of a source marks rows `inflight` before a body is sent and writes the outcomes after it, both in groups. Its
 * statements may be run again, so a temporary fault of the database costs nothing but time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { createGroupCommit } from "../../platform/group-commit.ts";
import type { Log } from "../../platform/log.ts";
import { noteSoftBounces, suppressContact } from "../../subscribers/subscribers.ts";
import type { OnFaultPoint } from "../fault-points.ts";
import { listAmbiguous, listShown, settleByEvidence } from "./evidence.ts";
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
import { eventsOf, type IdsOf } from "./mail-events.ts";
import type { MailEvidence } from "./mail-evidence.ts";

export type Journal = {
  /**
   * Returns false when this sender has the message under way already. A row may be in two of its batches, once as a retry, and
   * the ledger can't tell these apart, because both belong to the same worker.
   */
  begin(contactId: string): boolean;
  end(contactId: string): void;
  isIdle(): boolean;
  admit(entry: Entry): Promise<Admission>;
  /** Returns once the outcome is written, however long the database is unavailable. */
  settle(settled: Settled): Promise<void>;
  /** Defers a message that was not tried. */
  park(parked: Parked): Promise<void>;
};

/**
 * `held`: the row is inflight, as a statement that began at `beganMs` has committed. `refused`: the source was paused, this
 * worker was taken over, or the row was skipped. `unsure`: the database gave no answer.
 */
export type Admission =
  | { readonly kind: "held"; readonly beganMs: number }
  | { readonly kind: "refused" }
  | { readonly kind: "unsure" };

const ADMITTING = { most: 300, enough: 100, gatherMs: 5 };
/** Outcomes are written sooner, because a message whose outcome isn't written is sent again if the machine dies now. */
const SETTLING = { most: 300, enough: 50, gatherMs: 3 };
const PARKING = { most: 200 };
const ADMIT_ATTEMPTS = 3;
const LONGEST_WAIT_MS = 2_000;
/** These say that nothing was tried any more because the time of a mail was over. */
const OUT_OF_TIME: ReadonlySet<string | null> = new Set(["expired", "signing_key_unreadable"]);
const neverKnown = { state: "unknown", why: "ambiguous", bounce: null } as const;

export type JournalOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFaultPoint: OnFaultPoint;
  /** Whether usage is counted; it is, unless a bench measures what that costs. */
  readonly countsUsage?: boolean;
};

export function openJournal(
  { db, clock, log, onFaultPoint, countsUsage = true }: JournalOptions,
  holder: Holder,
  source: {
    readonly accountId: string;
    readonly sourceId: string;
    /** Returns the ids by which events name what a message belongs to. */
    readonly idsOf: IdsOf;
    /** Returns whether the account wants an event for each accepted message. */
    keepsSent(): boolean;
    /** Settles rows that are another's by now, whose mail this sender knows to have been taken. */
    settleByEvidence(tx: Tx, clock: Clock, evidence: readonly MailEvidence[]): Promise<unknown>;
    /** Is awaited once a group of outcomes is committed. */
    afterOutcomes(hasHardBounce: boolean): Promise<void>;
  },
): Journal {
  const { accountId, sourceId, idsOf } = source;
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
      const events = source.keepsSent() ? eventsOf(clock, idsOf, accepted) : undefined;
      const write = () => writeAccepted(db, holder, outcomesOf(accepted), events, countsUsage);
      await keepLate(await insist(write));
    }
    if (other.length > 0) await insist(() => db.transaction((tx) => writeOthers(tx, other)));
    await source.afterOutcomes(other.some(({ bounce }) => bounce === "hard"));
    return settled.map(() => undefined);
  }, SETTLING);

  /** What a server has taken is known for good, also where others went on with the row since this sender was given up. */
  async function keepLate(contacts: readonly string[]): Promise<void> {
    if (contacts.length === 0) return;
    const evidence = contacts.map((contactId) => ({
      accountId,
      sourceId,
      contactId,
      by: "acceptance" as const,
    }));
    await insist(() => db.transaction((tx) => source.settleByEvidence(tx, clock, evidence)));
  }

  function outcomesOf(settled: readonly Settled[]) {
    return { accountId, sourceId, settled, now: clock.now() };
  }

  async function writeOthers(tx: Tx, given: readonly Settled[]): Promise<void> {
    // Only what some server may have taken can be known to have arrived, and that is little.
    const doubtful = given.filter(({ attempt, why }) => attempt > 1 || why === "ambiguous");
    const contacts = doubtful.map(({ contactId }) => contactId);
    const shown = contacts.length > 0 ? await listShown(tx, accountId, sourceId, contacts) : [];
    const settled = await withoutLate(tx, given);
    const written = await writeOutcomes(tx, holder, outcomesOf(settled), eventsOf(clock, idsOf, settled));
    await settleByEvidence(tx, clock, shown);
    const persons = new Map(settled.map(({ contactId, personId }) => [contactId, personId ?? contactId]));
    const bounced = written.filter(({ bounce }) => bounce === "hard").map(({ contactId }) => contactId);
    const contactIds = new Set(bounced.map((contactId) => persons.get(contactId) ?? contactId));
    const ctx = systemCtx({ clock, log }, tx, accountId);
    await suppressHardBounced(ctx, [...contactIds]);
    const isWritten = new Set(written.map(({ contactId }) => contactId));
    const soft = settled.filter(({ contactId, why }) => why === "soft_bounce" && isWritten.has(contactId));
    await noteSoftBounces(
      ctx,
      soft.map(({ contactId: messageId, personId }) => ({
        contactId: personId ?? messageId,
        sourceId,
        messageId,
        at: clock.now(),
      })),
    );
  }

  /** A mail whose time is over isn't known to have failed where an earlier attempt had no reply. */
  async function withoutLate(tx: Tx, settled: readonly Settled[]): Promise<readonly Settled[]> {
    const late = settled.filter(({ why, attempt }) => OUT_OF_TIME.has(why) && attempt > 1);
    if (late.length === 0) return settled;
    const contacts = late.map(({ contactId }) => contactId);
    const ambiguous = new Set(await listAmbiguous(tx, accountId, sourceId, contacts));
    return settled.map((one) =>
      OUT_OF_TIME.has(one.why) && ambiguous.has(one.contactId) ? { ...one, ...neverKnown } : one,
    );
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
        if (!isTransient(error)) throw error;
        return { kind: "unsure" };
      }
    },
    settle: (settled) => settling.add(settled),
    park: (parked) => parking.add(parked),
  };
}

/**
 * Suppresses the addresses that a server refused for good, in the transaction that writes these outcomes. `outcomes/` decides
 * which refusals are hard bounces.
 */
async function suppressHardBounced(ctx: TxCtx, contactIds: readonly string[]): Promise<void> {
  // Two senders that suppress the same contacts must lock them in the same order.
  for (const contactId of contactIds.toSorted())
    await suppressContact(ctx, contactId, "hard_bounce", "delivery");
}

/** Repeats a write while the database has a temporary fault. The write must be one that may be run twice. */
export async function insist<T>(write: () => Promise<T>, attempts = Number.POSITIVE_INFINITY): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isTransient(error) || attempt >= attempts) throw error;
      await sleep(Math.min(50 * 2 ** attempt, LONGEST_WAIT_MS));
    }
  }
}

/** Returns whether an error comes from a temporary fault of the database. */
export function isTransient(error: unknown): boolean {
  return error instanceof DbError && ["unavailable", "busy", "conflict", "full"].includes(error.kind);
}
