/** Says which of the events that were read are posted next: one, or a batch of opens and clicks where the endpoint wants batches. */
import type { EventRow } from "../../events/events.ts";
import { ENGAGEMENT } from "../event-patterns.ts";

export type Waiting<Slot> = { readonly event: EventRow; readonly readMs: number; readonly slot: Slot };

export type Batching<Slot> = {
  add(some: readonly Waiting<Slot>[]): void;
  take(nowMs: number): readonly Waiting<Slot>[] | undefined;
};

const MOST_IN_A_BATCH = 100;
/** An open waits so long for others. */
const GATHERED_MS = 1_000;
/** A body stays below 20 KB. Beside its data, an event has ids and times of its own, and perhaps an address. */
const MOST_BYTES = 19_000;
const BYTES_BESIDE_DATA = 220;
const LONGEST_ADDRESS = 340;

export function createBatching<Slot>(options: {
  readonly batches: boolean;
  /** Then a batch has only what follows one upon another in the log. */
  readonly ordered: boolean;
  readonly hasAddresses: boolean;
}): Batching<Slot> {
  const beside = BYTES_BESIDE_DATA + (options.hasAddresses ? LONGEST_ADDRESS : 0);
  /** Of an ordered endpoint, and of one without batches, all of them stand here. */
  const singles: Waiting<Slot>[] = [];
  const engagement: Waiting<Slot>[] = [];
  const isGathered = ({ event }: Waiting<Slot>) => options.batches && ENGAGEMENT.has(event.type);

  function takeBatch(from: Waiting<Slot>[], nowMs: number): readonly Waiting<Slot>[] | undefined {
    const [first] = from;
    if (!first) return undefined;
    const count = howMany(from);
    const isOld = nowMs - first.readMs >= GATHERED_MS;
    const isReady = count < from.length || count === MOST_IN_A_BATCH || isOld;
    return isReady ? from.splice(0, count) : undefined;
  }

  function howMany(from: readonly Waiting<Slot>[]): number {
    let bytes = 0;
    const end = from.slice(0, MOST_IN_A_BATCH).findIndex((one, at) => {
      bytes += beside + Buffer.byteLength(JSON.stringify(one.event.data));
      return !isGathered(one) || (at > 0 && bytes > MOST_BYTES);
    });
    return end < 0 ? Math.min(from.length, MOST_IN_A_BATCH) : end;
  }

  return {
    add(some) {
      for (const one of some) (isGathered(one) && !options.ordered ? engagement : singles).push(one);
    },
    // A batch goes once no other event is before it. All up to its end is stored with it then, and a crash can't make another of it.
    take(nowMs) {
      const [first] = singles;
      if (!first) return takeBatch(engagement, nowMs);
      return isGathered(first) ? takeBatch(singles, nowMs) : singles.splice(0, 1);
    },
  };
}
