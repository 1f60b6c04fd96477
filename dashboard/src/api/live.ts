/**
 * One stream of events a tab, while somebody looks at it. An event carries no data onto the page: it only makes answers stale. When
 * nothing is heard for ten seconds, what is shown is read anew every five, and the page says as of when it is.
 */

import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ofAccount } from "./account.ts";
import { isConnected } from "./connection.ts";
import type { Event } from "./openapi.ts";
import { asApiError } from "./problem.ts";
import { createRefresher, refreshAll, refreshOlderThan } from "./refresher.ts";
import { thingsOf } from "./stale-things.ts";

const SILENCE_MS = 10_000;
const POLL_EVERY_MS = 5_000;
const TICK_MS = 1_000;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/** An event that has just happened, or that there were too many to tell. */
export type News = Event | "many";

const listeners = new Set<(news: News) => void>();
const watchers = new Set<() => void>();
/** As of when the page is; undefined while it is live. */
let asOf: Date | undefined;

/** Hears of each event as it comes, until the function that it returns is called. */
export function onNews(listener: (news: News) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useAsOf(): Date | undefined {
  return useSyncExternalStore(watchAsOf, () => asOf);
}

function watchAsOf(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function isRefusal(error: unknown): boolean {
  const { status } = asApiError(error);
  return status >= 400 && status < 500;
}

function setAsOf(next: Date | undefined): void {
  if (asOf?.getTime() === next?.getTime()) return;
  asOf = next;
  for (const watcher of watchers) watcher();
}

/** Keeps the page live until the function that it returns is called. Hidden tabs have no stream. */
export function keepLive(queries: QueryClient): () => void {
  const refresher = createRefresher(queries);
  let source: EventSource | undefined;
  let cursor = "";
  let heard = new Date();
  let polledMs = 0;
  let backoffMs = FIRST_BACKOFF_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;

  function hear({ lastEventId }: MessageEvent): void {
    cursor = lastEventId || cursor;
    heard = new Date();
    backoffMs = FIRST_BACKOFF_MS;
    setAsOf(undefined);
  }

  function tell(news: News): void {
    refresher.add(news === "many" ? "all" : thingsOf(news.type));
    for (const listener of [...listeners]) listener(news);
  }

  function open(): void {
    if (source || retry || document.visibilityState !== "visible") return;
    const opened = new EventSource(
      ofAccount(cursor ? `/v1/events/stream?cursor=${cursor}` : "/v1/events/stream"),
    );
    source = opened;
    // Without a place to go on from, nobody knows what happened between the reading of the page and this.
    const openedMs = Date.now();
    let isNew = cursor === "";
    opened.addEventListener("alive", (event) => {
      hear(event);
      if (isNew) void refreshOlderThan(queries, openedMs);
      isNew = false;
    });
    opened.addEventListener("many", (event) => {
      hear(event);
      tell("many");
    });
    opened.addEventListener("message", (event) => {
      hear(event);
      tell(JSON.parse(event.data));
    });
    opened.addEventListener("error", () => {
      // A stream that is refused may be so for its place; one that broke off goes on where it was.
      if (opened.readyState === EventSource.CLOSED) cursor = "";
      close();
      retry = setTimeout(
        () => {
          retry = undefined;
          open();
        },
        backoffMs * (0.5 + Math.random()),
      );
      backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS);
    });
  }

  function close(): void {
    source?.close();
    source = undefined;
  }

  function look(): void {
    const now = new Date();
    if (document.visibilityState !== "visible" || now.getTime() - heard.getTime() < SILENCE_MS) return;
    if (!asOf) setAsOf(heard);
    if (!isConnected() || performance.now() - polledMs < POLL_EVERY_MS) return;
    polledMs = performance.now();
    void refreshAll(queries).then(() => {
      // What is refused stays so; only what couldn't be asked makes the page old.
      const isAnswered = (error: unknown) => error === null || isRefusal(error);
      const active = queries.getQueryCache().findAll({ type: "active" });
      const isRead = active.every(({ state }) => isAnswered(state.error));
      if (asOf && isRead) setAsOf(now);
    });
  }

  function onVisibility(): void {
    if (document.visibilityState !== "visible") {
      close();
      return;
    }
    // The time in the background is not a silence.
    heard = new Date();
    open();
  }

  document.addEventListener("visibilitychange", onVisibility);
  const timer = setInterval(look, TICK_MS);
  open();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    clearInterval(timer);
    clearTimeout(retry);
    retry = undefined;
    close();
    refresher.stop();
    setAsOf(undefined);
  };
}
