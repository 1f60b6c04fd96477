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
    if (isGraver) Object.assign(before, { reason: row.reason, source: row.source ?? before.source });
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
  against: readonly SuppressionImportRow[],
  contacts: ReadonlyMap<string, string>,
): Promise<BatchOutcome> {
  const nameless = await findKnownContacts(ctx.sql, ctx.accountId, namelessIn(rows));
  const written = await suppressContacts(ctx, wantedOf(run, rows, contacts, nameless), { tellAll: false });
  // They come after the others, since a row without a fault tells more of the same person.
  const alone = wantedOf(run, against, contacts, nameless);
  await suppressContacts(ctx, alone, { tellAll: false });
  const faults = faultsOf(rows, nameless);
  const created = [...written.values()].filter(({ isNew }) => isNew).length;
  const updated = written.size - created;
  const skipped = rows.length - created - updated - faults.length;
  const suppressed = rows.length - faults.length + alone.length;
  return { created, updated, skipped, faults, optedOut: 0, suppressed };
}

/** An address and the contact that it has may both be in the file; each contact is suppressed once. */
function wantedOf(
  run: ImportRowInDb,
  rows: readonly SuppressionImportRow[],
  contacts: ReadonlyMap<string, string>,
  nameless: ReadonlySet<string>,
): NewSuppression[] {
  const wanted = new Map<string, NewSuppression & { toldSource: string | null }>();
  for (const { hash, contactId, email, reason, source, since } of rows) {
    const id = hash
      ? contacts.get(hash.toString("hex"))
      : contactId && nameless.has(contactId)
        ? contactId
        : undefined;
    if (!id || !reason) continue;
    const before = wanted.get(id);
    const graver = before ? graverReason(before.reason, reason) : reason;
    const toldSource = source ?? before?.toldSource ?? null;
    wanted.set(id, {
      contactId: id,
      reason: graver,
      toldSource,
      source: toldSource ?? toPublicId("imp", run.id),
      email: email ?? before?.email ?? null,
      since: since ?? before?.since ?? null,
    });
  }
  return [...wanted.values()];
}

async function countRows(
  ctx: TxCtx,
  run: ImportRowInDb,
  rows: readonly SuppressionImportRow[],
  against: readonly SuppressionImportRow[],
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
  const good = rows.length - faults.length;
  const alone = new Set(against.map(({ hash }) => hash?.toString("hex"))).size;
  return {
    created,
    updated: 0,
    skipped: good - created,
    faults,
    optedOut: 0,
    suppressed: good + alone,
  };
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
