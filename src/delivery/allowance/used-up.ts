/**
 * Accounts whose mails of a period or a day are used up. Their automations and transactional mail stay where senders find them: so that they cost
 * nothing meanwhile, a sender remembers the account for some seconds, and then looks at one of its sources for all of them.
 */
import type { Clock } from "../../platform/clock.ts";
import type { Listener } from "../../platform/db/listen.ts";
import type { Stream } from "../types.ts";
import { onAllowanceChanged } from "./notifications.ts";
import type { Limits } from "./room-rules.ts";

/** Where a notification got lost, room that appears is found after this time. */
const LOOK_AGAIN_MS = 5_000;
/** What is under way may be given back without a notification, or turn out to have been the last. */
const LOOK_AGAIN_SOON_MS = 1_000;

/** What is used up: the period or the day, or either while somebody still has mails under way. */
export type Gone = "period" | "day" | "soon";

type Source = {
  readonly account_id: string;
  readonly source_id: string;
  readonly stream: Stream;
  readonly is_limited: boolean;
  /** Whether it waits for the next day for another reason, so that a look at it says nothing about the others. */
  readonly waits: boolean;
};
type What = { readonly usedUp: Gone; readonly limits: Limits };
type Known = {
  readonly of: Gone;
  readonly untilMs: number;
  /** When mails come by themselves. */
  readonly resetsAt: Date;
  /** The source that was looked at. The one after it is the next. */
  readonly last: string;
};

export type UsedUp = {
  /** Changes whenever somebody may have more mails. Whoever looks reads it before. */
  version(): number;
  /** Remembers what a look at a source found, unless it may have changed since that began. */
  remember(one: Source, what: What, version: number): void;
  /** Forgets what is known of a source's account and stream, because there was something to lease. */
  forget(one: Source): void;
  /** Holds where nobody has to look at the source now. */
  waits(one: Source): boolean;
  /** Leaves one source, each time another, of those whose account is to be looked at again. */
  oneOfEach<S extends Source>(sources: readonly S[]): S[];
};

export function createUsedUp(
  { clock, listener }: { readonly clock: Clock; readonly listener: Pick<Listener, "listen"> },
  wake: () => void,
): UsedUp {
  /** By account, and by whether it is transactional mail, which may have mails of its own. */
  const known = new Map<string, Known>();
  let version = 0;
  onAllowanceChanged(listener, (accountId) => {
    version += 1;
    if (accountId === undefined) known.clear();
    else for (const isTransactional of [true, false]) known.delete(keyOf(accountId, isTransactional));
    wake();
  });

  /** A campaign is looked at where its period is used up: then it is paused, and says so. */
  function knownOf(one: Source): Known | undefined {
    if (!one.is_limited) return undefined;
    const found = known.get(keyOfSource(one));
    return found?.of === "period" && one.stream === "campaign" ? undefined : found;
  }

  const isOver = ({ untilMs, resetsAt }: Known) => clock.monotonicMs() >= untilMs || clock.now() >= resetsAt;

  return {
    version: () => version,
    remember(one, { usedUp: of, limits }, since) {
      if (since !== version) return;
      for (const [key, other] of known) if (clock.monotonicMs() >= other.untilMs + 60_000) known.delete(key);
      known.set(keyOfSource(one), {
        of,
        untilMs: clock.monotonicMs() + (of === "soon" ? LOOK_AGAIN_SOON_MS : LOOK_AGAIN_MS),
        resetsAt: of !== "period" && limits.day && limits.day.to < limits.to ? limits.day.to : limits.to,
        last: one.source_id,
      });
    },
    forget: (one) => void known.delete(keyOfSource(one)),
    waits(one) {
      const found = knownOf(one);
      return found !== undefined && !isOver(found);
    },
    oneOfEach(sources) {
      const next = new Map<Known, Source>();
      for (const one of sources) {
        const found = knownOf(one);
        if (!found || one.waits) continue;
        const best = next.get(found);
        if (!best || isBefore(one.source_id, best.source_id, found.last)) next.set(found, one);
      }
      return sources.filter((one) => {
        const found = knownOf(one);
        return !found || one.waits || next.get(found) === one;
      });
    },
  };
}

function keyOf(accountId: string, isTransactional: boolean): string {
  return `${accountId} ${isTransactional}`;
}

function keyOfSource({ account_id: accountId, stream }: Source): string {
  return keyOf(accountId, stream === "transactional");
}

/** Holds where `one` comes before `other` in the round that begins after `last`. */
function isBefore(one: string, other: string, last: string): boolean {
  return one > last === other > last ? one < other : one > last;
}
