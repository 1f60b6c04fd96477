/**
 * Deliveries of one endpoint that are stored and wait: those to be tried again, and batches that were never tried. Of an ordered
 * endpoint only the first in the order of the log is ever tried, unless a person wants another one.
 */
import { listEventsById, oldestShown } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { type DeliveryRow, listDue, listWaiting, readNextDue } from "./delivery-store.ts";
import { type Item, isBefore, lostResult, type Result, storedItem } from "./items.ts";

export type RetryQueue = {
  /** Whether something is due that isn't read yet. */
  mustRead(): boolean;
  /**
   * Reads what is due. `underWay` has the ids of what is being posted, or is posted and not written yet: it still waits as far
   * as the database knows. Returns those whose events are gone.
   */
  read(underWay: readonly string[]): Promise<readonly Result[]>;
  /** Takes the one that is tried next; undefined where none is to be for now. */
  take(): Item | undefined;
  /** Whether the next one is to be posted at once, also to an endpoint that is left alone. */
  isUrgent(): boolean;
  /** Whether anything waits at all, due or not. */
  isWaiting(): boolean;
  /** How many were read that were never tried. */
  untried(): number;
  /** Says that something was stored which waits until then. */
  note(at: Date): void;
  /** Says that a person wants this one tried now. */
  hurry(id: string): void;
  /** Says that anything may have changed. */
  recheck(): void;
};

const READ_AT_ONCE = 32;

type Webhook = { readonly account_id: string; readonly id: string; readonly ordered: boolean };
type Waiting = { readonly item: Item; readonly dueMs: number };

export function createRetryQueue(db: Db, clock: Clock, webhook: Webhook): RetryQueue {
  let waiting: Waiting[] = [];
  /** When something is due that isn't among those that were read; undefined where nothing waits. At first nobody knows. */
  let nextMs: number | undefined = 0;
  /** While it reads nobody knows whether something waits. */
  let isReading = false;
  /** Those that a person wants tried now. */
  let urgent: readonly string[] = [];
  let generation = 0;

  function sooner(ms: number): void {
    nextMs = Math.min(nextMs ?? ms, ms);
  }

  const nowMs = () => clock.now().getTime();
  const isUrgent = ({ item }: Waiting) => urgent.includes(item.row.id);

  function list(without: readonly string[], first: readonly string[]): Promise<DeliveryRow[]> {
    const wanted = { most: READ_AT_ONCE, without, first };
    return webhook.ordered ? listWaiting(db, webhook, wanted) : listDue(db, webhook, clock.now(), wanted);
  }

  /** Those that a person wants stay ahead; rows that were written at once have no order of their own. */
  function inOrder(read: readonly Waiting[]): Waiting[] {
    if (!webhook.ordered) return [...read];
    return read.toSorted((one, other) => {
      if (isUrgent(one) !== isUrgent(other)) return isUrgent(one) ? -1 : 1;
      return isBefore(one.item, other.item) ? -1 : 1;
    });
  }

  /** What was read, or is being read, is read again with what may have changed. */
  function readAgain(): void {
    generation++;
    waiting = [];
    nextMs = 0;
  }

  return {
    mustRead: () => waiting.length === 0 && nextMs !== undefined && nextMs <= nowMs(),
    async read(underWay) {
      // What is noted while this reads must not be forgotten, so the time is cleared before and only lowered after.
      nextMs = undefined;
      isReading = true;
      const [wanted, before] = [urgent, generation];
      try {
        const rows = await list(underWay, wanted);
        const ids = rows.flatMap(({ event_ids }) => event_ids);
        const events = await listEventsById(db, webhook.account_id, ids, oldestShown(clock));
        const byId = new Map(events.map((event) => [event.id, event]));
        const read = rows.map((row): Waiting => {
          const kept = row.event_ids.map((id) => byId.get(id)).filter((event) => event !== undefined);
          return { item: storedItem(row, kept), dueMs: row.next_attempt_at?.getTime() ?? 0 };
        });
        const later = await readNextDue(db, webhook, [...underWay, ...rows.map(({ id }) => id)]);
        if (later) sooner(later.getTime());
        if (generation === before) {
          waiting = inOrder(read.filter(({ item }) => item.events.length > 0));
          urgent = wanted.filter((id) => waiting.some(({ item }) => item.row.id === id));
        }
        return read.flatMap(({ item }) => (item.events.length === 0 ? [lostResult(item)] : []));
      } catch (error) {
        nextMs = 0;
        throw error;
      } finally {
        isReading = false;
      }
    },
    take() {
      const [first] = waiting;
      if (!first || (first.dueMs > nowMs() && !isUrgent(first))) return undefined;
      waiting.shift();
      if (urgent.length > 0) urgent = urgent.filter((id) => id !== first.item.row.id);
      return first.item;
    },
    isUrgent: () => waiting[0] !== undefined && isUrgent(waiting[0]),
    isWaiting: () => isReading || waiting.length > 0 || nextMs !== undefined,
    untried: () => waiting.filter(({ item }) => item.row.attempts.length === 0).length,
    note(at) {
      // What failed may stand before those that were read.
      if (webhook.ordered) readAgain();
      else sooner(at.getTime());
    },
    hurry(id) {
      urgent = [...urgent, id];
      readAgain();
    },
    recheck: readAgain,
  };
}
