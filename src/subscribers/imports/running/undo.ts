/** An undo removes whom an import made and nobody has touched since. What it only updated stays as it is. */
import { listEventsOfSubscriber } from "../../../events/events.ts";
import { type Queryable, sql, type Tx } from "../../../platform/db/db.ts";
import { notify } from "../../../platform/db/listen.ts";
import { toPublicId } from "../../../platform/ids.ts";
import type { JobCtx } from "../../../platform/jobs/jobs.ts";
import { contactsOnLists, deleteSubscriberRows, removeOptOutReasons } from "../../write-store.ts";
import { type ImportRowInDb, lockImport, updateImport } from "../import-store.ts";
import type { ImportPayload } from "../job-kinds.ts";
import { IMPORTS_CHANNEL } from "./batch.ts";

const AT_ONCE = 2_000;

/** Each batch is complete in itself, so a second run just finds fewer rows. */
export async function undoBatches(ctx: JobCtx, payload: ImportPayload): Promise<void> {
  const { db, clock } = ctx;
  const { account_id: accountId, import_id: importId } = payload;
  let after: AgePosition = { created_at: new Date(0), id: "00000000-0000-0000-0000-000000000000" };
  for (;;) {
    const last = await db.transaction(async (tx) => {
      const row = await lockImport(tx, accountId, importId);
      if (row?.status !== "undoing") return undefined;
      const made = await lockMade(tx, row, after, AT_ONCE);
      const untouched = await withoutTouched(tx, row, made);
      await removeMade(tx, accountId, untouched);
      const isLast = made.length < AT_ONCE;
      const removed = row.removed + untouched.length;
      const change = { removed, ...(isLast && { status: "undone" as const }) };
      await updateImport(tx, accountId, importId, change, clock.now());
      await notify(tx, IMPORTS_CHANNEL, importId);
      return isLast ? undefined : made.at(-1);
    });
    if (!last) return;
    after = last;
    ctx.signal.throwIfAborted();
  }
}

type AgePosition = { created_at: Date; id: string };
type Made = AgePosition & { updated_at: Date; contact_id: string };

/**
 * The index subscribers_of_list_by_age finds those of about the time of the import (clocks differ); they name it as
 * their source.
 */
function lockMade(tx: Tx, row: ImportRowInDb, after: AgePosition, limit: number): Promise<Made[]> {
  return tx.many<Made>(sql`
    select id, contact_id, created_at, updated_at from subscribers
    where account_id = ${row.account_id} and list_id = ${row.list_id}
      and created_at between ${row.started_at ?? row.created_at}::timestamptz - interval '1 hour'
                         and ${row.finished_at}::timestamptz + interval '1 hour'
      and (created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)
      and source = ${toPublicId("imp", row.id)}
    order by created_at, id limit ${limit} for update`);
}

/** That somebody left stays, but not what they wrote about it: that is personal data, and goes with the person. */
async function removeMade(tx: Tx, accountId: string, made: readonly Made[]): Promise<void> {
  if (made.length === 0) return;
  await deleteSubscriberRows(
    tx,
    accountId,
    made.map(({ id }) => id),
  );
  const contactIds = made.map((one) => one.contact_id);
  const living = await contactsOnLists(tx, accountId, contactIds);
  await removeOptOutReasons(
    tx,
    accountId,
    contactIds.filter((id) => !living.has(id)),
  );
}

/** A later row of the same file may have merged into one, which leaves no event; every other change does. */
async function withoutTouched(db: Queryable, row: ImportRowInDb, made: readonly Made[]): Promise<Made[]> {
  const kept: Made[] = [];
  for (const one of made) {
    const isChanged = one.updated_at.getTime() !== one.created_at.getTime();
    if (
      isChanged &&
      (one.updated_at > (row.finished_at ?? one.updated_at) || (await hasEvents(db, row, one.id)))
    )
      continue;
    kept.push(one);
  }
  return kept;
}

async function hasEvents(
  db: Queryable,
  { account_id: accountId }: ImportRowInDb,
  id: string,
): Promise<boolean> {
  // That it was made is the import's own event, where automations were to hear of it or somebody wants to know.
  const events = await listEventsOfSubscriber(db, accountId, toPublicId("sub", id), 1, undefined, [
    "subscriber.created",
    "subscriber.imported",
  ]);
  return events.length > 0;
}
