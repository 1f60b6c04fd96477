/** All senders keep a transport's rate together: each reserves a short time ahead of now in the transport's one row. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, prepared, sql } from "../../platform/db/db.ts";

export type Rate = {
  /** Takes the right to send one message, and returns false where none is left. */
  take(): boolean;
  /**
   * Reserves more time, and resolves when messages may be sent in it. It never rejects: without the database nothing is sent
   * anyway.
   */
  draw(): Promise<void>;
};

/** Each draw covers this much time; a sender that dies loses no more than this. */
const DRAWN_SECONDS = 0.25;
/** What was drawn and isn't used within this time is void, because it would be sent beside what others draw later. */
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
 * Returns in how many ms the reserved time begins, or undefined when others have reserved the near future. Only the
 * database's clock counts; where that was set back, what was reserved by the old time is void.
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
