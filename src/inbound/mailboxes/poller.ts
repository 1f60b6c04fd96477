/**
 * Polls the mailboxes of all accounts, in the `jobs` role. Each look claims what is due; each claim is a session of its own, which
 * connects, reads, and then waits for new mail by IDLE or gives the mailbox back. Whatever a server does, its session ends with
 * a failure that is written down, and no other session hears of it.
 */
import { recordEvent } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type Failure, isFailing, MailboxError } from "./failures.ts";
import { connectImap, type Imap } from "./imap.ts";
import {
  claimDue,
  type LeasedMailbox,
  lockLeased,
  noteFailure,
  noteSuccess,
  release,
  renewLeases,
} from "./lease-store.ts";
import { waitAfterFailure, waitAfterSuccess } from "./pace.ts";
import { openPassword } from "./password.ts";
import { type Progress, type RoundTools, readRound } from "./round.ts";

/** A notification on this channel says that a mailbox was made or changed. */
export const MAILBOXES_CHANGED = "postrider_mailboxes";

export type PollingOptions = RoundTools & {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly listener: Pick<Listener, "listen">;
  readonly secrets: Secrets;
  readonly internalHosts: readonly string[];
};

const LOOK_EVERY_MS = 5_000;
/** So many connections are open at once in a process; those that only wait for mail leave some for others. */
const MOST_SESSIONS = 150;
const MOST_WAITING = 100;
/** Servers may close a connection that is idle for half an hour (RFC 2177), and firewalls do so earlier. */
const IDLE_MS = 300_000;
/** A wait that ends earlier, and without mail, was refused. Such a server is polled. */
const SHORTEST_WAIT_MS = 1_000;
/** A session that reads on and on gives others their turn. */
const MOST_ROUNDS_AT_ONCE = 25;

type Session = { readonly box: LeasedMailbox; readonly abort: AbortController; ended: Promise<void> };

export function startMailboxPolling(options: PollingOptions): { stop(): Promise<void> } {
  const { db, log, listener } = options;
  const sessions = new Map<string, Session>();
  let waiting = 0;
  let isStopping = false;
  let looking: Promise<void> | undefined;
  let isHinted = false;

  function begin(box: LeasedMailbox): void {
    const abort = new AbortController();
    const session: Session = { box, abort, ended: Promise.resolve() };
    const mayWait = {
      enter: () => waiting < MOST_WAITING && ++waiting > 0,
      leave: () => {
        waiting--;
      },
    };
    session.ended = runSession(options, box, abort.signal, mayWait)
      .catch((error) => log.warn({ err: error, mailbox: box.id }, "a mailbox could not be looked into"))
      .finally(() => {
        sessions.delete(box.leased_by);
        // It was edited, and the next look is due by now.
        if (abort.signal.aborted) lookNow();
      });
    sessions.set(box.leased_by, session);
  }

  async function look(): Promise<void> {
    const held = [...sessions.values()];
    if (held.length > 0) {
      const valid = await renewLeases(
        db,
        held.map(({ box }) => box),
      );
      for (const { box, abort } of held) if (!valid.has(box.leased_by)) abort.abort();
    }
    const free = MOST_SESSIONS - sessions.size;
    if (free <= 0 || isStopping) return;
    for (const box of await claimDue(db, free)) begin(box);
  }

  function lookNow(): void {
    if (isStopping) return;
    if (looking) {
      isHinted = true;
      return;
    }
    looking = look()
      .catch((error) => log.warn({ reason: error.message }, "the mailboxes could not be looked at"))
      .finally(() => {
        looking = undefined;
        if (!isHinted) return;
        isHinted = false;
        lookNow();
      });
  }

  const timer = setInterval(lookNow, LOOK_EVERY_MS);
  listener.listen(MAILBOXES_CHANGED, lookNow);
  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await looking;
      const held = [...sessions.values()];
      for (const { abort } of held) abort.abort();
      await Promise.all(held.map(({ ended }) => ended));
    },
  };
}

type WaitingPlace = { enter(): boolean; leave(): void };

/** Ends with the mailbox given back. Only errors of the database are thrown, and then the lease runs out. */
async function runSession(
  options: PollingOptions,
  box: LeasedMailbox,
  signal: AbortSignal,
  waitingPlace: WaitingPlace,
): Promise<void> {
  const { db } = options;
  try {
    const isQuiet = await readUntilQuiet(options, box, signal, waitingPlace);
    await release(db, box, isQuiet ? waitAfterSuccess(Math.random()) : 0);
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    // We ended it ourselves: another process, or this one with other settings, goes on.
    if (signal.aborted) return release(db, box, 0);
    await release(db, box, await recordFailure(options, box, error.failure));
  }
}

/** Returns false where there is more to read, and it is others' turn. */
async function readUntilQuiet(
  options: PollingOptions,
  box: LeasedMailbox,
  signal: AbortSignal,
  waitingPlace: WaitingPlace,
): Promise<boolean> {
  const { secrets, internalHosts } = options;
  const password = openPassword(secrets, box, box.password);
  if (password === undefined) {
    const text =
      "The stored password can't be opened: it was sealed under another SECRET_KEY. Give it again.";
    throw new MailboxError("secret_key", text);
  }
  const imap = await connectImap({ ...box, password }, { internalHosts, signal });
  let hasPlace = false;
  try {
    let progress: Progress = box;
    for (;;) {
      const read = await readAll(options, imap, box, progress, signal);
      if (!read) return false;
      progress = read;
      hasPlace ||= imap.hasIdle && waitingPlace.enter();
      if (!hasPlace || !(await waitForMail(options, imap))) return true;
    }
  } finally {
    if (hasPlace) waitingPlace.leave();
    await imap.close();
  }
}

/** Reads rounds until there is nothing new. Returns undefined where the lease is lost, or it is others' turn. */
async function readAll(
  options: PollingOptions,
  imap: Imap,
  box: LeasedMailbox,
  before: Progress,
  signal: AbortSignal,
): Promise<Progress | undefined> {
  let progress = before;
  for (let rounds = 1; ; rounds++) {
    const round = await readRound(imap, box, progress, options);
    if (round.isLost || !(await recordSuccess(options, box))) return undefined;
    progress = round.progress;
    if (!round.hasMore) return progress;
    if (rounds >= MOST_ROUNDS_AT_ONCE || signal.aborted) return undefined;
  }
}

/** Returns false where waiting is of no use. */
async function waitForMail({ clock }: PollingOptions, imap: Imap): Promise<boolean> {
  const startMs = clock.monotonicMs();
  const isNew = await imap.idle(IDLE_MS);
  return isNew || clock.monotonicMs() - startMs >= SHORTEST_WAIT_MS;
}

/** Returns false where the lease is lost. */
async function recordSuccess(options: PollingOptions, box: LeasedMailbox): Promise<boolean> {
  const { db, clock } = options;
  return db.transaction(async (tx) => {
    const wasFailing = await noteSuccess(tx, box, clock.now());
    if (wasFailing === true) {
      const data = { mailbox_id: toPublicId("mbx", box.id) };
      await recordEvent(systemCtx(options, tx, box.account_id), { type: "inbound.mailbox_recovered", data });
    }
    return wasFailing !== undefined;
  });
}

/** Returns how long to wait. The account is told when a mailbox begins to fail, and not again until it has recovered. */
async function recordFailure(options: PollingOptions, box: LeasedMailbox, failure: Failure): Promise<number> {
  const { db, clock, log } = options;
  const { code } = failure;
  return db.transaction(async (tx) => {
    const row = await lockLeased(tx, box);
    if (!row) return 0;
    const failures = row.failures + 1;
    const isFailingNow = row.is_failing || isFailing(code, failures);
    await noteFailure(tx, box, clock.now(), failure, { failures, isFailing: isFailingNow });
    if (isFailingNow && !row.is_failing) {
      log.warn({ mailbox: box.id, reason: code }, "a mailbox fails");
      const data = { mailbox_id: toPublicId("mbx", box.id), reason: code };
      const ctx = systemCtx(options, tx, box.account_id);
      await recordEvent(ctx, { type: "inbound.mailbox_failing", data, isNoticed: true });
    }
    return waitAfterFailure(code, failures, Math.random());
  });
}
