/** These statements move sources from one transport to another. They are set-based, and running them again changes nothing. */
import { sql, type Tx } from "../../platform/db/db.ts";
import { addJobs } from "../../platform/jobs/jobs.ts";
import { bringForwardKind } from "../job-kinds.ts";
import type { Stream } from "../types.ts";

/** Lets one at a time move an account's sources, so that two who put out two transports don't wait for each other. */
export async function lockMoves(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`failover ${accountId}`}, 0))`);
}

/** Which sources are moved: all that leave by a transport, or one of them, which its server may have refused. */
export type Leaving = { readonly transportId: string } & (
  | { readonly sourceId?: never; readonly isRefused?: never }
  | { readonly sourceId: string; readonly isRefused: boolean }
);

/** Says whether a source leaves by another transport than that. */
export async function hasMoved(
  tx: Tx,
  accountId: string,
  sourceId: string,
  transportId: string,
): Promise<boolean> {
  const found = await tx.maybeOne(sql`
    select from sources where account_id = ${accountId} and id = ${sourceId} and transport_id <> ${transportId}`);
  return found !== undefined;
}

const TAKEN_LATELY_SECONDS = 5;

/** Says whether any sender had a mail answered by this transport a moment ago: its rate says so. The index is sources_by_transport. */
export async function takesMail(tx: Tx, accountId: string, transportId: string, now: Date): Promise<boolean> {
  const found = await tx.maybeOne(sql`
    select from sources s join rates r on r.account_id = s.account_id and r.source_id = s.id
    where s.account_id = ${accountId} and s.transport_id = ${transportId} and s.state = 'running'
      and r.measured_at > ${now}::timestamptz - make_interval(secs => ${TAKEN_LATELY_SECONDS}::int) limit 1`);
  return found !== undefined;
}

/** Returns the streams of the sources that would leave by the transport. The index is sources_by_transport. */
export async function listStreamsBy(
  tx: Tx,
  accountId: string,
  { transportId, sourceId }: Leaving,
): Promise<Stream[]> {
  const rows = await tx.many<{ stream: Stream }>(sql`
    select distinct stream from sources
    where account_id = ${accountId} and transport_id = ${transportId} and state in ('running', 'paused')
      ${sourceId ? sql`and id = ${sourceId}` : sql``}`);
  return rows.map(({ stream }) => stream);
}

/** Notes that a source's own mail was refused by the server, which stays in for others, so that it never moves back there by itself. */
export async function noteRefusedBy(
  tx: Tx,
  accountId: string,
  { transportId, sourceId }: Extract<Leaving, { readonly sourceId: string }>,
): Promise<void> {
  await tx.execute(sql`
    update sources set refused_by = array_append(refused_by, ${transportId}::uuid)
    where account_id = ${accountId} and id = ${sourceId} and transport_id = ${transportId} and ${transportId}::uuid <> all(refused_by)`);
}

/**
 * Moves the sources of one stream, each to the first of the transports that hasn't refused it, and returns them. One that was refused by all
 * of them stays. Batches that are leased stay as they are: their senders see that the source
 * has moved, and give back what they haven't begun. A provider that is closed for the one needn't be closed for the other.
 */
export async function moveStream(
  tx: Tx,
  accountId: string,
  { transportId, sourceId }: Leaving,
  stream: Stream,
  to: readonly string[],
  now: Date,
): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`
    with leaving as materialized (
      select id, (
        select next.id from unnest(${[...to]}::uuid[]) with ordinality as next (id, place)
        where next.id <> all(refused_by) order by place limit 1) as next_id
      from sources
      where account_id = ${accountId} and transport_id = ${transportId} and state in ('running', 'paused')
        and stream = ${stream} ${sourceId ? sql`and id = ${sourceId}` : sql``}
      order by id for no key update
    )
    update sources src set transport_id = leaving.next_id
    from leaving where src.account_id = ${accountId} and src.id = leaving.id and leaving.next_id is not null returning src.id`);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  await tx.execute(sql`
    update runnable r set transport_id = src.transport_id from sources src
    where r.account_id = ${accountId} and r.source_id = any(${ids}::uuid[])
      and src.account_id = ${accountId} and src.id = r.source_id`);
  await tx.execute(sql`
    update batches b set transport_id = src.transport_id, not_before = case when b.provider is null then b.not_before end
    from sources src
    where b.account_id = ${accountId} and b.source_id = any(${ids}::uuid[]) and b.worker_id is null
      and src.account_id = ${accountId} and src.id = b.source_id and b.transport_id <> src.transport_id`);
  await addBringingForward(tx, accountId, ids, now);
  return ids;
}

/** Rows that were put off may be a million, so a job for each source that has some brings them forward. */
async function addBringingForward(
  tx: Tx,
  accountId: string,
  sources: readonly string[],
  now: Date,
): Promise<void> {
  const waiting = await tx.many<{ id: string }>(sql`
    select id from unnest(${[...sources]}::uuid[]) as one (id)
    where exists (select from retries r
                  where r.account_id = ${accountId} and r.source_id = one.id and not r.claimed and r.due_at > ${now})`);
  const moved = waiting.map(({ id }) => ({
    account_id: accountId,
    source_id: id,
    moved_at: now.toISOString(),
  }));
  if (moved.length > 0) await addJobs(tx, bringForwardKind, moved);
}
