/** Tells other processes by NOTIFY that a source has something to send, or that its counts or its state have changed. */
import { prepared, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type Listener, notify } from "../../platform/db/listen.ts";
import { createGroupCommit } from "../../platform/group-commit.ts";

const READY = "delivery_ready";
const PROGRESS = "delivery_progress";

type Listen = Pick<Listener, "listen">;

/** Tells senders, once the transaction is committed, that a source has something to send. */
export async function notifyReady(tx: Tx, sourceId: string): Promise<void> {
  await notify(tx, READY, sourceId);
}

/**
 * Returns a function that tells senders of a source outside of any transaction. Calls that come while a notification is under
 * way go together into the next. One that is lost costs half a second, after which senders look by themselves.
 */
export function createReadyNotifier(db: Writable): (sourceId: string) => void {
  const told = createGroupCommit<string, void>(
    async (ids) => {
      await db.execute(
        prepared(sql`select pg_notify(${READY}, id) from unnest(${[...new Set(ids)]}::text[]) as id`),
      );
      return ids.map(() => undefined);
    },
    { most: 1_000 },
  );
  return (sourceId) => void told.add(sourceId).catch(() => undefined);
}

/** Tells those who watch an owner that something has changed. */
export async function notifyWatchers(db: Writable, id: string): Promise<void> {
  await db.execute(sql`select pg_notify(${PROGRESS}, ${id})`);
}

/** Tells those who watch a source's owner. The owner is looked up, because its id may be another than the source's. */
export async function notifyProgress(db: Writable, accountId: string, sourceId: string): Promise<void> {
  await db.execute(
    prepared(sql`
      select pg_notify(${PROGRESS}, owner_id::text) from sources
      where account_id = ${accountId} and id = ${sourceId}`),
  );
}

/** Calls back with undefined after a lost connection, when any source may have something to send. */
export function onReady(listener: Listen, callback: (sourceId: string | undefined) => void): void {
  listener.listen(READY, (payload) => callback(payload || undefined));
}

type Watchers = Map<string, Set<() => void>>;
/** A process listens once, however many people are watching. */
const watchersOf = new WeakMap<Listen, Watchers>();

/**
 * Calls back at each notification of an owner, until the function that it returns is called. A notification may get lost, so
 * the caller must also look now and then.
 */
export function onProgress(listener: Listen, sourceId: string, callback: () => void): () => void {
  const watchers = watchersOf.get(listener) ?? startWatching(listener);
  const own = watchers.get(sourceId) ?? new Set();
  watchers.set(sourceId, own);
  // Each call adds a function of its own, so that stopping twice can't stop another caller.
  const wake = () => callback();
  own.add(wake);
  return () => {
    own.delete(wake);
    if (own.size === 0 && watchers.get(sourceId) === own) watchers.delete(sourceId);
  };
}

function startWatching(listener: Listen): Watchers {
  const watchers: Watchers = new Map();
  watchersOf.set(listener, watchers);
  listener.listen(PROGRESS, (payload) => {
    const called = payload === "" ? [...watchers.values()] : [watchers.get(payload) ?? []];
    for (const own of called) for (const wake of [...own]) wake();
  });
  return watchers;
}
