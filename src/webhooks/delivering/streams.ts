/** The ways through the log that an endpoint goes at once: the log itself and, where one runs, a replay. */
import { comparePositions, LEAST_ID, oldestShown, type Position } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { typesOfPatterns } from "../event-patterns.ts";
import type { LeasedWebhook } from "./lease-store.ts";
import { createStream, type Stream, type Taken } from "./stream.ts";

export type Streams = {
  readonly log: Stream;
  /** Returns one of which more is to be read. */
  toRead(): Stream | undefined;
  /** Takes from both by turns, so that neither waits for the end of the other. */
  take(nowMs: number): Taken | undefined;
  /** How far the replay is; undefined where none runs. */
  replayed(): Position | undefined;
  /** Whether everything of the replay is settled. */
  isReplayOver(): boolean;
  endReplay(): void;
};

/** More is read while fewer are open. With what is read at once, this bounds the memory, and what a crash may repeat. */
const READ_BELOW = 100;

export function createStreams(clock: Clock, webhook: LeasedWebhook): Streams {
  const types = typesOfPatterns(webhook.events);
  const common = {
    accountId: webhook.account_id,
    begun: { xid: webhook.begins_xid, running: webhook.begins_running },
    batches: webhook.batch_engagement,
    ordered: webhook.ordered,
    hasAddresses: webhook.include.includes("email"),
  };
  const place = { xid: webhook.xid, id: webhook.event_id };
  const log = createStream({
    ...common,
    origin: "log",
    types,
    from: place,
    upTo: undefined,
    since: () => oldestShown(clock),
    until: null,
  });
  let replay = startReplay();
  let isReplayNext = false;

  function startReplay(): Stream | undefined {
    const { replay_xid: xid, replay_event_id: id, replay_until_xid: endXid } = webhook;
    const { replay_since: since, replay_types: only } = webhook;
    if (xid === null || id === null || endXid === null || since === null) return undefined;
    const end = { xid: endXid, id: LEAST_ID };
    return createStream({
      ...common,
      origin: "replay",
      types: only ? types.filter((type) => only.includes(type)) : types,
      from: { xid, id },
      // What the log itself has yet to bring comes by the log alone, where order is asked for.
      upTo: webhook.ordered && comparePositions(place, end) < 0 ? place : end,
      since: () => since,
      until: webhook.replay_until,
    });
  }

  return {
    log,
    toRead: () => [log, replay].find((one) => one && !one.isAtEnd() && one.open() < READ_BELOW),
    take(nowMs) {
      isReplayNext = !isReplayNext;
      const inTurn = isReplayNext ? [replay, log] : [log, replay];
      for (const stream of inTurn) {
        const taken = stream?.take(nowMs);
        if (taken) return taken;
      }
      return undefined;
    },
    replayed: () => replay?.done(),
    isReplayOver: () => replay?.isAtEnd() === true && replay.open() === 0,
    endReplay() {
      replay = undefined;
    },
  };
}
