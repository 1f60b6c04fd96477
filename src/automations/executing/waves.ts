/**
 * A wave is the source that takes the mail of an e-mail step for a day. A person who is in it already goes into a new one, since the ledger has
 * one row for a contact of a source.
 */
import { addRecipients, closeSource, openSource } from "../../delivery/delivery.ts";
import type { TxCtx } from "../../platform/context.ts";
import { prepared, type Queryable, sql } from "../../platform/db/db.ts";
import { aheadOf } from "../runs/runs.ts";
import { automationOwner } from "./owner.ts";

const OPEN_MS = 24 * 3_600_000;
const SET_BACK_MS = 3_600_000;

export type Mailing = {
  readonly automationId: string;
  readonly listId: string;
  readonly node: string;
  readonly revisionId: string;
  readonly topicId: string | null;
  readonly hasInstanceServer: boolean;
  readonly isSandbox: boolean | null;
};

type Person = { readonly contactId: string; readonly subscriberId: string };

/** Writes a row of the ledger for each, in this transaction, and returns the source of each row in the same order. */
export async function queueMail(
  ctx: TxCtx,
  mailing: Mailing,
  people: readonly Person[],
): Promise<readonly string[]> {
  const sources: string[] = people.map(() => "");
  let left = people.map((person, at) => ({ ...person, at }));
  let waveId = await findOpenWave(ctx, mailing);
  while (left.length > 0) {
    waveId ??= await openWave(ctx, mailing);
    const once = [...new Map(left.map((one) => [one.contactId, one])).values()];
    const added = await addTo(ctx, waveId, once);
    for (const { at, contactId } of once) if (added.has(contactId)) sources[at] = waveId;
    left = left.filter(({ at }) => sources[at] === "");
    waveId = undefined;
  }
  return sources;
}

/** Returns who was not in the wave before: nobody where it was closed or canceled meanwhile; then it is left alone from now on. */
async function addTo(ctx: TxCtx, waveId: string, people: readonly Person[]): Promise<ReadonlySet<string>> {
  const recipients = people.map(({ contactId, subscriberId }) => ({ contactId, subscriberId }));
  const added = await addRecipients(ctx, automationOwner, waveId, recipients);
  if (added.kind === "added") return added.contacts;
  await ctx.sql.execute(sql`
    update automation_waves set closed_at = ${ctx.clock.now()} where account_id = ${ctx.accountId} and source_id = ${waveId}`);
  return new Set();
}

async function findOpenWave(
  { sql: db, accountId, clock }: TxCtx,
  { automationId, node, revisionId }: Mailing,
): Promise<string | undefined> {
  const since = new Date(clock.now().getTime() - OPEN_MS);
  const found = await db.maybeOne<{ source_id: string }>(
    prepared(sql`
      select source_id from automation_waves
      where account_id = ${accountId} and automation_id = ${automationId} and node = ${node} and revision_id = ${revisionId}
        and opened_at > ${since} and opened_at <= ${aheadOf(clock)} and closed_at is null
      order by opened_at desc, source_id desc limit 1`),
  );
  return found?.source_id;
}

async function openWave(ctx: TxCtx, mailing: Mailing): Promise<string> {
  const { automationId, listId, node, revisionId, topicId, hasInstanceServer, isSandbox } = mailing;
  const id = await openSource(ctx, {
    ownerId: automationId,
    stream: "automation",
    revisionId,
    listId,
    topicId,
    onAmbiguous: "resend",
    hasInstanceServer,
    step: node,
    ...(isSandbox !== null && { isSandbox }),
  });
  await ctx.sql.execute(sql`
    insert into automation_waves (account_id, source_id, automation_id, node, revision_id, opened_at)
    values (${ctx.accountId}, ${id}, ${automationId}, ${node}, ${revisionId}, ${ctx.clock.now()})`);
  return id;
}

/** Where a look through open waves has come to. */
export type WavePlace = { readonly accountId: string; readonly sourceId: string; readonly openedAt: Date };

/** The next waves whose day is over, of all accounts, by automation_waves_open; and those that were opened before the clock was set back. */
export function findOldWaves(
  db: Queryable,
  now: Date,
  after: WavePlace | undefined,
  limit: number,
): Promise<WavePlace[]> {
  const { openedAt, accountId, sourceId } = after ?? {};
  const isNext = after
    ? sql`and (opened_at, account_id, source_id) > (${openedAt}::timestamptz, ${accountId}::uuid, ${sourceId}::uuid)`
    : sql``;
  return db.many<WavePlace>(
    prepared(sql`
    select account_id as "accountId", source_id as "sourceId", opened_at as "openedAt" from automation_waves
    where closed_at is null and (opened_at <= ${new Date(now.getTime() - OPEN_MS)} or opened_at > ${new Date(now.getTime() + SET_BACK_MS)}) ${isNext}
    order by opened_at, account_id, source_id limit ${limit}`),
  );
}

/** Closes those of one automation, before it is deleted with what is known of its waves: nothing would close their sources later. */
export async function closeWavesOf(ctx: TxCtx, automationId: string): Promise<void> {
  const open = await ctx.sql.many<{ source_id: string }>(sql`
    select source_id from automation_waves
    where account_id = ${ctx.accountId} and automation_id = ${automationId} and closed_at is null order by source_id`);
  for (const { source_id: sourceId } of open) await closeWave(ctx, sourceId);
}

/** A sender ends the source once every message of it is settled. */
export async function closeWave(ctx: TxCtx, sourceId: string): Promise<void> {
  const closed = await ctx.sql.execute(sql`
    update automation_waves set closed_at = ${ctx.clock.now()}
    where account_id = ${ctx.accountId} and source_id = ${sourceId} and closed_at is null`);
  if (closed === 1) await closeSource(ctx, sourceId);
}
