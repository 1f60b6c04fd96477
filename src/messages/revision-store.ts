/** Revisions: frozen content. The same content of an account keeps its id, which is found by a digest of the content. */
import { createHash } from "node:crypto";
import type { Clock } from "../platform/clock.ts";
import { type Queryable, sql, type Tx } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import type { TrackingMode } from "./tracking-mode.ts";

/**
 * Stores a revision and returns its id, which the same content keeps. Of two transactions that freeze the same content at once, the second waits for the
 * first and gets its id.
 */
export async function storeRevision(
  tx: Tx,
  accountId: string,
  content: unknown,
  clock: Clock,
): Promise<string> {
  const digest = digestOf(content);
  const made = await tx.maybeOne<{ id: string }>(sql`
    insert into revisions (account_id, id, digest, content, tracking, created_at)
    select ${accountId}, ${newId(clock)}, ${digest}, content, content -> 'tracking', ${clock.now()}
    from (select ${JSON.stringify(content)}::jsonb as content) as frozen
    on conflict (account_id, digest) do nothing returning id`);
  if (made) return made.id;
  const known = await tx.one<{ id: string }>(
    sql`select id from revisions where account_id = ${accountId} and digest = ${digest}`,
  );
  return known.id;
}

/** The content as plain JSON. It throws where there is no such revision: a source names none that isn't there. */
export async function readRevision(db: Queryable, accountId: string, id: string): Promise<unknown> {
  const { content } = await db.one<{ content: unknown }>(
    sql`select content from revisions where account_id = ${accountId} and id = ${id}`,
  );
  return content;
}

/**
 * How a revision tracks. The column holds that part of the content, which may have megabytes; it is null in revisions of older
 * releases.
 */
export const FROZEN_TRACKING = sql`coalesce(r.tracking, r.content -> 'tracking')`;

/** The modes that these revisions were frozen with, by their ids. Revisions of before there were modes have `individual`. */
export async function readTrackingModes(
  db: Queryable,
  revisions: readonly { readonly accountId: string; readonly revisionId: string }[],
): Promise<Map<string, TrackingMode>> {
  const rows = await db.many<{ id: string; mode: TrackingMode }>(sql`
    select r.id, coalesce(${FROZEN_TRACKING} ->> 'mode', 'individual') as mode
    from unnest(${revisions.map((one) => one.accountId)}::uuid[], ${revisions.map((one) => one.revisionId)}::uuid[])
      as wanted (account_id, id)
    join revisions r on r.account_id = wanted.account_id and r.id = wanted.id`);
  return new Map(rows.map(({ id, mode }) => [id, mode]));
}

export type FrozenSender = {
  readonly from: string;
  readonly replyTo: string | null;
  readonly publicUrl: string;
};

/** From whom these revisions are, and where their links lead. The content of each is read whole, so there must be few. */
export function readFrozenSenders(
  db: Queryable,
  accountId: string,
  revisionIds: readonly string[],
): Promise<FrozenSender[]> {
  return db.many<FrozenSender>(sql`
    select content #>> '{from,email}' as "from", content ->> 'replyTo' as "replyTo", content ->> 'publicUrl' as "publicUrl"
    from revisions where account_id = ${accountId} and id = any(${[...revisionIds]}::uuid[])`);
}

/** Keys in one order, so that neither the order of a literal nor a way through the database makes another revision. */
function digestOf(content: unknown): Buffer {
  return createHash("sha256").update(JSON.stringify(content, withSortedKeys)).digest();
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
