/** Hints by NOTIFY: that there is something to send, and that a source has moved. */
import { prepared, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type Listener, notify } from "../../platform/db/listen.ts";

const READY = "delivery_ready";
const PROGRESS = "delivery_progress";

type Listen = Pick<Listener, "listen">;

/** With the transaction's commit. */
export async function notifyReady(tx: Tx, sourceId: string): Promise<void> {
  await notify(tx, READY, sourceId);
}

/** By the id that those who watch know it by. */
export async function notifyWatchers(db: Writable, id: string): Promise<void> {
  await db.execute(sql`select pg_notify(${PROGRESS}, ${id})`);
}

/** The same by the ledger's own id, which is another one once the source was replaced. */
export async function notifyProgress(db: Writable, accountId: string, sourceId: string): Promise<void> {
  await db.execute(
    prepared(sql`
      select pg_notify(${PROGRESS}, owner_id::text) from sources
      where account_id = ${accountId} and id = ${sourceId}`),
  );
}

/** `sourceId` is undefined after a lost connection: any source may be meant. */
export function onReady(listener: Listen, callback: (sourceId: string | undefined) => void): void {
  listener.listen(READY, (payload) => callback(payload || undefined));
}

type Watchers = Map<string, Set<() => void>>;
/** One LISTEN a process, however many people are watching. */
const watchersOf = new WeakMap<Listen, Watchers>();

/** Calls back at every hint that a source has moved, until it is stopped. A hint may be lost: look now and then. */
export function onProgress(listener: Listen, sourceId: string, callback: () => void): () => void {
  const watchers = watchersOf.get(listener) ?? startWatching(listener);
  const own = watchers.get(sourceId) ?? new Set();
  watchers.set(sourceId, own);
  // Each call has one of its own, so that stopping twice stops nobody else.
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
