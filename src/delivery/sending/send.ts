/** A batch is read and composed a few rows at a time, and each of its messages is sent by itself (`send-message.ts`). */
import { SANDBOX_TRANSPORT } from "../ids.ts";
import {
  giveBack,
  insist,
  isTransient,
  type Lease,
  type LedgerRow,
  readRows,
  settleAbandoned,
} from "../ledger/ledger.ts";
import { bothRights, freeRight, type SendingRight } from "../pacing/pacing.ts";
import type { Composed } from "../types.ts";
import { putOff } from "./closed-provider.ts";
import {
  composeAlone,
  hasTooMuchPoison,
  isApart,
  isPoison,
  OPENING,
  POISON_REASON,
  suspectFirst,
} from "./poison.ts";
import { createPromiseGroup, type PromiseGroup } from "./promise-group.ts";
import { isUrgent } from "./round-robin.ts";
import { type Batch, judgingOf, parkFor, type Sender, sendOne, unlessUnderWay } from "./send-message.ts";
import { CannotCompose, type OpenSource } from "./source-composer.ts";
import { destinationOf, domainOf, flowOf } from "./where-to.ts";
import { type Allowed, isUncounted, leaveForNextDay, takeWithinCaps } from "./within-caps.ts";

/** The place of a batch in the scheduler, which the batch tells of its progress and asks whether it may go on. */
export type BatchSlot = {
  /** Says that the whole batch is composed and waits for the dispatcher, so that another batch may be read. */
  loaded(): void;
  /**
   * Says that its content takes long to compose: the batch goes on without keeping others of its transport from being read.
   */
  stepAside(): void;
  isAside(): boolean;
  /** Says that its content doesn't take long any more. */
  composedSoon(): void;
  /** Returns false when others have waited long enough; the rows that aren't composed yet are then given back. */
  mayGoOn(): boolean;
};

/**
 * Rows are composed for half a second at a time, and for a few milliseconds of work at most, because connections wait
 * meanwhile.
 */
const MOST_COMPOSED = 50;
const LEAST_COMPOSED = 5;
const COMPOSED_SECONDS = 0.5;
/** A batch whose composing is done outside this thread and takes longer than this steps aside for others. */
const SOON_MS = 50;

/** Sends a batch and gives it back. `left` counts the rows not sent, as when the source was paused or the sender stops. */
export async function sendBatch(sender: Sender, lease: Lease, slot: BatchSlot): Promise<{ left: number }> {
  const source = await openSource(sender, lease);
  const open = source && (await sender.transports.open(lease.accountId, source.transport_id));
  if (source && (!open || open.isOut) && (await sender.moveFromOut(lease, source.transport_id)))
    return insist(() => giveBack(sender.db, sender.worker, lease));
  if (source && open && (await sender.guardrails.beforeBatch(lease.accountId, source.id))) {
    const rows = await readRows(sender.db, lease, source);
    await loadProviders(sender, source, rows);
    const unsent = await setAsideAbandoned(sender, lease, source, rows);
    const journal = sender.journalOf(lease.accountId, source);
    const batch: Batch = { lease, source, open, journal, heldBack: new Map() };
    try {
      await sender.closings.begin(lease.accountId);
      await sendAll(sender, batch, await failPoison(sender, batch, unsent), slot);
    } finally {
      sender.closings.end(lease.accountId);
      await sender.dailyLimits.giveBack(lease.accountId);
      await leaveForNextDay(sender, batch);
    }
  } else if (source && !open) {
    await sender.pause(
      lease,
      "transport_missing",
      "its transport was deleted, can't be read any more, or is an SMTP_URL that this sender has not",
    );
  }
  return insist(() => giveBack(sender.db, sender.worker, lease));
}

/** What stays in the sandbox goes to nobody's mailboxes. */
async function loadProviders(
  { providers }: Sender,
  { transport_id: transportId }: OpenSource,
  rows: readonly LedgerRow[],
): Promise<void> {
  if (transportId === SANDBOX_TRANSPORT) return;
  await providers.load(rows.flatMap(({ email }) => (email === null ? [] : [domainOf(email)])));
}

/** Has the numbers of the flows ready in which these mails are counted. */
async function loadFlows(
  sender: Sender,
  batch: Batch,
  composed: readonly (Composed | undefined)[],
): Promise<void> {
  const flows = composed.flatMap((one) => (one?.ok ? (flowOf(sender, batch, one) ?? []) : []));
  await sender.flows?.load(batch.lease.accountId, flows);
}

async function openSource(sender: Sender, lease: Lease): Promise<OpenSource | undefined> {
  const open = () => sender.sourceComposer.open(lease);
  if (!isApart(lease)) return sender.composing.together(open);
  if (!isPoison(lease, OPENING)) return composeAlone(sender, lease, OPENING, open);
  const reason = "preparing its content ended its sender twice";
  await sender.failSourceOf(lease, { launch: null, reason });
  return undefined;
}

/** Fails the row that ended two senders, and returns the others; a row that is only suspected comes first. */
async function failPoison(
  sender: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
): Promise<readonly LedgerRow[]> {
  const poison = rows.find((row) => isPoison(batch.lease, row.contact_id));
  if (!poison) return isApart(batch.lease) ? suspectFirst(batch.lease, rows) : rows;
  const failed: Composed = { ok: false, reason: POISON_REASON };
  const now = sender.clock.now();
  await unlessUnderWay(batch, poison, () => sendOne(sender, batch, poison, failed, now, freeRight));
  // The mails of a wave have nothing in common, so three bad ones say nothing about the others.
  const isShared = batch.source.stream !== "transactional";
  if (!isShared || !(await hasTooMuchPoison(sender, batch.lease)))
    return rows.filter((row) => row !== poison);
  const reason = "its content ended its sender for several recipients";
  await sender.failSourceOf(batch.lease, { launch: batch.source.launch, reason });
  return [];
}

/**
 * A dead sender may have sent the rows it had on the wire: they are sent again, or held where nobody shall get a message
 * twice. One that is known to have arrived gets no admission any more.
 */
async function setAsideAbandoned(
  { db, worker, clock }: Sender,
  { accountId, sourceId }: Lease,
  { on_ambiguous: onAmbiguous }: OpenSource,
  rows: readonly LedgerRow[],
): Promise<readonly LedgerRow[]> {
  const contacts = rows.filter((row) => row.state === "inflight").map((row) => row.contact_id);
  if (contacts.length === 0) return rows;
  await settleAbandoned({ db, clock }, worker, { accountId, sourceId, contacts, onAmbiguous });
  return onAmbiguous === "hold" ? rows.filter((row) => row.state !== "inflight") : rows;
}

/** Resolves when the last message of the batch has ended. */
async function sendAll(
  sender: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
  slot: BatchSlot,
): Promise<void> {
  const underWay = createPromiseGroup();
  const judging = judgingOf(batch);
  judging.begin();
  const [loaded] = await Promise.allSettled([load(sender, batch, rows, slot, underWay)]);
  judging.end();
  slot.loaded();
  const [ended] = await Promise.allSettled([underWay.untilEnded()]);
  for (const one of [loaded, ended]) if (one.status === "rejected") throw one.reason;
}

/** Composes a few rows at a time, as fast as the dispatcher takes them. */
async function load(
  sender: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
  slot: BatchSlot,
  underWay: PromiseGroup,
): Promise<void> {
  const { dispatcher } = batch.open;
  const memory = batch.open.memory[isUrgent(batch.source) ? "urgent" : "other"];
  for (let from = 0; from < rows.length && mayLoad(sender, batch) && (from === 0 || slot.mayGoOn()); ) {
    const wanted = Math.ceil(dispatcher.perSecond() * COMPOSED_SECONDS) || MOST_COMPOSED;
    const fitted = slot.isAside()
      ? LEAST_COMPOSED
      : Math.max(LEAST_COMPOSED, Math.min(MOST_COMPOSED, wanted));
    const most = isApart(batch.lease) ? 1 : fitted;
    const some = rows.slice(from, from + most);
    from += some.length;
    const now = sender.clock.now();
    const { allowed: within, isDayOver } = await takeWithinCaps(sender, batch, some, underWay);
    const fitting = parkWhatIsTooMuch(sender, batch, within, underWay);
    await memory.untilRoom();
    const rights = [...(await takeRights(sender, batch, fitting.length))];
    const allowed = fitting.slice(0, rights.length).map(({ row }) => row);
    const joined = fitting.map(({ right }, index) => bothRights(right, rights[index] ?? freeRight));
    try {
      const composed = await orAside(slot, composeTheir(sender, batch, allowed, now));
      if (!composed || (await hasPaused(sender, batch, composed))) return;
      await loadFlows(sender, batch, composed);
      for (const [index, row] of allowed.entries()) {
        const one = composed[index];
        const letGo = one?.ok ? memory.hold(one.message) : undefined;
        const right = joined.shift() as SendingRight;
        const sending = unlessUnderWay(batch, row, () => sendOne(sender, batch, row, one, now, right));
        underWay.add(
          sending.finally(() => {
            letGo?.();
            right.end();
          }),
        );
      }
    } finally {
      for (const right of joined) right.end();
    }
    // The account or the transport has used up its day. The rows that are left stay as they are, and nobody leases them before the next one.
    if (isDayOver || allowed.length < fitting.length) return;
    await dispatcher.untilShort(isUrgent(batch.source));
    await untilOthersRan();
  }
}

/**
 * Says whether more of a batch may be composed: the sender goes on, the source hasn't moved to another transport, and the allowance that the
 * batch was taken from hasn't ended.
 */
function mayLoad(sender: Sender, { lease }: Batch): boolean {
  const isInTime = lease.until === undefined || sender.clock.now() < lease.until;
  return isInTime && !sender.isOver() && !sender.hasLeft(lease);
}

/** Takes the right to send each of so many mails. No limit counts what stays in the sandbox, nor the product's own mail. */
function takeRights(
  { dailyLimits }: Sender,
  { lease, source }: Batch,
  count: number,
): Promise<readonly SendingRight[]> | readonly SendingRight[] {
  return isUncounted(source)
    ? Array.from({ length: count }, () => freeRight)
    : dailyLimits.take(lease.accountId, count);
}

/** Pauses the source where its mail can't be made before somebody mends something. The mails of a wave wait each by itself. */
async function hasPaused(
  sender: Sender,
  { lease, source }: Batch,
  composed: readonly (Composed | undefined)[],
): Promise<boolean> {
  if (source.stream === "transactional") return false;
  for (const one of composed) {
    if (!one || one.ok || !one.pausesFor) continue;
    await sender.pause(lease, one.pausesFor, one.reason);
    return true;
  }
  return false;
}

/**
 * Steps aside when composing takes long elsewhere; composing in this thread itself keeps the timer from firing before it
 * ends.
 */
async function orAside<T>(slot: BatchSlot, composing: Promise<T>): Promise<T> {
  let isSoon = true;
  const timer = setTimeout(() => {
    isSoon = false;
    slot.stepAside();
  }, SOON_MS);
  try {
    const composed = await composing;
    if (isSoon) slot.composedSoon();
    return composed;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Parks rows of domains that have enough messages waiting, and of providers that are closed, since composing them would be in vain, and returns
 * the other rows.
 */
function parkWhatIsTooMuch(
  sender: Sender,
  batch: Batch,
  rows: readonly Allowed[],
  underWay: PromiseGroup,
): readonly Allowed[] {
  return rows.filter(({ row, right }) => {
    if (row.email === null) return true;
    const domain = domainOf(row.email);
    const to = destinationOf(sender, batch, domain);
    const held = sender.closings.holding(to, undefined, row.state === "deferred");
    if (held) {
      right.end();
      underWay.add(
        unlessUnderWay(batch, row, () => putOff(sender, batch, row, { provider: to.provider, held })),
      );
      return false;
    }
    const waitMs = batch.open.dispatcher.waitIfFull(domain);
    if (waitMs === undefined) return true;
    right.end();
    underWay.add(unlessUnderWay(batch, row, () => parkFor(sender, batch, row.contact_id, waitMs)));
    return false;
  });
}

/** Lets the event loop read the replies that have come before more is composed. */
function untilOthersRan(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves to undefined when another sender has the batch by now. */
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

/** Returns undefined in the place of each row whose subscriber is gone. */
async function composeSome(
  source: OpenSource,
  rows: readonly LedgerRow[],
  now: Date,
): Promise<readonly (Composed | undefined)[]> {
  const present = rows.filter((row) => row.email !== null);
  try {
    const all = await source.compose(present, now);
    const failing = all.filter((one) => !one.ok && one.isTransient && !one.pausesFor);
    // When not one row could be composed it is no accident, and counts as a failure of the source. The mails of a wave have
    // nothing in common, so there it says nothing of others.
    const isShared = source.stream !== "transactional";
    if (isShared && failing.length > 0 && failing.length === all.length)
      throw new Error(reasonOf(failing[0]));
    const composed = all.values();
    return rows.map((row) => (row.email === null ? undefined : composed.next().value));
  } catch (error) {
    // A temporary fault of the database says nothing about the content.
    if (isTransient(error)) throw error;
    throw new CannotCompose(source.launch, error as Error);
  }
}

function reasonOf(composed: Composed | undefined): string {
  return composed && !composed.ok ? composed.reason : "";
}
