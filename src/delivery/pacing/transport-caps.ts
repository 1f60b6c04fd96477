/**
 * Senders keep the daily caps of a transport together, as they keep an account's daily limit: each draws the right to send some mails from the
 * rows of the transport's day, one for each mailbox provider and one for all, and gives back what it didn't use. A sender that dies loses what
 * it drew, and none can pass a cap.
 */
import { dayOf } from "../../accounts/accounts.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import {
  ALL_PROVIDERS,
  drawFromDay,
  type GivenBack,
  giveBackToDay,
  openDay,
  type TransportDay,
} from "../warmup/warmup.ts";
import type { SendingRight } from "./sending-right.ts";

/** A transport that has a plan, a limit for all providers together, or both. */
export type CappedTransport = {
  readonly accountId: string;
  readonly transportId: string;
  readonly hasPlan: boolean;
  readonly hasMost: boolean;
};

/** The provider has used up its day, or the transport has, or the transport is gone. */
type NoRight = "provider_used_up" | "transport_used_up";

export type TransportCaps = {
  /** Returns for each of these mails, by its provider, the right to send it, or why there is none today. */
  take(
    transport: CappedTransport,
    isUrgent: boolean,
    providers: readonly string[],
  ): Promise<readonly (SendingRight | NoRight)[]>;
  /** Returns how many mails the provider could be given on this day when rights were last drawn here; undefined where that isn't known. */
  leftOf(transport: CappedTransport, provider: string): number | undefined;
  /** Gives the rights back that nobody needs here now, and writes down what became of the others. */
  giveBack(transport: CappedTransport): Promise<void>;
};

type Pool = TransportDay & {
  readonly provider: string;
  unused: number;
  unusedUrgent: number;
  hard: number;
  deferred: number;
};

const MOST_KNOWN = 10_000;

export function createTransportCaps({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): TransportCaps {
  const pools = new Map<string, Pool>();
  const lefts = createLruCache<number>(MOST_KNOWN);
  const nameOf = ({ transportId, day }: TransportDay, provider: string) =>
    `${transportId} ${day} ${provider}`;

  function poolOf({ accountId, transportId, day }: TransportDay, provider: string): Pool {
    const key = nameOf({ accountId, transportId, day }, provider);
    const known = pools.get(key);
    if (known) return known;
    const of = { accountId, transportId, day, provider };
    const pool: Pool = { ...of, unused: 0, unusedUrgent: 0, hard: 0, deferred: 0 };
    pools.set(key, pool);
    return pool;
  }

  function keep(of: TransportDay, provider: string, isUrgent: boolean, count: number): void {
    if (count > 0) poolOf(of, provider)[isUrgent ? "unusedUrgent" : "unused"] += count;
  }

  /** Takes what this sender drew on that day and didn't use. */
  function reuse(of: TransportDay, provider: string, isUrgent: boolean, wanted: number): number {
    const pool = pools.get(nameOf(of, provider));
    if (!pool) return 0;
    const name = isUrgent ? "unusedUrgent" : "unused";
    const reused = Math.min(wanted, pool[name]);
    pool[name] -= reused;
    return reused;
  }

  /** Opens the day of these providers, whose steps follow from the days before. */
  function open(of: TransportDay, wanted: readonly string[]) {
    return openDay(
      db,
      of,
      wanted.filter((provider) => provider !== ALL_PROVIDERS),
    );
  }

  /** Returns how many may be sent to each: what was wanted, where nothing limits it any more. Returns none where the transport is gone. */
  async function draw(
    of: TransportDay,
    isUrgent: boolean,
    wanted: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, number>> {
    const reused = new Map(
      [...wanted].map(([provider, count]) => [provider, reuse(of, provider, isUrgent, count)]),
    );
    const missing = new Map(
      [...wanted]
        .map(([provider, count]) => [provider, count - (reused.get(provider) ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
    const drawn = missing.size === 0 ? new Map() : await drawMissing(of, isUrgent, missing);
    return new Map([...reused].map(([provider, count]) => [provider, count + (drawn.get(provider) ?? 0)]));
  }

  async function drawMissing(
    of: TransportDay,
    isUrgent: boolean,
    wanted: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, number>> {
    const granted = await drawOpen(of, isUrgent, wanted);
    const unopened = new Map([...wanted].filter(([provider]) => !granted.has(provider)));
    if (unopened.size === 0) return granted;
    const limits = await open(of, [...unopened.keys()]);
    if (!limits) return granted;
    const isLimited = unopened.has(ALL_PROVIDERS) ? limits.hasMost : limits.hasPlan;
    return new Map([...granted, ...(isLimited ? await drawOpen(of, isUrgent, unopened) : unopened)]);
  }

  async function drawOpen(
    of: TransportDay,
    isUrgent: boolean,
    wanted: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, number>> {
    const drawn = await drawFromDay(db, of, { wanted, isUrgent });
    for (const [provider, { left }] of drawn) lefts.set(nameOf(of, provider), left);
    return new Map([...drawn].map(([provider, { granted }]) => [provider, granted]));
  }

  function makeRight(of: TransportDay, names: readonly string[], isUrgent: boolean): SendingRight {
    let isSpent = false;
    const [provider] = names as [string];
    return {
      isValid: () => of.day === dayOf(clock.now()),
      spend() {
        isSpent = true;
      },
      refund() {
        isSpent = false;
      },
      note({ state, bounce, code }) {
        if (bounce === "hard") poolOf(of, provider).hard++;
        else if (state === "deferred" && code !== null) poolOf(of, provider).deferred++;
      },
      end() {
        if (!isSpent) for (const name of names) keep(of, name, isUrgent, 1);
      },
    };
  }

  return {
    async take({ accountId, transportId, hasPlan, hasMost }, isUrgent, providers) {
      const of = { accountId, transportId, day: dayOf(clock.now()) };
      const wanted = countEach(providers);
      const left = new Map(hasPlan && wanted.size > 0 ? await draw(of, isUrgent, wanted) : wanted);
      const most = [...left.values()].reduce((sum, count) => sum + count, 0);
      const whole = new Map([[ALL_PROVIDERS, most]]);
      let leftOfAll =
        hasMost && most > 0 ? ((await draw(of, isUrgent, whole)).get(ALL_PROVIDERS) ?? 0) : most;
      const names = [hasPlan, hasMost];
      const taken = providers.map((provider) => {
        const count = left.get(provider) ?? 0;
        if (count === 0) return "provider_used_up";
        if (leftOfAll === 0) return "transport_used_up";
        left.set(provider, count - 1);
        leftOfAll--;
        return makeRight(
          of,
          [provider, ALL_PROVIDERS].filter((_, at) => names[at]),
          isUrgent,
        );
      });
      if (hasPlan) for (const [provider, count] of left) keep(of, provider, isUrgent, count);
      return taken;
    },
    leftOf: ({ accountId, transportId }, provider) =>
      lefts.get(nameOf({ accountId, transportId, day: dayOf(clock.now()) }, provider)),
    async giveBack({ transportId }) {
      const own = [...pools].filter(([, pool]) => pool.transportId === transportId);
      for (const [key] of own) pools.delete(key);
      const changed = own.map(([, pool]) => pool).filter(isWorthWriting);
      for (const given of Map.groupBy(changed, ({ day }) => day).values()) {
        const [first] = given;
        // Where the answer gets lost it may have been given back, so it isn't tried again: the transport loses a few mails of its day.
        if (first) await giveBackToDay(db, first, given).catch(() => undefined);
      }
    },
  };
}

function isWorthWriting({ unused, unusedUrgent, hard, deferred }: GivenBack): boolean {
  return unused + unusedUrgent + hard + deferred > 0;
}

function countEach(providers: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const provider of providers) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  return counts;
}
