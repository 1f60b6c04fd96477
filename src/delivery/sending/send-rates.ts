/** A sender measures how fast it sends each source; the rate is written and notified at most four times a second. */

import type { Clock } from "../../platform/clock.ts";
import { type Db, prepared, sql } from "../../platform/db/db.ts";

import { notifyProgress } from "../ledger/ledger.ts";

const EVERY_MS = 250;
/** The weight of the last interval in the moving average. */
const WEIGHT = 0.3;

export type SendRates = {
  note(accountId: string, sourceId: string, count: number): void;
  stop(): Promise<void>;
};

type SourceRate = { accountId: string; count: number; sinceMs: number; perSecond: number | undefined };

export function startSendRates(db: Db, clock: Clock, workerId: string): SendRates {
  const rates = new Map<string, SourceRate>();
  let writing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(writeRates, () => undefined);
  }, EVERY_MS);

  async function writeRates(): Promise<void> {
    for (const [sourceId, rate] of rates) {
      const nowMs = clock.monotonicMs();
      if (rate.count === 0) rates.delete(sourceId);
      if (rate.count === 0 || nowMs === rate.sinceMs) continue;
      const fresh = (rate.count * 1_000) / (nowMs - rate.sinceMs);
      rate.perSecond = rate.perSecond === undefined ? fresh : rate.perSecond * (1 - WEIGHT) + fresh * WEIGHT;
      Object.assign(rate, { count: 0, sinceMs: nowMs });
      // A rate that can't be written is no reason to stop, because the next one will do.
      await writeRate(rate.accountId, sourceId, rate.perSecond).catch(() => undefined);
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
      const rate = rates.get(sourceId);
      if (rate) rate.count += count;
      else rates.set(sourceId, { accountId, count, sinceMs: clock.monotonicMs(), perSecond: undefined });
    },
    async stop() {
      clearInterval(timer);
      await writing.catch(() => undefined);
    },
  };
}
