/** All SQL of the orders is in this file: which transports a stream has, the one by which its mail leaves first. */
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import type { Stream } from "../types.ts";

/** A transport in the order of a stream. */
export type StreamTransport = {
  stream: Stream;
  /** `INSTANCE_TRANSPORT` for the instance's server, of which nothing else is known here. */
  id: string;
  host: string | undefined;
  rate_per_second: number | null;
  sizeLimit: number | null;
  isOut: boolean;
};

/** Lists the orders of all streams, each in its order. The primary key of transport_streams serves it. */
export async function listStreamTransports(db: Queryable, accountId: string): Promise<StreamTransport[]> {
  const rows = await db.many<Omit<StreamTransport, "host"> & { host: string | null }>(
    prepared(sql`
      select s.stream, coalesce(s.transport_id, ${INSTANCE_TRANSPORT}::uuid) as id, t.host, t.rate_per_second,
             t.size_limit as "sizeLimit", t.out_since is not null as "isOut"
      from transport_streams s left join transports t on t.account_id = s.account_id and t.id = s.transport_id
      where s.account_id = ${accountId} order by s.stream, s.place`),
  );
  return rows.map((row) => ({ ...row, host: row.host ?? undefined }));
}

/** Does the same, and keeps the transports from being deleted, edited or put out until the caller's transaction ends. */
export async function holdStreamTransports(tx: Queryable, accountId: string): Promise<StreamTransport[]> {
  await tx.many(sql`
    select from transports where account_id = ${accountId} and id in (
      select transport_id from transport_streams where account_id = ${accountId})
    order by id for share`);
  return listStreamTransports(tx, accountId);
}

/** Keeps two changes of an account's orders from running at once. */
export async function lockOrders(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
}

/** Replaces the order of a stream; the orders must be locked. An empty one leaves the stream without transports of its own. */
export async function replaceOrder(
  tx: Tx,
  accountId: string,
  stream: Stream,
  ids: readonly string[],
): Promise<void> {
  await tx.execute(sql`delete from transport_streams where account_id = ${accountId} and stream = ${stream}`);
  await tx.execute(sql`
    insert into transport_streams (account_id, stream, place, transport_id)
    select ${accountId}, ${stream}, place - 1, nullif(id, ${INSTANCE_TRANSPORT})
    from unnest(${[...ids]}::uuid[]) with ordinality as one (id, place)`);
}

/** Returns those of the transports that the account has, and keeps them from being deleted until the transaction ends. */
export async function holdTransports(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.many<{ id: string }>(sql`
    select id from transports where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) order by id for key share`);
  return new Set(rows.map(({ id }) => id));
}
