/** Reads anew what events have made stale: twice a second at most, and never faster than the answers come. */
import type { Query, QueryClient } from "@tanstack/react-query";

const GAP_MS = 500;
/** Where everything is stale at once there is no hurry, for it will be again. */
const GAP_OF_ALL_MS = 5_000;
/** Of the time that goes by, reading anew takes a fifth at most. */
const REST_FOR_EACH_MS_OF_READING = 4;

export type Refresher = {
  /** These things are stale; `all` says that everything is. */
  add(things: readonly string[] | "all"): void;
  stop(): void;
};

/** The session is asked for where one signs in, and the log of events shows by itself that there is more. */
const isLive = ({ queryKey: [thing] }: Query) => thing !== "session" && thing !== "events";

/** Reads all of what is shown anew, and returns once that is done. */
export function refreshAll(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries(
    { predicate: ({ queryKey: [thing] }) => thing !== "session" },
    { cancelRefetch: false },
  );
}

/** Reads anew what was read before this time. */
export function refreshOlderThan(queries: QueryClient, timeMs: number): Promise<void> {
  return queries.invalidateQueries(
    { predicate: (query) => isLive(query) && query.state.dataUpdatedAt < timeMs },
    { cancelRefetch: false },
  );
}

export function createRefresher(queries: QueryClient): Refresher {
  let stale = new Set<unknown>();
  let isAllStale = false;
  let notBeforeMs = 0;
  let allNotBeforeMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function plan(): void {
    if (timer !== undefined) return;
    const dueMs = stale.size > 0 ? notBeforeMs : Math.max(notBeforeMs, allNotBeforeMs);
    timer = setTimeout(() => void refresh(), Math.max(0, dueMs - performance.now()));
  }

  async function refresh(): Promise<void> {
    const startedMs = performance.now();
    const ofAll = isAllStale && startedMs >= allNotBeforeMs;
    const things = stale;
    stale = new Set();
    if (ofAll) {
      isAllStale = false;
      allNotBeforeMs = startedMs + GAP_OF_ALL_MS;
    }
    await queries.invalidateQueries(
      { predicate: (query) => isLive(query) && (ofAll || things.has(query.queryKey[0])) },
      { cancelRefetch: false },
    );
    const endedMs = performance.now();
    notBeforeMs = Math.max(startedMs + GAP_MS, endedMs + REST_FOR_EACH_MS_OF_READING * (endedMs - startedMs));
    timer = undefined;
    if (stale.size > 0 || isAllStale) plan();
  }

  return {
    add(things) {
      if (things === "all") isAllStale = true;
      else for (const thing of things) stale.add(thing);
      plan();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      stale.clear();
      isAllStale = false;
    },
  };
}
