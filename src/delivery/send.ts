/** What happens to a batch, and to each message of it. */
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/db/db.ts";
import type { Log } from "../platform/log.ts";
import type { Worker } from "../platform/workers/workers.ts";
import { type OpenAdmission, openAdmission } from "./admission.ts";
import type { ComposeGate } from "./compose-gate.ts";
import { insist, type Journal } from "./journal.ts";
import { type Entry, holdAbandoned } from "./journal-store.ts";
import { giveBack, type Lease, type LedgerRow, readRows } from "./lease-store.ts";
import type { Letters, OpenSource } from "./letters.ts";
import type { OnMoment } from "./moments.ts";
import {
  composeAlone,
  hasTooMuchPoison,
  isApart,
  isPoison,
  OPENING,
  POISON_REASON,
  suspectFirst,
} from "./poison.ts";
import type { Judging, Verdict } from "./refusals.ts";
import { asIfNotTried, type Settlement, settlementOf, unrenderable } from "./rules.ts";
import type { Ticks } from "./ticks.ts";
import type { Outcome } from "./transport.ts";
import type { Composed } from "./types.ts";
import { isUnmailable, skippedAsInvalid } from "./unmailable.ts";
import { type Watched, watchAll } from "./watch-all.ts";
import type { OpenWire, Wires } from "./wires.ts";

export type Sender = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: Worker;
  readonly wires: Wires;
  readonly letters: Letters;
  readonly composing: ComposeGate;
  readonly ticks: Ticks;
  /** How long a deferred message first waits. */
  readonly firstRetryMs: number;
  readonly onMoment: OnMoment;
  journalOf(accountId: string, source: OpenSource): Journal;
  /** The source stops here, with everybody not yet sent still to be sent, until somebody has mended it. */
  pause(lease: Lease, reason: PauseReason, detail: string): Promise<void>;
  /** The source fails here: its content ends senders. */
  giveUp(lease: Lease, failed: { readonly launch: number | null; readonly reason: string }): Promise<void>;
  /** No message may be begun any more. */
  isOver(): boolean;
};

type PauseReason = "transport_rejected" | "transport_missing";

/** What the lease's lane is told, and asked. */
export type Lane = {
  /** All of it is read and waits for its turn: another batch may be brought. */
  loaded(): void;
  /** Its content takes long: it waits without keeping others of the same transport from being brought. */
  stepAside(): void;
  isAside(): boolean;
  /** Its content doesn't take long any more. */
  composedSoon(): void;
  /** False when others have waited long enough: what isn't read yet is given back. */
  mayGoOn(): boolean;
};

/** Composed at a time: half a second's worth, and no more than a few milliseconds of work, because connections wait meanwhile. */
const MOST_COMPOSED = 50;
const LEAST_COMPOSED = 5;
const COMPOSED_SECONDS = 0.5;
/** Composing that others do for this thread, and that lasts longer, is waited for aside. */
const SOON_MS = 50;

/** Thrown for what stands in the way of the whole source, and not of one message. */
export class CannotCompose extends Error {
  /** Of the source: a later one may have another revision. */
  readonly launch: number;

  constructor(launch: number, cause: Error) {
    super(cause.message, { cause });
    this.launch = launch;
  }
}

type Batch = {
  readonly lease: Lease;
  readonly source: OpenSource;
  readonly open: OpenWire;
  readonly journal: Journal;
};

/** Says how many are left: of a source that was paused, or that is being stopped. */
export async function sendBatch(sender: Sender, lease: Lease, lane: Lane): Promise<{ left: number }> {
  const source = await openSource(sender, lease);
  const open = source && (await sender.wires.open(lease.accountId, source.transport_id));
  if (source && open) {
    const rows = await readRows(sender.db, lease, source.needsTags);
    const unsent = await setAsideAbandoned(sender, lease, source, rows);
    const batch = { lease, source, open, journal: sender.journalOf(lease.accountId, source) };
    await sendAll(sender, batch, await failPoison(sender, batch, unsent), lane);
  } else if (source) {
    await sender.pause(
      lease,
      "transport_missing",
      "its transport was deleted, can't be read any more, or is an SMTP_URL that this sender has not",
    );
  }
  return insist(() => giveBack(sender.db, sender.worker, lease));
}

async function openSource(sender: Sender, lease: Lease): Promise<OpenSource | undefined> {
  const open = () => sender.letters.open(lease);
  if (!isApart(lease)) return sender.composing.together(open);
  if (!isPoison(lease, OPENING)) return composeAlone(sender, lease, OPENING, open);
  const reason = "preparing its content ended its sender twice";
  await sender.giveUp(lease, { launch: null, reason });
  return undefined;
}

/** What is left to be sent: the others, the suspect among them first. */
async function failPoison(
  sender: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
): Promise<readonly LedgerRow[]> {
  const poison = rows.find((row) => isPoison(batch.lease, row.contact_id));
  if (!poison) return isApart(batch.lease) ? suspectFirst(batch.lease, rows) : rows;
  const failed: Composed = { ok: false, reason: POISON_REASON };
  const now = sender.clock.now();
  await unlessUnderWay(batch, poison, () => sendOne(sender, batch, poison, failed, now));
  if (!(await hasTooMuchPoison(sender, batch.lease))) return rows.filter((row) => row !== poison);
  const reason = "its content ended its sender for several recipients";
  await sender.giveUp(batch.lease, { launch: batch.source.launch, reason });
  return [];
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

/** Returns when the last has ended. */
async function sendAll(sender: Sender, batch: Batch, rows: readonly LedgerRow[], lane: Lane): Promise<void> {
  const underWay = watchAll();
  const judging = judgingOf(batch);
  judging.begin();
  const [loaded] = await Promise.allSettled([load(sender, batch, rows, lane, underWay)]);
  judging.end();
  lane.loaded();
  const [ended] = await Promise.allSettled([underWay.untilEnded()]);
  for (const one of [loaded, ended]) if (one.status === "rejected") throw one.reason;
}

/** Composes a few at a time, as the wire takes them. */
async function load(
  sender: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
  lane: Lane,
  underWay: Watched,
): Promise<void> {
  const { wire } = batch.open;
  for (let from = 0; from < rows.length && !sender.isOver() && (from === 0 || lane.mayGoOn()); ) {
    const wanted = Math.ceil(wire.perSecond() * COMPOSED_SECONDS) || MOST_COMPOSED;
    const fitted = lane.isAside()
      ? LEAST_COMPOSED
      : Math.max(LEAST_COMPOSED, Math.min(MOST_COMPOSED, wanted));
    const most = isApart(batch.lease) ? 1 : fitted;
    const some = rows.slice(from, from + most);
    from += some.length;
    const now = sender.clock.now();
    const fitting = parkWhatIsTooMuch(sender, batch, some, underWay);
    const composed = await orAside(lane, composeTheir(sender, batch, fitting, now));
    if (!composed) return;
    for (const [index, row] of fitting.entries()) {
      underWay.add(unlessUnderWay(batch, row, () => sendOne(sender, batch, row, composed[index], now)));
    }
    await wire.untilShort();
    await untilOthersRan();
  }
}

/** What this thread computes itself is done before a timer can say so. */
async function orAside<T>(lane: Lane, composing: Promise<T>): Promise<T> {
  let isSoon = true;
  const timer = setTimeout(() => {
    isSoon = false;
    lane.stepAside();
  }, SOON_MS);
  try {
    const composed = await composing;
    if (isSoon) lane.composedSoon();
    return composed;
  } finally {
    clearTimeout(timer);
  }
}

/** Those of domains of which enough wait: composing them would be in vain. Returns the others. */
function parkWhatIsTooMuch(
  sender: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
  underWay: Watched,
): readonly LedgerRow[] {
  return rows.filter((row) => {
    const waitMs = row.email === null ? undefined : batch.open.wire.waitIfFull(domainOf(row.email));
    if (waitMs === undefined) return true;
    underWay.add(unlessUnderWay(batch, row, () => parkFor(sender, batch, row.contact_id, waitMs)));
    return false;
  });
}

/** Replies that have come are read first. */
function untilOthersRan(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Undefined when the batch is another's by now. */
function composeTheir(
  sender: Sender,
  { lease, source }: Batch,
  rows: readonly LedgerRow[],
  now: Date,
): Promise<readonly (Composed | undefined)[] | undefined> {
  const compose = () => composeSome(source, rows, now);
  const [first] = rows;
  return first && isApart(lease)
    ? composeAlone(sender, lease, first.contact_id, compose)
    : sender.composing.together(compose);
}

/** undefined for those whose subscriber is gone. */
async function composeSome(
  source: OpenSource,
  rows: readonly LedgerRow[],
  now: Date,
): Promise<readonly (Composed | undefined)[]> {
  const present = rows.filter((row) => row.email !== null);
  try {
    const all = await source.compose(present, now);
    const failing = all.filter((one) => !one.ok && one.isPassing);
    // Not one of them: then it is no accident, and counts as a failure of the source.
    if (failing.length > 0 && failing.length === all.length) throw new Error(reasonOf(failing[0]));
    const composed = all.values();
    return rows.map((row) => (row.email === null ? undefined : composed.next().value));
  } catch (error) {
    throw new CannotCompose(source.launch, error as Error);
  }
}

function reasonOf(composed: Composed | undefined): string {
  return composed && !composed.ok ? composed.reason : "";
}

async function unlessUnderWay(
  { journal }: Batch,
  { contact_id: contactId }: LedgerRow,
  work: () => Promise<void>,
): Promise<void> {
  if (!journal.begin(contactId)) return;
  try {
    await work();
  } finally {
    journal.end(contactId);
  }
}

async function sendOne(
  sender: Sender,
  batch: Batch,
  row: LedgerRow,
  composed: Composed | undefined,
  now: Date,
): Promise<void> {
  const entry = entryOf(row, now);
  const admission = openAdmission(sender, batch.journal, entry);
  if (composed && !composed.ok && composed.isPassing) return;
  if (!composed?.ok) return endWithoutSending(batch, entry, admission, composed?.reason);
  // Held back where a sender's death leaves it unknown: then it is asked for as late as can be.
  const askAhead = batch.source.on_ambiguous === "hold" ? () => undefined : admission.ask;
  const domain = domainOf(composed.to);
  const judging = judgingOf(batch);
  judging.begin();
  const turn = await batch.open.wire.turn(domain, askAhead);
  if (turn.kind !== "now") judging.end();
  if (turn.kind === "never") return takeBack(batch, entry, admission);
  if (turn.kind === "later") {
    // It may have been near its turn, and admitted.
    await takeBack(batch, entry, admission);
    return parkFor(sender, batch, entry.contactId, turn.waitMs);
  }
  const beganMs = sender.clock.monotonicMs();
  let release: (() => void) | undefined = turn.end;
  try {
    const outcome = await transmit(sender, batch, entry, composed, admission).finally(judging.end);
    turn.leave(outcome);
    const judged = judging.judge({ outcome, domain, beganMs });
    if (judged instanceof Promise) {
      // Refused, it was not sent, and wouldn't be sent twice: it holds up nobody while it waits.
      turn.end();
      release = undefined;
    }
    const verdict = await judged;
    const settlement = settle(sender, batch, entry, outcome, verdict, composed.to);
    await record(sender, batch, entry, admission, settlement);
    if (verdict === "enough") await sender.pause(batch.lease, "transport_rejected", settlement.reply ?? "");
  } finally {
    release?.();
  }
}

function judgingOf({ open, lease }: Batch): Judging {
  return open.refusals.of(lease.accountId, lease.sourceId);
}

async function transmit(
  { onMoment }: Sender,
  { lease, source, open }: Batch,
  { contactId, attempt }: Entry,
  { from, to, message }: Extract<Composed, { ok: true }>,
  admission: OpenAdmission,
): Promise<Outcome> {
  if (!admission.mayStillBegin()) return { kind: "withheld" };
  const { accountId } = lease;
  const onDot = () => {
    onMoment("before_dot");
    setImmediate(onMoment, "after_dot");
  };
  const outgoing = { accountId, sourceId: source.campaign_id, contactId, attempt, from, to, message };
  try {
    const outcome = await open.transport.send(outgoing, { mayBegin: admission.isFresh, onDot });
    onMoment("reply");
    return outcome;
  } catch (error) {
    // An envelope or a body that can't be sent by anybody: this message's fault alone.
    if (!(error instanceof TypeError)) throw error;
    return { kind: "rejected", phase: "mail", code: null, enhanced: "5.6.0", text: error.message };
  }
}

function settle(
  { clock, firstRetryMs }: Sender,
  { source }: Batch,
  { attempt, date }: Entry,
  outcome: Outcome,
  verdict: Verdict,
  to: string,
): Settlement {
  if (isUnmailable(outcome, to)) return skippedAsInvalid(outcome);
  if (verdict === "us" || verdict === "enough")
    return { ...asIfNotTried, reply: "text" in outcome ? cleanReply(outcome.text, to) : null };
  const attempted = {
    number: attempt,
    firstAt: date,
    now: clock.now(),
    onAmbiguous: source.on_ambiguous,
    firstRetryMs,
    chance: Math.random(),
  };
  const settlement = settlementOf(outcome, attempted, verdict === "message");
  return { ...settlement, reply: settlement.reply && cleanReply(settlement.reply, to) };
}

/** What was refused admission stays as the admission left it. */
async function record(
  sender: Sender,
  { journal, lease }: Batch,
  { contactId, subscriberId, attempt }: Entry,
  admission: OpenAdmission,
  settlement: Settlement,
): Promise<void> {
  if ((await admission.first()).kind === "refused") return;
  await journal.settle({ contactId, subscriberId, attempt, ...settlement });
  if (settlement.state !== "ready") sender.ticks.note(lease.accountId, lease.sourceId, 1);
}

/** The subscriber is gone, and its admission refused for it; or the message can't be made. */
async function endWithoutSending(
  { journal }: Batch,
  { contactId, subscriberId, attempt }: Entry,
  admission: OpenAdmission,
  reason: string | undefined,
): Promise<void> {
  if ((await admission.first()).kind === "refused") return;
  const settlement = reason === undefined ? asIfNotTried : unrenderable(reason);
  await journal.settle({ contactId, subscriberId, attempt, ...settlement });
}

/** Admitted or not, it was never begun. */
async function takeBack(
  { journal }: Batch,
  { contactId, subscriberId, attempt }: Entry,
  admission: OpenAdmission,
): Promise<void> {
  if (!admission.isAsked() || (await admission.first()).kind === "refused") return;
  await journal.settle({ contactId, subscriberId, attempt, ...asIfNotTried });
}

function parkFor({ clock }: Sender, { journal }: Batch, contactId: string, waitMs: number): Promise<void> {
  return journal.park({ contactId, dueAt: new Date(clock.now().getTime() + waitMs) });
}

const LONGEST_REPLY = 500;
const CONTROLS = /\p{Cc}+/u;

/** Servers like to repeat the address, and the ledger outlives the person's data. Most replies have nothing to take out. */
function cleanReply(reply: string, address: string): string {
  if (!reply.includes("@") && reply.length <= LONGEST_REPLY && !CONTROLS.test(reply)) return reply;
  return reply
    .replaceAll(new RegExp(RegExp.escape(address), "gi"), "(recipient)")
    .replaceAll(new RegExp(CONTROLS, "gu"), " ")
    .slice(0, LONGEST_REPLY);
}

function entryOf(row: LedgerRow, now: Date): Entry {
  return {
    contactId: row.contact_id,
    subscriberId: row.subscriber_id,
    attempt: row.attempt + 1,
    date: row.dated_at ?? now,
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}
