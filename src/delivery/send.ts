/** What happens to a batch, and to each message of it. */
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/db/db.ts";
import type { Log } from "../platform/log.ts";
import type { Worker } from "../platform/workers/workers.ts";
import { insist, type Journal, openJournal } from "./journal.ts";
import { type Entry, holdAbandoned } from "./journal-store.ts";
import { giveBack, type Lease, type LedgerRow, readRows } from "./lease-store.ts";
import type { Letters, OpenSource } from "./letters.ts";
import { type Settlement, settlementOf, unrenderable } from "./rules.ts";
import type { Ticks } from "./ticks.ts";
import type { Transport } from "./transport.ts";
import type { Composed } from "./types.ts";

export type Sender = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: Worker;
  readonly transport: Transport;
  readonly letters: Letters;
  readonly ticks: Ticks;
  /** Fires when no message may be begun any more. */
  readonly signal: AbortSignal;
};

/** Composed ahead of the wire, and held in memory: some 1 MB. */
const COMPOSED_AT_ONCE = 100;
/** An admission older than this is asked for again: the person may have opted out since. */
const ADMITTED_FOR_MS = 200;

/** Thrown for what stands in the way of the whole source, and not of one message. */
export class CannotCompose extends Error {
  /** Of the source: a later one may have another revision. */
  readonly launch: number;

  constructor(launch: number, cause: Error) {
    super(cause.message, { cause });
    this.launch = launch;
  }
}

/** Says how many are left: of a source that was paused, or that is being stopped. */
export async function sendBatch(sender: Sender, lease: Lease): Promise<{ left: number }> {
  const source = await sender.letters.open(lease);
  if (source) {
    const rows = await readRows(sender.db, lease);
    const open = await setAsideAbandoned(sender, lease, source, rows);
    const journal = openJournal(sender, sender.worker, lease);
    for (let from = 0; from < open.length && !sender.signal.aborted; from += COMPOSED_AT_ONCE) {
      await sendSome(sender, lease, source, journal, open.slice(from, from + COMPOSED_AT_ONCE));
    }
  }
  return insist(() => giveBack(sender.db, sender.worker, lease));
}

/** Rows that a dead sender had on the wire: sent again, or held where nobody shall get it twice. */
async function setAsideAbandoned(
  { db, worker, clock }: Sender,
  { accountId, sourceId }: Lease,
  source: OpenSource,
  rows: readonly LedgerRow[],
): Promise<readonly LedgerRow[]> {
  const abandoned = rows.filter((row) => row.state === "inflight").map((row) => row.contact_id);
  if (source.on_ambiguous === "resend" || abandoned.length === 0) return rows;
  await holdAbandoned(db, worker, accountId, sourceId, abandoned, clock.now());
  return rows.filter((row) => row.state !== "inflight");
}

async function sendSome(
  sender: Sender,
  lease: Lease,
  source: OpenSource,
  journal: Journal,
  rows: readonly LedgerRow[],
): Promise<void> {
  const now = sender.clock.now();
  const gone = rows.filter((row) => row.email === null);
  const present = rows.filter((row) => row.email !== null);
  const composed = await compose(source, present, now);
  const letters = present.map((row, index) => ({ row, composed: composed[index] as Composed }));
  // Their admission is refused, and says why in the ledger.
  await Promise.all(gone.map((row) => journal.admit(entryOf(row, now))));
  await forEachOfMany(letters, sender.transport.concurrency, async (letter) => {
    if (!sender.signal.aborted)
      await sendOne(sender, lease, source, journal, letter.row, letter.composed, now);
  });
}

async function compose(
  source: OpenSource,
  rows: readonly LedgerRow[],
  now: Date,
): Promise<readonly Composed[]> {
  try {
    return await source.compose(rows, now);
  } catch (error) {
    throw new CannotCompose(source.launch, error as Error);
  }
}

async function sendOne(
  sender: Sender,
  lease: Lease,
  source: OpenSource,
  journal: Journal,
  row: LedgerRow,
  composed: Composed,
  now: Date,
): Promise<void> {
  const entry = entryOf(row, now);
  const admission = admitOnce(sender, journal, entry);
  const settlement = composed.ok
    ? await transmit(sender, lease, source, entry, composed, admission.isFresh)
    : unrenderable(composed.reason);
  if ((await admission.first) === "refused") return;
  await journal.settle({ contactId: entry.contactId, attempt: entry.attempt, ...settlement });
  sender.ticks.note(lease.accountId, lease.sourceId, 1);
}

async function transmit(
  { transport, clock }: Sender,
  { accountId, sourceId }: Lease,
  source: OpenSource,
  { contactId, attempt, date }: Entry,
  { from, to, message }: Extract<Composed, { ok: true }>,
  mayStartBody: () => Promise<boolean>,
): Promise<Settlement> {
  const outgoing = { accountId, sourceId, contactId, attempt, from, to, message };
  const outcome = await transport.send(outgoing, mayStartBody);
  const settlement = settlementOf(outcome, {
    number: attempt,
    firstAt: date,
    now: clock.now(),
    onAmbiguous: source.on_ambiguous,
    chance: Math.random(),
  });
  return { ...settlement, reply: settlement.reply && cleanReply(settlement.reply, to) };
}

const LONGEST_REPLY = 500;

/** Servers like to repeat the address, and the ledger outlives the person's data. */
function cleanReply(reply: string, address: string): string {
  return reply
    .replaceAll(new RegExp(RegExp.escape(address), "gi"), "(recipient)")
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, LONGEST_REPLY);
}

/** The admission is asked for at once, and travels beside the envelope. */
function admitOnce(sender: Sender, journal: Journal, entry: Entry) {
  const { clock, worker, signal } = sender;
  let heardMs = 0;
  const ask = async () => {
    const admission = await journal.admit(entry);
    heardMs = clock.monotonicMs();
    return admission;
  };
  const first = ask();
  let latest = first;
  return {
    first,
    async isFresh(): Promise<boolean> {
      for (;;) {
        if ((await latest) !== "held" || !worker.isAlive() || signal.aborted) return false;
        if (clock.monotonicMs() - heardMs <= ADMITTED_FOR_MS) return true;
        latest = ask();
      }
    },
  };
}

function entryOf(row: LedgerRow, now: Date): Entry {
  return {
    contactId: row.contact_id,
    subscriberId: row.subscriber_id,
    attempt: row.attempt + 1,
    date: row.dated_at ?? now,
  };
}

async function forEachOfMany<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  // All of them come to their end, also when one fails: nothing may go on behind the back of whoever hears of it.
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
