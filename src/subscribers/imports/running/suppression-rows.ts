/** Rows that are suppressions: what a batch of them writes. */
import type { TxCtx } from "../../../platform/context.ts";
import { type Queryable, sql } from "../../../platform/db/db.ts";
import { toPublicId } from "../../../platform/ids.ts";
import { graverReason, type NewSuppression, suppressContacts } from "../../suppressions/suppressions.ts";
import type { ImportRowInDb } from "../import-store.ts";
import { createSuppressionReader, type SuppressionImportRow } from "../reading/reading.ts";
import { rememberDryRows } from "./batch-store.ts";
import type { BatchOutcome, RowKind } from "./row-kind.ts";

export const suppressionRows: RowKind<SuppressionImportRow> = {
  createReader: createSuppressionReader,
  keyOf: (row) => row.hash?.toString("hex") ?? row.contactId ?? "",
  hashOf: (row) => row.hash,
  isLeftOut: (row) => row.reason === null,
  merge(before, row) {
    const graver = before.reason && row.reason ? graverReason(before.reason, row.reason) : before.reason;
    const isGraver = graver !== before.reason;
    if (isGraver) Object.assign(before, { reason: row.reason, source: row.source });
    return isGraver;
  },
  check: async () => undefined,
  write: writeRows,
  count: countRows,
};

async function writeRows(
  ctx: TxCtx,
  run: ImportRowInDb,
  rows: readonly SuppressionImportRow[],
  contacts: ReadonlyMap<string, string>,
): Promise<BatchOutcome> {
  const nameless = await findKnownContacts(ctx.sql, ctx.accountId, namelessIn(rows));
  const wanted = new Map<string, NewSuppression>();
  for (const { hash, contactId, email, reason, source, since } of rows) {
    const id = hash
      ? contacts.get(hash.toString("hex"))
      : contactId && nameless.has(contactId)
        ? contactId
        : undefined;
    if (!id || !reason) continue;
    const before = wanted.get(id);
    // An address and the contact that it has may both be in the file.
    const graver = before ? graverReason(before.reason, reason) : reason;
    wanted.set(id, {
      contactId: id,
      reason: graver,
      source: source ?? toPublicId("imp", run.id),
      email,
      since,
    });
  }
  const written = await suppressContacts(ctx, [...wanted.values()], { tellAll: false });
  const faults = faultsOf(rows, nameless);
  const created = [...written.values()].filter(({ isNew }) => isNew).length;
  const updated = written.size - created;
  const skipped = rows.length - created - updated - faults.length;
  return { created, updated, skipped, faults, optedOut: 0, suppressed: rows.length - faults.length };
}

async function countRows(
  ctx: TxCtx,
  run: ImportRowInDb,
  rows: readonly SuppressionImportRow[],
): Promise<BatchOutcome> {
  const hashes = rows.map(({ hash }) => hash).filter((hash) => hash !== null);
  const nameless = await findKnownContacts(ctx.sql, ctx.accountId, namelessIn(rows));
  const isNew = await rememberDryRows(ctx.sql, ctx.accountId, run.id, hashes);
  const known = await ctx.sql.many<{ hash: Buffer }>(sql`
    select c.address_hash as hash from contacts c
    join suppressions x on x.account_id = c.account_id and x.contact_id = c.id
    where c.account_id = ${ctx.accountId} and c.address_hash = any(${hashes}::bytea[])`);
  const isSuppressed = new Set(known.map(({ hash }) => hash.toString("hex")));
  const created = [...isNew].filter((hash) => !isSuppressed.has(hash)).length;
  const faults = faultsOf(rows, nameless);
  const suppressed = rows.length - faults.length;
  return { created, updated: 0, skipped: suppressed - created, faults, optedOut: 0, suppressed };
}

function namelessIn(rows: readonly SuppressionImportRow[]): string[] {
  return rows.flatMap(({ hash, contactId }) => (hash === null && contactId ? [contactId] : []));
}

function faultsOf(rows: readonly SuppressionImportRow[], known: ReadonlySet<string>) {
  return rows
    .filter(({ hash, contactId }) => hash === null && !known.has(contactId ?? ""))
    .map(({ fault }) =>
      fault("not_found", "there is no such contact in this account, and the row has no address"),
    );
}

async function findKnownContacts(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.many<{ id: string }>(sql`
    select id from contacts where account_id = ${accountId} and id = any(${[...ids]}::uuid[])`);
  return new Set(rows.map(({ id }) => id));
}
