/** Guesses on how many days mail leaves, from the caps of the transport's present day and what its account may send in one. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import { ALL_PROVIDERS, type TransportDay } from "./day-counts.ts";
import { daysToSend } from "./plan-rules.ts";
import { findPlan, planOf } from "./plan-store.ts";

/** `limit` is what the account may send today, and what it has; tomorrow's is taken for the same. */
type Account = {
  readonly limit: { readonly allowed: number; readonly used: number } | undefined;
  readonly mails: number;
};

/** Returns null where nothing limits a day. `mailsOf` says how many are for each provider, and is asked only where that matters. */
export async function estimateDays(
  db: Queryable,
  { accountId, transportId, day, limit, mails }: TransportDay & Account,
  mailsOf: () => Promise<ReadonlyMap<string, number>>,
): Promise<number | null> {
  const row = await findPlan(db, accountId, transportId);
  const transport = await db.maybeOne<{ most: number | null }>(sql`
    select max_per_day as most from transports where account_id = ${accountId} and id = ${transportId}`);
  const most = transport?.most ?? null;
  const own = limit && { perDay: limit.allowed, today: Math.max(0, limit.allowed - limit.used) };
  if (!row && most === null)
    return own ? daysToSend([{ mails, today: mails, cap: undefined }], undefined, own) : null;
  const plan = row && planOf(row);
  const rows = await db.many<{ provider: string; allowed: number; left: number }>(sql`
    select distinct on (d.provider) d.provider, d.allowed,
      d.allowed - case when d.day = ${day}::date then greatest(d.reserved, d.drawn_urgent) + d.drawn - d.drawn_urgent else 0 end as left
    from transport_days d
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day <= ${day}::date
      and (d.provider = ${ALL_PROVIDERS} and d.day = ${day}::date or d.plan_began_at = ${row?.began_at ?? null}::timestamptz)
    order by d.provider, d.day desc`);
  const known = new Map(rows.map((one) => [one.provider, one]));
  const remaining = [...(await mailsOf())].map(([provider, mails]) => {
    const cap = known.get(provider)?.allowed ?? plan?.startPerDay;
    return { mails, today: Math.max(0, known.get(provider)?.left ?? cap ?? 0), cap };
  });
  const all = Number.POSITIVE_INFINITY;
  const today = most === null ? all : Math.max(0, known.get(ALL_PROVIDERS)?.left ?? most);
  return daysToSend(remaining, plan, {
    perDay: Math.min(most ?? all, own?.perDay ?? all),
    today: Math.min(today, own?.today ?? all),
  });
}
