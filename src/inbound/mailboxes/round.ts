/**
 * A round reads what is new in a mailbox: it opens the folder, finds the place to go on at, fetches mails in groups, and stores
 * those that came back to us together with how far it got. A process that dies at any point has stored a group or not.
 */
import { setImmediate as otherWork } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import type { InboundItem, NewInboundItem, Report } from "../types.ts";
import { readEnvelope, type VerifyAddress } from "./envelope.ts";
import { MailboxError } from "./failures.ts";
import type { FetchedMail, Folder, Imap, ListedMail } from "./imap.ts";
import { beginAnew, type LeasedMailbox, moveOn, noteSettled } from "./lease-store.ts";
import { groupsOf, lastDone, placeToRead, windowsAfter } from "./reading-place.ts";

export type RoundTools = {
  readonly db: Db;
  readonly clock: Clock;
  /** Says what a mail is about. It does no I/O. */
  readonly readItem: (item: InboundItem) => readonly Report[];
  /** Stores items in the same transaction, each once, and answers their ids; undefined for what was stored before. */
  readonly storeInbound: (
    tx: Tx,
    items: readonly NewInboundItem[],
  ) => Promise<readonly (string | undefined)[]>;
  readonly verifyAddress: VerifyAddress;
};

/** What a round knows of its mailbox. It is written by the round as it goes, beside the row. */
export type Progress = Pick<
  LeasedMailbox,
  "uid_validity" | "last_uid" | "restarted_at" | "to_settle" | "failures" | "error_code"
>;

/** `isLost`: another process has the mailbox now. `hasMore`: the next round may find more. */
export type RoundResult = {
  readonly progress: Progress;
  readonly hasMore: boolean;
  readonly isLost: boolean;
};

const MAILS_A_ROUND = 200;
/** Of a folder that is read for the first time, or anew, this many of the newest mails are read. */
const MAILS_AT_FIRST = 1_000;
/** Older mails are left: nobody counts a bounce any more that has been lying there for so long. */
const OLDEST_MS = 30 * 24 * 3_600_000;
/** Of a mail only so much is read. What a report says stands before the mail that it returns. */
const MOST_MAIL_BYTES = 1_048_576;
const GROUP = { most: 50, mostBytes: 4 * MOST_MAIL_BYTES, mostBytesOfOne: MOST_MAIL_BYTES };
/** A mail that breaks the connection is fetched alone from the second failure on, and left from the fourth on. */
const FAILURES_BEFORE_ALONE = 2;
const FAILURES_BEFORE_LEAVING = 4;
/** Reading goes on while mails can't be marked, moved or deleted, until there are so many of them. */
const MOST_TO_SETTLE = 1_000;
/** Some servers take no command of more than 8 KB. */
const SETTLED_AT_ONCE = 200;

export async function readRound(
  imap: Imap,
  box: LeasedMailbox,
  before: Progress,
  tools: RoundTools,
): Promise<RoundResult> {
  const folder = await imap.openFolder(box.folder, box.after === "keep");
  let progress = await findPlace(imap, box, before, folder, tools);
  if (!progress) return { progress: before, hasMore: false, isLost: true };
  if (progress.to_settle.length >= MOST_TO_SETTLE) progress = await settle(imap, box, progress, tools);
  const listed = folder.exists === 0 ? [] : await listNew(imap, progress.last_uid, folder);
  const done = new Set<number>();
  const uids = listed.map(({ uid }) => uid);
  for (const group of toFetch(listed, progress, done, tools)) {
    const mails = await imap.fetch(
      group.map(({ uid }) => uid),
      MOST_MAIL_BYTES,
    );
    for (const { uid } of group) done.add(uid);
    const stored = await storeGroup(box, progress, { uids, done, group, mails }, tools);
    if (!stored) return { progress, hasMore: false, isLost: true };
    progress = stored;
  }
  progress = (await passOver(box, progress, uids, done, tools)) ?? progress;
  progress = await settle(imap, box, progress, tools);
  return { progress: { ...progress, failures: 0 }, hasMore: listed.length > 0, isLost: false };
}

/** Returns undefined where the lease is lost. */
async function findPlace(
  imap: Imap,
  box: LeasedMailbox,
  progress: Progress,
  folder: Folder,
  { db, clock }: RoundTools,
): Promise<Progress | undefined> {
  const place = placeToRead(progress, folder, clock.now());
  if (place === "go_on") return progress;
  if (place === "unstable") {
    const text =
      "The server gives its mails other numbers (UIDVALIDITY) again and again, so nobody knows what is new.";
    throw new MailboxError("unstable", text);
  }
  const from = Math.max(1, folder.exists - MAILS_AT_FIRST + 1);
  const newest =
    folder.exists === 0 ? [] : await imap.list(`${from}:${folder.exists}`, "place", MAILS_AT_FIRST);
  const lastUid = newest.length === 0 ? 0 : Math.min(...newest.map(({ uid }) => uid)) - 1;
  const { uidValidity } = folder;
  if (!(await beginAnew(db, box, { uidValidity, lastUid }))) return undefined;
  return {
    ...progress,
    uid_validity: uidValidity,
    last_uid: lastUid,
    restarted_at: clock.now(),
    to_settle: [],
  };
}

async function listNew(imap: Imap, lastUid: number, { uidNext }: Folder): Promise<readonly ListedMail[]> {
  for (const range of windowsAfter(lastUid, uidNext)) {
    const listed = await imap.list(range, "uid", MAILS_A_ROUND);
    const [from = 0, to = 0] = range.split(":").map(Number);
    // A server may answer with mails that nobody asked for.
    const wanted = new Map(
      listed.filter(({ uid }) => uid >= from && uid <= to).map((mail) => [mail.uid, mail]),
    );
    if (wanted.size > 0) return [...wanted.values()].sort((one, other) => one.uid - other.uid);
  }
  return [];
}

/** Adds to `done` what needn't be fetched. */
function toFetch(
  listed: readonly ListedMail[],
  { failures, error_code }: Progress,
  done: Set<number>,
  { clock }: RoundTools,
): ListedMail[][] {
  const oldest = clock.now().getTime() - OLDEST_MS;
  const young = listed.filter(({ arrivedAt }) => !(arrivedAt.getTime() < oldest));
  const isPoisoned =
    failures >= FAILURES_BEFORE_LEAVING && (error_code === "too_much" || error_code === "protocol");
  const wanted = isPoisoned ? young.slice(1) : young;
  const fetched = new Set(wanted.map(({ uid }) => uid));
  for (const { uid } of listed) if (!fetched.has(uid)) done.add(uid);
  return groupsOf(wanted, failures >= FAILURES_BEFORE_ALONE ? { ...GROUP, most: 1 } : GROUP);
}

type Group = {
  /** All that this round has listed. */
  readonly uids: readonly number[];
  readonly done: ReadonlySet<number>;
  readonly group: readonly ListedMail[];
  readonly mails: readonly FetchedMail[];
};

/** Returns undefined where the lease is lost; then nothing was stored. */
async function storeGroup(
  box: LeasedMailbox,
  progress: Progress,
  { uids, done, group, mails }: Group,
  tools: RoundTools,
): Promise<Progress | undefined> {
  const taken: { uid: number; item: NewInboundItem }[] = [];
  for (const { uid, raw } of mails) {
    const size = group.find((one) => one.uid === uid)?.size ?? raw.length;
    const item = toItem(box, raw, Math.max(size, raw.length), tools);
    if (isForUs(item, tools)) taken.push({ uid, item });
    // Reading a mail of a MiB takes some milliseconds, in which nobody else's work goes on.
    await otherWork();
  }
  const lastUid = Math.max(progress.last_uid, lastDone(progress.last_uid, uids, done));
  const toSettle = box.after === "keep" ? [] : taken.map(({ uid }) => uid);
  const isOurs = await tools.db.transaction(async (tx) => {
    const counts = {
      taken: taken.length,
      left: group.length - taken.length,
      cut: group.filter(({ size }) => size > MOST_MAIL_BYTES).length,
    };
    if (!(await moveOn(tx, box, { lastUid, toSettle, ...counts }))) return false;
    if (taken.length > 0) {
      await tools.storeInbound(
        tx,
        taken.map(({ item }) => item),
      );
    }
    return true;
  });
  if (!isOurs) return undefined;
  return { ...progress, last_uid: lastUid, to_settle: [...progress.to_settle, ...toSettle] };
}

function toItem(
  { account_id: accountId, id }: LeasedMailbox,
  raw: Buffer,
  bytes: number,
  { verifyAddress }: RoundTools,
): NewInboundItem {
  return {
    accountId,
    channel: "mailbox",
    channelId: id,
    provider: null,
    ...readEnvelope(raw, accountId, verifyAddress),
    raw,
    bytes,
  };
}

/** Other mail of a mailbox that people also read is nobody's business here, and is not stored. */
function isForUs(item: NewInboundItem, { clock, readItem }: RoundTools): boolean {
  if (item.addressed) return true;
  const { bytes: _bytes, ...rest } = item;
  return readItem({ ...rest, session: null, id: newId(clock), receivedAt: clock.now() }).some(
    ({ kind }) => kind !== "other",
  );
}

/** Remembers the mails that were passed over without being fetched, after the last that was. */
async function passOver(
  box: LeasedMailbox,
  progress: Progress,
  uids: readonly number[],
  done: ReadonlySet<number>,
  { db }: RoundTools,
): Promise<Progress | undefined> {
  const lastUid = lastDone(progress.last_uid, uids, done);
  if (lastUid <= progress.last_uid) return progress;
  const to = { lastUid, toSettle: [], taken: 0, left: 0, cut: 0 };
  return (await db.transaction((tx) => moveOn(tx, box, to))) ? { ...progress, last_uid: lastUid } : undefined;
}

/**
 * Does what the account asked for to mails that are stored. Which are left to do stands in the row, so a process that dies
 * before leaves it to the next. Doing it twice does no harm.
 */
async function settle(
  imap: Imap,
  box: LeasedMailbox,
  progress: Progress,
  { db }: RoundTools,
): Promise<Progress> {
  for (let at = 0; at < progress.to_settle.length; at += SETTLED_AT_ONCE) {
    const uids = progress.to_settle.slice(at, at + SETTLED_AT_ONCE);
    if (box.after !== "keep") await imap.settle(uids, box.after);
    await noteSettled(db, box, uids);
  }
  return { ...progress, to_settle: [] };
}
