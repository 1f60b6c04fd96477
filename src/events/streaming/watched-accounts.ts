/**
 * Accounts whose log somebody watches. However many watch, a process asks the database once a second for all of them together. No
 * notification tells it to: one with each event would make every commit of the service wait for the one before it.
 */
import type { Clock } from "../../platform/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { oldestShown } from "../shape.ts";
import { type EventRow, type Position, readHorizon, selectNewEvents } from "../store.ts";

/** So many events of an account are told in a second; where there are more, only that there were. */
export const MOST_AT_ONCE = 100;
/** So many accounts are asked for by one statement, which bounds what it answers with. */
const ACCOUNTS_AT_ONCE = 50;

export type News = {
  /** Undefined says that there were too many. */
  readonly rows: readonly EventRow[] | undefined;
  /** Where the reader stood before, and where it stands now. */
  readonly from: Position;
  readonly to: Position;
};

type Viewer = { position: Position; readonly tell: (news: News) => void };
type Watched = { position: Position; readonly viewers: Set<Viewer> };

export type WatchedAccounts = {
  /** Tells of every event above `from`, until the viewer leaves; also, by no rows, that there is none. */
  join(accountId: string, from: Position, tell: (news: News) => void): () => void;
  /** Looks at all of them. While it still does, or the database is away, nothing happens. */
  look(ctx: Pick<Ctx, "sql" | "clock" | "log">): Promise<void>;
};

export function createWatchedAccounts(): WatchedAccounts {
  const all = new Map<string, Watched>();
  let isLooking = false;

  async function lookAt(db: Queryable, clock: Clock, accounts: readonly [string, Watched][]): Promise<void> {
    const before = await readHorizon(db);
    const asked = accounts.map(([accountId, { position }]) => ({ accountId, after: position }));
    const options = { since: oldestShown(clock), before, limit: MOST_AT_ONCE + 1 };
    const found = Map.groupBy(
      await db.many<EventRow>(selectNewEvents(asked, options)),
      (row) => row.account_id,
    );
    for (const [at, [accountId, watched]] of accounts.entries()) {
      // Whoever joined during the look may stand lower, and is told by the next one.
      if (watched.position === asked[at]?.after) watched.position = before;
      const rows = found.get(accountId) ?? [];
      for (const viewer of [...watched.viewers]) tell(viewer, rows, asked[at]?.after ?? before, before);
    }
  }

  return {
    join(accountId, from, told) {
      const watched = all.get(accountId) ?? { position: from, viewers: new Set() };
      all.set(accountId, watched);
      if (isAbove(watched.position, from)) watched.position = from;
      const viewer: Viewer = { position: from, tell: told };
      watched.viewers.add(viewer);
      return () => {
        watched.viewers.delete(viewer);
        if (watched.viewers.size === 0 && all.get(accountId) === watched) all.delete(accountId);
      };
    },
    async look({ sql: db, clock, log }) {
      if (isLooking) return;
      isLooking = true;
      try {
        const accounts = [...all];
        for (let at = 0; at < accounts.length; at += ACCOUNTS_AT_ONCE) {
          await lookAt(db, clock, accounts.slice(at, at + ACCOUNTS_AT_ONCE));
        }
      } catch (error) {
        // Those who watch hear nothing until a look has found the database again. Anything else is a bug.
        if (!(error instanceof DbError && ["unavailable", "busy"].includes(error.kind)))
          log.error({ err: error }, "new events could not be told");
      } finally {
        isLooking = false;
      }
    },
  };
}

/** A viewer that stands elsewhere than the look began gets what is its own, and nothing twice. */
function tell(viewer: Viewer, rows: readonly EventRow[], began: Position, to: Position): void {
  const from = viewer.position;
  if (isAbove(began, from) || isAbove(from, to)) return;
  viewer.position = to;
  const isTooMany = rows.length > MOST_AT_ONCE;
  viewer.tell({ rows: isTooMany ? undefined : rows.filter((row) => isAbove(row, from)), from, to });
}

/** Ids are compared as the database compares them, which for text of one length in small letters is the same. */
function isAbove(one: Position, other: Position): boolean {
  const [a, b] = [BigInt(one.xid), BigInt(other.xid)];
  return a > b || (a === b && one.id > other.id);
}
