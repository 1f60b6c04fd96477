/** What happens to a batch: it is read and composed a few at a time, and each of its messages is sent (`send-message.ts`). */
import { giveBack, holdAbandoned, insist, type Lease, type LedgerRow, readRows } from "../ledger/ledger.ts";
import type { Composed } from "../types.ts";
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
import {
  type Batch,
  domainOf,
  judgingOf,
  parkFor,
  type Sender,
  sendOne,
  unlessUnderWay,
} from "./send-message.ts";
import { CannotCompose, type OpenSource } from "./source-composer.ts";

/** What the lease's lane is told, and asked. */
export type SharedConnection = {
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

/** Says how many are left: of a source that was paused, or that is being stopped. */
export async function sendBatch(
  sender: Sender,
  lease: Lease,
  lane: SharedConnection,
): Promise<{ left: number }> {
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
async function sendAll(
  sender: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
  lane: SharedConnection,
): Promise<void> {
  const underWay = createPromiseGroup();
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
  lane: SharedConnection,
  underWay: PromiseGroup,
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
async function orAside<T>(lane: SharedConnection, composing: Promise<T>): Promise<T> {
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
  underWay: PromiseGroup,
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
