/**
 * A stream is a way through the log for one endpoint: the log itself from where the endpoint stands, or a replay of a part of it. It
 * remembers which events are settled; everything up to the first that isn't is done with, and written down as such.
 */
import type { EventRow, EventType, Moment, Position } from "../../events/events.ts";
import type { Origin } from "../schema.ts";
import { createBatching, type Waiting } from "./batching.ts";
import type { ReadPage } from "./shared-pages.ts";

type Slot = { readonly at: Position; isSettled: boolean };

/** Some events that are posted together, and how to say that they are settled. */
export type Taken = {
  readonly origin: Origin;
  readonly events: readonly EventRow[];
  settle(): void;
};

export type StreamOptions = {
  readonly origin: Origin;
  readonly accountId: string;
  readonly types: readonly EventType[];
  readonly from: Position;
  readonly begun: Moment;
  /** A replay ends there; the log has no end. */
  readonly upTo: Position | undefined;
  readonly since: () => Date;
  readonly until: Date | null;
  readonly batches: boolean;
  readonly ordered: boolean;
  /** Whether bodies get addresses, which makes them longer. */
  readonly hasAddresses: boolean;
};

export type Stream = {
  /** Everything up to there is settled. */
  done(): Position;
  /** How far was read. */
  read(): Position;
  /** How many events were read and aren't settled. */
  open(): number;
  /** Whether there is nothing more to read, for now or, of a replay, for ever. */
  isAtEnd(): boolean;
  /** Says that there may be more to read. */
  wake(): void;
  /** Reads on. */
  readOn(read: ReadPage, nowMs: number): Promise<void>;
  /** Takes what is to be posted next; undefined where nothing is to be for now. */
  take(nowMs: number): Taken | undefined;
};

const SCANNED_AT_ONCE = 500;

export function createStream(options: StreamOptions): Stream {
  const { origin } = options;
  let done = options.from;
  let read = options.from;
  let isAtEnd = false;
  let slots: Slot[] = [];
  let hasSettled = false;
  const waiting = createBatching<Slot>(options);

  /** It is done when somebody asks, since many are settled at once. */
  function passSettled(): void {
    if (!hasSettled) return;
    hasSettled = false;
    const open = slots.findIndex(({ isSettled }) => !isSettled);
    const last = slots[open < 0 ? slots.length - 1 : open - 1];
    if (last) done = last.at;
    slots = open < 0 ? [] : slots.slice(open);
    // What was read and isn't wanted needs no settling.
    if (slots.length === 0) done = read;
  }

  return {
    done() {
      passSettled();
      return done;
    },
    read: () => read,
    open() {
      passSettled();
      return slots.length;
    },
    isAtEnd: () => isAtEnd,
    wake() {
      isAtEnd = false;
    },
    async readOn(readPage, nowMs) {
      const { accountId, types, begun, upTo, until } = options;
      const scanned = await readPage({
        accountId,
        types,
        since: options.since(),
        after: read,
        begun,
        upTo,
        limit: SCANNED_AT_ONCE,
      });
      const wanted = scanned.events.filter((event) => until === null || event.created_at <= until);
      const added = wanted.map((event): Waiting<Slot> => {
        return { event, readMs: nowMs, slot: { at: { xid: event.xid, id: event.id }, isSettled: false } };
      });
      slots.push(...added.map(({ slot }) => slot));
      waiting.add(added);
      read = scanned.to;
      isAtEnd = !scanned.hasMore;
      hasSettled = true;
    },
    take(nowMs) {
      const taken = waiting.take(nowMs);
      if (!taken) return undefined;
      return {
        origin,
        events: taken.map(({ event }) => event),
        settle() {
          for (const { slot } of taken) slot.isSettled = true;
          hasSettled = true;
        },
      };
    },
  };
}
