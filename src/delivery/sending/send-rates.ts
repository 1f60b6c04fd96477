/** How fast a worker is at each source, written and told to those who watch some four times a second at most. */

import type { Clock } from "../../platform/clock.ts";
import { type Db, prepared, sql } from "../../platform/db/db.ts";

import { notifyProgress } from "../ledger/ledger.ts";

const EVERY_MS = 250;
/** How much the last moment counts against those before it. */
const WEIGHT = 0.3;

export type SendRates = {
  note(accountId: string, sourceId: string, count: number): void;
  stop(): Promise<void>;
};

type Pace = { accountId: string; count: number; sinceMs: number; perSecond: number | undefined };

export function startSendRates(db: Db, clock: Clock, workerId: string): SendRates {
  const paces = new Map<string, Pace>();
  let ticking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    ticking = ticking.then(tick, () => undefined);
  }, EVERY_MS);

  async function tick(): Promise<void> {
    for (const [sourceId, pace] of paces) {
      const nowMs = clock.monotonicMs();
      if (pace.count === 0) paces.delete(sourceId);
      if (pace.count === 0 || nowMs === pace.sinceMs) continue;
      const fresh = (pace.count * 1_000) / (nowMs - pace.sinceMs);
      pace.perSecond = pace.perSecond === undefined ? fresh : pace.perSecond * (1 - WEIGHT) + fresh * WEIGHT;
      Object.assign(pace, { count: 0, sinceMs: nowMs });
      // A hint that can't be given is no reason to stop: the next one will do.
      await writeRate(pace.accountId, sourceId, pace.perSecond).catch(() => undefined);
    }
  }

  async function writeRate(accountId: string, sourceId: string, perSecond: number): Promise<void> {
    await db.execute(
      prepared(sql`
        insert into rates (account_id, source_id, worker_id, per_second, measured_at)
        values (${accountId}, ${sourceId}, ${workerId}, ${perSecond}, ${clock.now()})
        on conflict (account_id, source_id, worker_id) do update
          set per_second = excluded.per_second, measured_at = excluded.measured_at`),
    );
    await notifyProgress(db, accountId, sourceId);
  }

  return {
    note(accountId, sourceId, count) {
      const pace = paces.get(sourceId);
      if (pace) pace.count += count;
      else paces.set(sourceId, { accountId, count, sinceMs: clock.monotonicMs(), perSecond: undefined });
    },
    async stop() {
      clearInterval(timer);
      await ticking.catch(() => undefined);
    },
  };
}
