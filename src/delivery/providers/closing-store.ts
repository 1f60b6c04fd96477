/** All statements about closings. The nil id in place of an account stands for all that leave by the instance's server. */
import { prepared, type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { notify } from "../../platform/db/listen.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import type { Closed } from "./closing-rules.ts";
import { REPLY_REASONS } from "./reply-table.ts";

/** What a closing holds for. */
export type ClosingKey = {
  /** INSTANCE_TRANSPORT where it holds for every account that leaves by the instance's server. */
  readonly accountId: string;
  readonly transportId: string;
  readonly provider: string;
  /** The domain in From; "" where it holds for all. */
  readonly fromDomain: string;
};

/** A client may know them by name, so a name never changes. */
export const CLOSING_REASONS = [...REPLY_REASONS, "refusals"] as const;
export type ClosingReason = (typeof CLOSING_REASONS)[number];
export type ToldBy = "session" | "report" | "refusals";

export type Closing = ClosingKey &
  Closed & {
    readonly reason: ClosingReason;
    readonly reply: string | null;
    readonly toldBy: ToldBy;
    /** The account whose mail met it, and which is told. */
    readonly metBy: string;
    readonly takenAt: Date | null;
  };

const CHANGED = "provider_closings";

export { CHANGED as CLOSINGS_CHANGED };

const columns = sql`account_id as "accountId", transport_id as "transportId", provider, from_domain as "fromDomain", closed_at as "closedAt",
  until, times, reason, reply, told_by as "toldBy", met_by as "metBy", taken_at as "takenAt"`;

const is = ({ accountId, transportId, provider, fromDomain }: ClosingKey) => sql`
  account_id = ${accountId} and transport_id = ${transportId} and provider = ${provider} and from_domain = ${fromDomain}`;

/** Reads the closings of these accounts, and those of the instance's server: those that were not over then, or have taken nothing since. */
export function readRecent(
  db: Queryable,
  accountIds: readonly string[],
  since: Date,
): Promise<readonly Closing[]> {
  return db.many<Closing>(
    prepared(sql`
      select ${columns} from provider_closings
      where account_id = any(${[...accountIds, INSTANCE_TRANSPORT]}::uuid[]) and (until > ${since} or taken_at is null)`),
  );
}

/** Locks the closing of this key, where there is one. Of two that close it first, the second waits for the row of the other. */
export async function lockClosing(
  tx: Tx,
  key: ClosingKey,
  metBy: string,
  now: Date,
): Promise<Closing | undefined> {
  const { accountId, transportId, provider, fromDomain } = key;
  await tx.execute(sql`
    insert into provider_closings (account_id, transport_id, provider, from_domain, closed_at, until, times, reason, told_by, met_by)
    values (${accountId}, ${transportId}, ${provider}, ${fromDomain}, ${now}, ${now}, 0, '', 'session', ${metBy})
    on conflict do nothing`);
  const known = await tx.one<Closing>(
    sql`select ${columns} from provider_closings where ${is(key)} for update`,
  );
  return known.times === 0 && known.closedAt.getTime() === known.until.getTime() ? undefined : known;
}

/** Writes a closing whose row is locked, and tells senders of it once it is committed. */
export async function writeClosing(tx: Tx, closing: Closing): Promise<void> {
  const { closedAt, until, times, reason, reply, toldBy } = closing;
  await tx.execute(sql`
    update provider_closings set closed_at = ${closedAt}, until = ${until}, times = ${times}, reason = ${reason}, reply = ${reply},
      told_by = ${toldBy}, met_by = ${closing.metBy}, placed = 0, taken_at = null
    where ${is(closing)}`);
  await notify(tx, CHANGED);
}

/** Takes so many places in the row of those that are sent after the opening, none before `least`, and returns the first. */
export async function drawPlaces(
  db: Writable,
  key: ClosingKey,
  { count, least }: { readonly count: number; readonly least: number },
): Promise<number> {
  const drawn = await db.maybeOne<{ first: number }>(
    prepared(sql`
      update provider_closings set placed = greatest(placed, ${least}::bigint) + ${count}::bigint where ${is(key)}
      returning placed - ${count}::bigint as first`),
  );
  return drawn?.first ?? least;
}

/** Notes that the provider took mail again after it had opened. Returns false where that was known, or it closed again. */
export async function writeTaken(tx: Tx, key: ClosingKey, closedAt: Date, now: Date): Promise<boolean> {
  const written = await tx.execute(sql`
    update provider_closings set taken_at = ${now} where ${is(key)} and closed_at = ${closedAt} and taken_at is null`);
  return written === 1;
}

/** Opens what is closed for a transport and a provider now, and returns what that was. */
export async function openByHand(
  tx: Tx,
  { accountId, transportId, provider }: Omit<ClosingKey, "fromDomain">,
  now: Date,
): Promise<readonly Closing[]> {
  const closed = await tx.many<Closing>(sql`
    select ${columns} from provider_closings
    where account_id = ${accountId} and transport_id = ${transportId} and provider = ${provider} and until > ${now} for update`);
  if (closed.length === 0) return [];
  await tx.execute(sql`
    update provider_closings set until = ${now}, times = 0
    where account_id = ${accountId} and transport_id = ${transportId} and provider = ${provider} and until > ${now}`);
  await notify(tx, CHANGED);
  return closed;
}

/** Lists what is closed now for an account on these transports, what opens last first. */
export function listClosed(
  db: Queryable,
  accountId: string,
  transportIds: readonly string[],
  now: Date,
): Promise<readonly Closing[]> {
  return db.many<Closing>(sql`
    select ${columns} from provider_closings
    where account_id in (${accountId}, ${INSTANCE_TRANSPORT}) and transport_id = any(${[...transportIds]}::uuid[]) and until > ${now}
    order by until desc, provider, from_domain`);
}

/** The index provider_closings_by_end serves it, over all accounts. */
export async function removeEnded(db: Writable, before: Date): Promise<readonly Closing[]> {
  return db.many<Closing>(sql`delete from provider_closings where until < ${before} returning ${columns}`);
}
