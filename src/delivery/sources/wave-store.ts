/** These statements add mails to a wave, close it, and take mails back that haven't left. */
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { isLimited } from "../allowance/allowance.ts";
import { NO_WORKER } from "../ids.ts";
import type { Stream } from "../types.ts";

/** A recipient of one mail in a wave. */
export type WaveRecipient = {
  /** Names the row in the ledger. It is a UUIDv7, and differs between two mails to the same person. */
  readonly id: string;
  /** The hash of the address, by which the contact is found. */
  readonly addressHash: Buffer;
  readonly domain: string;
  /** Whether it gets the mail whatever people have suppressed by hand. */
  readonly isOwed?: boolean;
};

/**
 * Whose mail a wave takes: the account's; the product's own, which leaves also while the account is held; or invitations, which a hold keeps back,
 * since a stranger gets them. The latter two are no usage of the account.
 */
export type WaveOf = "account" | "product" | "invitations";

type WaveName = {
  readonly accountId: string;
  readonly waveId: string;
  readonly transportId: string;
  /** Whether it wasn't there when it was looked for, a moment ago. It is never deleted, so one that was there still is. */
  readonly isNew: boolean;
  readonly of: WaveOf;
  readonly now: Date;
};

/** Says whether a wave is there, and whether its account has an allowance that it is taken from. */
export function lookAtWave(
  db: Queryable,
  accountId: string,
  waveId: string,
): Promise<{ exists: boolean; isLimited: boolean }> {
  return db.one(
    prepared(sql`
      select exists (select from sources where account_id = ${accountId} and id = ${waveId}) as exists,
        ${isLimited(sql`${accountId}::uuid`)} as "isLimited"`),
  );
}

/**
 * Sends all statements that add mails, and waits for none. One of them fails the transaction where the wave is closed. Each
 * mail is a batch, which a sender leases together with others. A paused wave becomes runnable when it is revived.
 */
export function sendToWave(tx: Tx, wave: WaveName, mails: readonly (readonly WaveRecipient[])[]): void {
  const { accountId, waveId, transportId, now } = wave;
  if (wave.isNew) sendNewWave(tx, wave);
  tx.send(prepared(sql`select hold_wave(${accountId}, ${waveId})`));
  const recipients = mails.flatMap((mail, nth) => mail.map((one) => ({ ...one, nth })));
  tx.send(
    prepared(sql`
      with given as materialized (
        select * from unnest(
          ${recipients.map(({ id }) => id)}::uuid[], ${recipients.map(({ addressHash }) => addressHash)}::bytea[],
          ${recipients.map(({ domain }) => `@${domain}`)}::text[], ${recipients.map(({ nth }) => nth)}::int[],
          ${recipients.map(({ isOwed }) => isOwed ?? null)}::boolean[]
        ) as one (id, hash, domain, nth, is_owed)
      ), written as (
        insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, changed_at, planned_at)
        select ${accountId}, ${waveId}, id, 'transactional', ${transportId}, 'ready', ${now}, ${now} from given
      ), kept as (
        insert into given_recipients (account_id, source_id, contact_id, person_id, email, email_key, "values", is_owed)
        select ${accountId}, ${waveId}, g.id, (
            select c.id from contacts c where c.account_id = ${accountId} and c.address_hash = g.hash),
          g.domain, g.domain, '{}', g.is_owed from given g
      ), batched as (
        insert into batches (account_id, source_id, stream, transport_id, contacts)
        select ${accountId}, ${waveId}, 'transactional', ${transportId}, array_agg(id) from given group by nth order by nth
      )
      insert into runnable (account_id, source_id, stream, transport_id)
      select account_id, id, stream, transport_id from sources
      where account_id = ${accountId} and id = ${waveId} and state = 'running'
      on conflict do nothing`),
  );
}

function sendNewWave(tx: Tx, { accountId, waveId, transportId, of, now }: WaveName): void {
  tx.send(
    prepared(sql`
      with opened as (
        insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, is_given, on_ambiguous,
                             launched_at, goes_while_held, is_metered)
        values (${accountId}, ${waveId}, ${accountId}, 'transactional', ${transportId}, 'running', ${waveId}, true, 'resend',
                ${now}, ${of === "product"}, ${of === "account"})
        on conflict (account_id, id) do nothing
      )
      insert into plans (account_id, source_id, bound_at, estimate) values (${accountId}, ${waveId}, ${now}, 0)
      on conflict (account_id, source_id) do nothing`),
  );
}

/** Waits for all who are adding to the wave, counts its recipients, and lets nobody add any more. */
export async function closeWavePlan(tx: Tx, accountId: string, waveId: string, now: Date): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${waveLock(waveId)})`);
  await tx.execute(sql`
    update plans set ended_at = ${now}, recipients = counted.all, eligible = counted.all
    from (select count(*) as all from deliveries where account_id = ${accountId} and source_id = ${waveId}) as counted
    where account_id = ${accountId} and source_id = ${waveId} and ended_at is null`);
}

/** Returns false while somebody is adding to the wave. */
export async function lockWaveAlone(tx: Tx, waveId: string): Promise<boolean> {
  const { locked } = await tx.one<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${waveLock(waveId)}) as locked`,
  );
  return locked;
}

function waveLock(waveId: string) {
  return sql`hashtextextended(${waveId}::text, 0)`;
}

/**
 * Skips the rows of one mail as canceled, if none of them has left. Returns false, and changes nothing, where one is on the
 * wire, or was sent, or may have been. The rows are locked in the order of their ids, as senders lock them.
 */
export async function cancelInWave(
  tx: Tx,
  accountId: string,
  waveId: string,
  ids: readonly string[],
  now: Date,
): Promise<boolean> {
  const rows = await tx.many<{ state: string }>(sql`
    select state from deliveries
    where account_id = ${accountId} and source_id = ${waveId} and contact_id = any(${[...ids]}::uuid[])
    order by contact_id for update`);
  const isOpen = ({ state }: { state: string }) => state === "ready" || state === "deferred";
  if (!rows.some(isOpen) || rows.some((row) => !isOpen(row) && row.state !== "skipped")) return false;
  if (await mayHaveLeft(tx, accountId, waveId, ids)) return false;
  await skipOpen(
    tx,
    accountId,
    ids.map((contactId) => ({ sourceId: waveId, contactId })),
    now,
  );
  return true;
}

/** A row of the ledger. */
type MailOfWave = { readonly sourceId: string; readonly contactId: string };

/**
 * Skips those of these mails as canceled that wait and haven't left, each for itself. Whatever a sender has, or may have sent, goes its way; nobody is waited for.
 * Returns how many won't leave.
 */
export async function withdrawFromWaves(
  tx: Tx,
  accountId: string,
  mails: readonly MailOfWave[],
  now: Date,
): Promise<number> {
  if (mails.length === 0) return 0;
  const open = await tx.many<MailOfWave>(sql`
    select d.source_id as "sourceId", d.contact_id as "contactId"
    from (${inOrder(mails)}) as mail cross join lateral (
      select source_id, contact_id, state from deliveries
      where account_id = ${accountId} and source_id = mail.source_id and contact_id = mail.contact_id
      offset 0 for update skip locked) as d
    where d.state in ('ready', 'deferred') and not exists (
      select from delivery_errors e where e.account_id = ${accountId} and e.source_id = d.source_id and e.state = 'deferred'
        and e.contact_id = d.contact_id and e.why = 'ambiguous')`);
  if (open.length > 0) await skipOpen(tx, accountId, open, now);
  return open.length;
}

/** Everybody locks rows of the ledger in this order. */
function inOrder(mails: readonly MailOfWave[]): Sql {
  return sql`
    select distinct source_id, contact_id
    from unnest(${mails.map(({ sourceId }) => sourceId)}::uuid[], ${mails.map(({ contactId }) => contactId)}::uuid[]) as one (source_id, contact_id)
    order by source_id, contact_id`;
}

/** The caller has locked them. */
async function skipOpen(tx: Tx, accountId: string, mails: readonly MailOfWave[], now: Date): Promise<void> {
  await tx.execute(sql`
    with canceled as (
      update deliveries d set state = 'skipped', why = 'canceled', changed_at = ${now}
      from (${inOrder(mails)}) as mail
      where d.account_id = ${accountId} and d.source_id = mail.source_id and d.contact_id = mail.contact_id
        and d.state in ('ready', 'deferred')
      returning d.source_id, d.contact_id, d.attempt
    ), unqueued as (
      delete from retries r using canceled
      where r.account_id = ${accountId} and r.source_id = canceled.source_id and r.contact_id = canceled.contact_id
    ), noted as (
      insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
      select ${accountId}::uuid, source_id, 'skipped', contact_id, attempt, 'canceled', ${now}::timestamptz from canceled
    )
    insert into counters as known (account_id, source_id, worker_id, what, count)
    select ${accountId}::uuid, source_id, ${NO_WORKER}::uuid, 'skipped.canceled', count(*) from canceled
    group by source_id order by source_id
    on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count`);
}

/** A row that waits for another attempt may have been sent by an earlier one, whose server never said so. */
async function mayHaveLeft(
  tx: Tx,
  accountId: string,
  waveId: string,
  ids: readonly string[],
): Promise<boolean> {
  const { found } = await tx.one<{ found: boolean }>(sql`
    select exists (
      select from delivery_errors where account_id = ${accountId} and source_id = ${waveId} and state = 'deferred'
        and contact_id = any(${[...ids]}::uuid[]) and why = 'ambiguous') as found`);
  return found;
}

/**
 * Returns the stream and the transport of a wave that delivery paused or failed, which stays as it is until the transaction ends. One that its
 * owner paused isn't among them.
 */
export function readStoppedWave(
  tx: Tx,
  accountId: string,
  waveId: string,
): Promise<{ readonly stream: Stream; readonly transportId: string } | undefined> {
  return tx.maybeOne(sql`
    select stream, transport_id as "transportId" from sources
    where account_id = ${accountId} and id = ${waveId} and state in ('paused', 'failed') and reason is distinct from 'requested'
    for update`);
}

/** Sets a wave that delivery paused or failed running again, with its rows. Returns false where it is neither. */
export async function runAgain(
  tx: Tx,
  accountId: string,
  waveId: string,
  transportId: string,
): Promise<boolean> {
  const moved = await tx.execute(sql`
    update sources set state = 'running', reason = null, ended_at = null, transport_id = ${transportId}, refused_by = '{}'
    where account_id = ${accountId} and id = ${waveId} and state in ('paused', 'failed')`);
  if (moved === 0) return false;
  await tx.execute(sql`
    update batches set transport_id = ${transportId}
    where account_id = ${accountId} and source_id = ${waveId} and transport_id <> ${transportId}`);
  return true;
}

/**
 * Deletes recipients of a mail, so that what isn't sent to them never is. Returns whether others are still to get the mail,
 * whose recipients have ids between its own and the next.
 */
export async function forgetInWave(
  tx: Tx,
  accountId: string,
  waveId: string,
  ids: readonly string[],
  mail: { readonly from: string; readonly upto: string },
): Promise<boolean> {
  await tx.execute(sql`
    delete from given_recipients
    where account_id = ${accountId} and source_id = ${waveId} and contact_id = any(${[...ids]}::uuid[])`);
  const { found } = await tx.one<{ found: boolean }>(sql`
    select exists (
      select from deliveries join given_recipients using (account_id, source_id, contact_id)
      where account_id = ${accountId} and source_id = ${waveId}
        and contact_id between ${mail.from} and ${mail.upto} and contact_id <> all(${[...ids]}::uuid[])
        and state in ('ready', 'inflight', 'deferred')) as found`);
  return found;
}
