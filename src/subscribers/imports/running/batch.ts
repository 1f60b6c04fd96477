/** A batch of an import writes its rows, its faults, its counts and its place in the file in one transaction, or not at all. */
import type { TxCtx } from "../../../platform/context.ts";
import { notify } from "../../../platform/db/listen.ts";
import { ensureContacts } from "../../contact-store.ts";
import { type ImportRowInDb, insertRowFaults, lockImport, updateImport } from "../import-store.ts";
import { addCounts, NOTHING_CHECKED } from "./check-addresses.ts";
import type { Collected } from "./collect.ts";
import type { RowKind } from "./row-kind.ts";

/** Every batch notifies this channel, and a process that streams progress then looks again. */
export const IMPORTS_CHANNEL = "imports";
const MOST_KEPT_FAULTS = 100_000;

/** Returns undefined when the import isn't ours to run any more: it was canceled, or another runner has taken it further. */
export async function writeBatch<R>(
  ctx: TxCtx,
  kind: RowKind<R>,
  expected: ImportRowInDb,
  batch: Collected<R>,
  rowsPerSecond: number,
): Promise<ImportRowInDb | undefined> {
  const hashes = [...batch.rows, ...batch.against]
    .map((row) => kind.hashOf(row))
    .filter((hash) => hash !== null);
  // These are sent together, to save round trips. A contact made for nothing does no harm: it is a hash.
  const [current, , contacts] = await Promise.all([
    lockImport(ctx.sql, ctx.accountId, expected.id),
    kind.check(ctx, expected),
    expected.dry_run ? undefined : ensureContacts(ctx, hashes),
  ]);
  if (current?.status !== "running" || current.position !== expected.position) return undefined;
  const outcome = contacts
    ? await kind.write(ctx, current, batch.rows, batch.against, contacts)
    : await kind.count(ctx, current, batch.rows, batch.against);
  const faults = [...batch.faults, ...(outcome.faults ?? [])];
  const room = Math.max(0, MOST_KEPT_FAULTS - current.failed);
  await insertRowFaults(ctx.sql, ctx.accountId, current.id, faults.slice(0, room));
  if (batch.checked) {
    const { bad, risky } = current.checked ?? NOTHING_CHECKED;
    const roomForListed = Math.max(0, MOST_KEPT_FAULTS - bad - risky);
    const listed = batch.checked.listed.slice(0, roomForListed);
    await insertRowFaults(ctx.sql, ctx.accountId, current.id, listed);
  }
  const next = await updateImport(
    ctx.sql,
    ctx.accountId,
    current.id,
    {
      position: batch.lastRow,
      created: current.created + outcome.created,
      updated: current.updated + outcome.updated + batch.merged,
      skipped: current.skipped + outcome.skipped + batch.skipped,
      failed: current.failed + faults.length,
      opted_out: current.opted_out + outcome.optedOut,
      suppressed: current.suppressed + outcome.suppressed,
      ...(batch.checked && { checked: addCounts(current.checked ?? NOTHING_CHECKED, batch.checked.counts) }),
      rows_per_second: rowsPerSecond,
    },
    ctx.clock.now(),
  );
  await notify(ctx.sql, IMPORTS_CHANNEL, current.id);
  return next;
}
