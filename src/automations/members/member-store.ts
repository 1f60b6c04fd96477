/** Statements on the segments that automations watch, and on who is in them. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { ListPlace } from "../../subscribers/subscribers.ts";

export type Watch = {
  readonly id: string;
  readonly automationId: string;
  readonly segmentId: string;
  readonly rulesHash: string;
  readonly isRelative: boolean;
  /** When the last look began that is done; null until the first is, where a process of the release before began it and notes people page by page. */
  readonly lookedAt: Date | null;
  readonly looksUntil: Date | null;
  readonly after: ListPlace | undefined;
  readonly nextAt: Date;
  readonly isEnded: boolean;
};

type Row = Omit<Watch, "after"> & { readonly afterCreatedAt: Date | null; readonly afterId: string | null };

const columns = sql`id, automation_id as "automationId", segment_id as "segmentId", rules_hash as "rulesHash",
  is_relative as "isRelative", looked_at as "lookedAt", looks_until as "looksUntil", after_created_at as "afterCreatedAt",
  after_id as "afterId", next_at as "nextAt", is_ended as "isEnded"`;

function toWatch({ afterCreatedAt, afterId, ...row }: Row): Watch {
  return {
    ...row,
    after: afterCreatedAt && afterId ? { createdAt: afterCreatedAt, id: afterId } : undefined,
  };
}

export async function listWatches(
  db: Queryable,
  accountId: string,
  automationId: string,
): Promise<readonly Watch[]> {
  const rows = await db.many<Row>(sql`
    select ${columns} from automation_segments
    where account_id = ${accountId} and automation_id = ${automationId} and not is_ended order by id`);
  return rows.map(toWatch);
}

/** Takes a watch, unless another process has it. */
export async function lockWatch(tx: Tx, accountId: string, id: string): Promise<Watch | undefined> {
  const row = await tx.maybeOne<Row>(sql`
    select ${columns} from automation_segments where account_id = ${accountId} and id = ${id} for update skip locked`);
  return row && toWatch(row);
}

export async function insertWatch(tx: Tx, accountId: string, watch: Watch): Promise<boolean> {
  const count = await tx.execute(sql`
    insert into automation_segments (account_id, id, automation_id, segment_id, rules_hash, is_relative, looks_until, next_at)
    values (${accountId}, ${watch.id}, ${watch.automationId}, ${watch.segmentId}, ${watch.rulesHash}, ${watch.isRelative},
            ${watch.looksUntil}, ${watch.nextAt})
    on conflict do nothing`);
  return count > 0;
}

export async function moveWatch(tx: Tx, accountId: string, watch: Watch): Promise<void> {
  await tx.execute(sql`
    update automation_segments set looked_at = ${watch.lookedAt}, looks_until = ${watch.looksUntil},
      after_created_at = ${watch.after?.createdAt ?? null}, after_id = ${watch.after?.id ?? null}, next_at = ${watch.nextAt}
    where account_id = ${accountId} and id = ${watch.id}`);
}

export async function endWatch(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`
    update automation_segments set is_ended = true where account_id = ${accountId} and id = ${id}`);
}

export async function endWatches(tx: Tx, accountId: string, automationId: string): Promise<void> {
  await tx.execute(sql`
    update automation_segments set is_ended = true
    where account_id = ${accountId} and automation_id = ${automationId} and not is_ended`);
}

/** Returns those of these people who were in the segment when they were last judged. */
export async function findMembers(
  db: Queryable,
  accountId: string,
  watchId: string,
  subscriberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ subscriber_id: string }>(sql`
    select subscriber_id from automation_segment_members
    where account_id = ${accountId} and watch_id = ${watchId} and subscriber_id = any(${[...subscriberIds]}::uuid[])`);
  return new Set(rows.map((row) => row.subscriber_id));
}

/** The caller holds these people, so that nobody is remembered who is being forgotten. */
export async function addMembers(
  tx: Tx,
  accountId: string,
  watchId: string,
  subscriberIds: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    insert into automation_segment_members (account_id, watch_id, subscriber_id)
    select ${accountId}, ${watchId}, id from unnest(${[...subscriberIds]}::uuid[]) as one (id)
    on conflict do nothing`);
}

export async function removeMembers(
  tx: Tx,
  accountId: string,
  watchId: string,
  subscriberIds: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    delete from automation_segment_members
    where account_id = ${accountId} and watch_id = ${watchId} and subscriber_id = any(${[...subscriberIds]}::uuid[])`);
}

/** Removes some members of a watch that has ended, and the watch with the last of them. Returns whether there may be more. */
export async function removeSomeOf(
  tx: Tx,
  accountId: string,
  watchId: string,
  limit: number,
): Promise<boolean> {
  const removed = await tx.execute(sql`
    delete from automation_segment_members where account_id = ${accountId} and watch_id = ${watchId} and subscriber_id = any(array(
      select subscriber_id from automation_segment_members where account_id = ${accountId} and watch_id = ${watchId}
      order by subscriber_id limit ${limit} for update skip locked))`);
  if (removed > 0) return true;
  await tx.execute(sql`
    delete from automation_segments w where account_id = ${accountId} and id = ${watchId} and is_ended and not exists (
      select from automation_segment_members m where m.account_id = w.account_id and m.watch_id = w.id)`);
  return false;
}
