/** All statements of complaint rates that were entered. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { Provider } from "./schema.ts";

export type RateRow = {
  provider: Provider;
  /** As `YYYY-MM-DD`. */
  day: string;
  rate: number;
  created_at: Date;
  updated_at: Date;
};

const columns = sql`provider, to_char(day, 'YYYY-MM-DD') as day, rate, created_at, updated_at`;

export function putRate(
  tx: Tx,
  accountId: string,
  { provider, day, rate }: Pick<RateRow, "provider" | "day" | "rate">,
  at: Date,
): Promise<RateRow> {
  return tx.one<RateRow>(sql`
    insert into complaint_rates (account_id, provider, day, rate, created_at, updated_at)
    values (${accountId}, ${provider}, ${day}::date, ${rate}, ${at}, ${at})
    on conflict (account_id, provider, day) do update set rate = excluded.rate, updated_at = excluded.updated_at
    returning ${columns}`);
}

/** Newest first. There are at most four for each day. */
export function listRates(db: Queryable, accountId: string, since: Date): Promise<RateRow[]> {
  return db.many<RateRow>(sql`
    select ${columns} from complaint_rates
    where account_id = ${accountId} and provider = any('{gmail,yahoo,microsoft,apple}') and day >= (${since} at time zone 'UTC')::date
    order by complaint_rates.day desc, provider`);
}
