/**
 * Reads what waits in an account. Each item is claimed for a while, read, and acted on in the transaction that marks it read, so
 * that a crash at any point neither loses it nor acts twice. A claim is counted before reading begins: an item that ends the
 * process is known by it, and is read alone from then on, so that it takes no other along.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import type { Secrets } from "../../platform/secrets.ts";
import {
  type Addressed,
  type InboundHandlers,
  type InboundItem,
  OTHER_KINDS,
  type OtherKind,
  type OtherOutcome,
  type Queue,
  type Report,
  type ReportOutcome,
} from "../types.ts";
import {
  type ClaimedRow,
  claimItems,
  giveUp,
  markRead,
  nextDueAt,
  noteFailure,
  releaseItems,
  type Summary,
  writeSummary,
} from "./item-store.ts";
import { addReadJobAt } from "./job-kinds.ts";
import { openRaw } from "./sealed-raw.ts";

type ReadTools = { readonly secrets: Secrets; readonly handlers: InboundHandlers };
type Place = { readonly accountId: string; readonly queue: Queue };

const MOST_AT_ONCE = 50;
/** What is claimed is in memory at once, so large items are claimed one or two at a time. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/**
 * So much of a mail is read. What a report says stands before the mail that it returns, and a mail that is made to be slow, with parts
 * nested by the thousand, takes a third of a second for each MB, in which this process does nothing else.
 */
export const MOST_READ_BYTES = 2 * 1_024 * 1_024;
const LEASE_MS = 120_000;
/** A job that has run so long leaves the rest to the next, so that other accounts have their turn. */
const LONGEST_RUN_MS = 45_000;
const MOST_ATTEMPTS = 5;
const FIRST_WAIT_MS = 15_000;
const NEVER_ENDED = `reading it was begun ${MOST_ATTEMPTS} times and never ended`;

export async function readWaiting(job: JobCtx, tools: ReadTools, place: Place): Promise<void> {
  const { db, clock, signal } = job;
  const { accountId, queue } = place;
  const untilMs = clock.monotonicMs() + LONGEST_RUN_MS;
  const isOver = () => signal.aborted || clock.monotonicMs() >= untilMs;
  await giveUp(db, accountId, { queue, now: clock.now(), attempts: MOST_ATTEMPTS, failure: NEVER_ENDED });
  while (!isOver()) {
    const claimed = await claimNext(job, place);
    if (claimed.length === 0) break;
    const waiting = [...claimed];
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      await readOne(job, tools, accountId, row);
      if (isOver()) break;
      await nextTurn();
    }
    if (waiting.length > 0) await releaseItems(db, accountId, waiting);
  }
  const due = await nextDueAt(db, accountId, queue);
  if (due) await addReadJobAt(db, place, due);
}

/** Items that nobody has tried come first and many at a time; those that were tried before come one by one. */
async function claimNext({ db, clock }: JobCtx, { accountId, queue }: Place): Promise<ClaimedRow[]> {
  const now = clock.now();
  const lease = { queue, now, until: new Date(now.getTime() + LEASE_MS), mostBytes: MOST_BYTES };
  const fresh = await claimItems(db, accountId, { ...lease, most: MOST_AT_ONCE, isRetry: false });
  if (fresh.length > 0) return fresh.sort((one, other) => (one.id < other.id ? -1 : 1));
  return claimItems(db, accountId, { ...lease, most: 1, isRetry: true });
}

async function readOne(job: JobCtx, tools: ReadTools, accountId: string, row: ClaimedRow): Promise<void> {
  const { db, clock, log } = job;
  try {
    const item = toItem(tools.secrets, accountId, row);
    const other = otherKindOf(item.addressed);
    const reports = other ? [] : tools.handlers.readItem(item);
    const act = other && (await tools.handlers.others[other](db, item, clock.now()));
    await db.transaction(async (tx) => {
      if (!(await markRead(tx, accountId, row, clock.now()))) return;
      const ctx = systemCtx({ clock, log }, tx, accountId);
      const summary = act
        ? summariseOther(other, await act(ctx))
        : summarise(reports, await tools.handlers.actOn(ctx, item, reports));
      await writeSummary(tx, accountId, row.id, summary);
    });
  } catch (error) {
    const isLast = row.attempts >= MOST_ATTEMPTS;
    const again = new Date(clock.now().getTime() + FIRST_WAIT_MS * 2 ** row.attempts);
    log[isLast ? "error" : "warn"](
      { err: error, item: toPublicId("inb", row.id), attempt: row.attempts },
      isLast ? "an inbound item can't be read and is given up" : "an inbound item could not be read",
    );
    await noteFailure(db, accountId, row, reasonOf(error), isLast ? null : again);
  }
}

/** Is told to whoever looks at the item: what we refuse by name, and otherwise that it is an error of ours. */
function reasonOf(error: unknown): string {
  return error instanceof Unreadable ? error.message : "an error on our side; the log has it";
}

class Unreadable extends Error {
  override readonly name = "Unreadable";
}

function toItem(secrets: Secrets, accountId: string, row: ClaimedRow): InboundItem {
  const { id, channel, provider } = row;
  const addressed = addressedBy(row);
  const raw = openRaw(secrets, { accountId, id }, row.raw);
  if (!raw) throw new Unreadable("no SECRET_KEY opens it");
  return {
    accountId,
    id,
    channel,
    channelId: row.channel_id,
    provider,
    envelopeFrom: row.envelope_from,
    addressed,
    session: row.session,
    // What a provider posts is one piece of JSON, and what is signed or compressed is one piece too; neither can be read in part.
    raw: channel === "webhook" || otherKindOf(addressed) ? raw : raw.subarray(0, MOST_READ_BYTES),
    receivedAt: row.received_at,
  };
}

function addressedBy(row: ClaimedRow): Addressed | null {
  const { address_kind: kind, source_id: sourceId, contact_id: contactId, test_id: testId } = row;
  if (kind === "dmarc_report") return { kind };
  if (kind === "mail_test") return testId ? { kind, testId } : null;
  return kind && sourceId && contactId ? { kind, sourceId, contactId } : null;
}

function otherKindOf(addressed: Addressed | null): OtherKind | undefined {
  return OTHER_KINDS.find((kind) => kind === addressed?.kind);
}

/** The weightiest comes first: an item that says several things is listed under that. */
const KINDS: readonly Report["kind"][] = [
  "complaint",
  "bounce",
  "unsubscribe",
  "delay",
  "delivered",
  "auto_reply",
  "other",
];

function summarise(reports: readonly Report[], outcomes: readonly ReportOutcome[]): Summary {
  const weights = reports.map(({ kind }, nth) => ({ weight: KINDS.indexOf(kind), nth }));
  const [first] = weights.sort((one, other) => one.weight - other.weight || one.nth - other.nth);
  return {
    kind: first ? (reports[first.nth]?.kind ?? null) : "other",
    outcome: first ? (outcomes[first.nth]?.outcome ?? null) : null,
    isMatched: outcomes.some(({ named }) => named !== null),
    why: null,
  };
}

function summariseOther(addressed: OtherKind, { kind, outcome, why }: OtherOutcome): Summary {
  return { kind: kind ?? addressed, outcome, isMatched: null, why };
}
