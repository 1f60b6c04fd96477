/** A transport's rate, which all senders keep together: each draws a little of the future from its one row. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, prepared, sql } from "../../platform/db/db.ts";

export type Rate = {
  /** One message's worth, if some is left. */
  take(): boolean;
  /** Returns when there may be some again. Never throws: without the database nothing is sent anyway. */
  draw(): Promise<void>;
};

/** Drawn at a time: what a sender that dies takes along is no more than this. */
const DRAWN_SECONDS = 0.25;
/** What isn't used soon is no longer of this moment. */
const GOOD_FOR_MS = 1_000;
const ASK_AGAIN_MS = 100;

export type RatedTransport = {
  readonly accountId: string;
  readonly transportId: string;
  readonly perSecond: number;
};

export function createRate(db: Db, transport: RatedTransport, monotonicMs: () => number): Rate {
  const messages = Math.max(1, Math.floor(transport.perSecond * DRAWN_SECONDS));
  const seconds = messages / transport.perSecond;
  let left = 0;
  let drawnMs = Number.NEGATIVE_INFINITY;

  return {
    take() {
      if (left === 0 || monotonicMs() - drawnMs > GOOD_FOR_MS) return false;
      left--;
      return true;
    },
    async draw() {
      const waitMs = await drawFrom(db, transport, seconds).catch(() => undefined);
      await sleep(waitMs ?? ASK_AGAIN_MS);
      if (waitMs === undefined) return;
      left = messages;
      drawnMs = monotonicMs();
    },
  };
}

/**
 * In how many ms the stretch begins that was drawn; undefined when others have drawn all of the near future. By the
 * database's clock alone; where that was set back, what was drawn by the old time is void.
 */
async function drawFrom(
  db: Db,
  { accountId, transportId }: Omit<RatedTransport, "perSecond">,
  seconds: number,
): Promise<number | undefined> {
  const drawn = await db.maybeOne<{ waitMs: number }>(
    prepared(sql`
      insert into transport_rates as known (account_id, transport_id, drawn_until)
      values (${accountId}, ${transportId}, clock_timestamp() + make_interval(secs => ${seconds}::float8))
      on conflict (account_id, transport_id) do update set
        drawn_until = make_interval(secs => ${seconds}::float8) + case
          when known.drawn_until > clock_timestamp() + make_interval(secs => 1 + 2 * ${seconds}::float8) then clock_timestamp()
          else greatest(known.drawn_until, clock_timestamp()) end
        where known.drawn_until <= clock_timestamp() + make_interval(secs => ${DRAWN_SECONDS}::float8)
          or known.drawn_until > clock_timestamp() + make_interval(secs => 1 + 2 * ${seconds}::float8)
      returning 1000 * greatest(0, extract(epoch from known.drawn_until - clock_timestamp())::float8 - ${seconds}::float8) as "waitMs"`),
  );
  return drawn?.waitMs;
}
