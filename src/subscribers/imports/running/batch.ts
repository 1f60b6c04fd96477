/** A batch of an import writes its rows, its faults, its counts and its place in the file in one transaction, or not at all. */
import type { TxCtx } from "../../../platform/context.ts";
import { notify } from "../../../platform/db/listen.ts";
import { toPublicId } from "../../../platform/ids.ts";
import {
  answerFromFile,
  readAddressHistory,
  reasonFromHistory,
  recordTrackingAnswers,
} from "../../consent/consent.ts";
import { ensureContacts } from "../../contact-store.ts";
import { shareLists } from "../../lists/lists.ts";
import { firstStatus } from "../../status.ts";
import { ensureTags, insertTaggings } from "../../tags/tags.ts";
import { type ImportRowInDb, insertRowFaults, lockImport, updateImport } from "../import-store.ts";
import { FileFault, type ImportRow } from "../reading/reading.ts";
import {
  countImported,
  insertImported,
  lockExisting,
  mergeImported,
  type NewSubscriber,
} from "./batch-store.ts";
import type { Collected } from "./collect.ts";
import { ascendingIds } from "./ids.ts";

/** Every batch notifies this channel, and a process that streams progress then looks again. */
export const IMPORTS_CHANNEL = "imports";
const MOST_KEPT_FAULTS = 100_000;

type Counts = { created: number; updated: number; skipped: number };

/** Returns undefined when the import isn't ours to run any more: it was canceled, or another runner has taken it further. */
export async function writeBatch(
  ctx: TxCtx,
  expected: ImportRowInDb,
  batch: Collected,
  rowsPerSecond: number,
): Promise<ImportRowInDb | undefined> {
  // These are sent together, to save round trips. A contact made for nothing does no harm: it is a hash.
  const [current, , contacts] = await Promise.all([
    lockImport(ctx.sql, ctx.accountId, expected.id),
    refuseClosedList(ctx, expected),
    expected.dry_run
      ? undefined
      : ensureContacts(
          ctx,
          batch.rows.map((row) => row.hash),
        ),
  ]);
  if (current?.status !== "running" || current.position !== expected.position) return undefined;
  const counts = contacts
    ? await writeRows(ctx, current, batch.rows, contacts)
    : await countRows(ctx, current, batch.rows);
  const room = Math.max(0, MOST_KEPT_FAULTS - current.failed);
  await insertRowFaults(ctx.sql, ctx.accountId, current.id, batch.faults.slice(0, room));
  const next = await updateImport(
    ctx.sql,
    ctx.accountId,
    current.id,
    {
      position: batch.lastRow,
      created: current.created + counts.created,
      updated: current.updated + counts.updated + batch.merged,
      skipped: current.skipped + counts.skipped + batch.skipped,
      failed: current.failed + batch.faults.length,
      rows_per_second: rowsPerSecond,
    },
    ctx.clock.now(),
  );
  await notify(ctx.sql, IMPORTS_CHANNEL, current.id);
  return next;
}

/** A list may have gone, or have begun to want confirmations, since the import was made. */
async function refuseClosedList(ctx: TxCtx, { list_id: listId, options }: ImportRowInDb): Promise<void> {
  const [list] = await shareLists(ctx.sql, ctx.accountId, [listId]);
  if (!list) throw new FileFault("list_deleted", "The list was deleted before the import had ended.");
  if (list.double_opt_in && options.consent?.attested !== true) {
    throw new FileFault(
      "consent_required",
      "The list now asks for confirmation, and nobody attests to consent.",
    );
  }
}

async function writeRows(
  ctx: TxCtx,
  run: ImportRowInDb,
  rows: readonly ImportRow[],
  contacts: ReadonlyMap<string, string>,
): Promise<Counts> {
  const { list_id: listId, options } = run;
  const contactOf = (row: ImportRow) => contacts.get(row.hash.toString("hex")) ?? "";
  const historyOf = await readAddressHistory(ctx, [...contacts.values()]);
  const ids = ascendingIds(ctx.clock, rows.length);
  const wanted: NewSubscriber[] = [];
  rows.forEach((row, index) => {
    const contactId = contactOf(row);
    const history = historyOf(contactId, listId);
    // An erased person must not come back by a file that is older than the erasure.
    if (history.suppressedFor === "erased") return;
    const status = firstStatus(history, false);
    const statusReason = reasonFromHistory(status, history);
    const unsubscribedAt = history.optedOutAt ?? null;
    wanted.push({ ...row, id: ids[index] ?? "", contactId, status, statusReason, unsubscribedAt });
  });
  const source = toPublicId("imp", run.id);
  const created = await insertImported(ctx, { listId, source, consent: options.consent }, wanted);
  const fresh = wanted.filter((row) => created.has(row.id));
  const known = wanted.filter((row) => !created.has(row.id));
  const consentSource = options.consent?.source ?? source;
  const asNew = { isNew: true, source: consentSource };
  await recordAnswers(
    ctx,
    listId,
    fresh.map(({ id, contactId, trackingConsent: answer }) => ({ id, contactId, answer })),
    asNew,
  );
  const updated = options.on_conflict === "update" ? await mergeRows(ctx, listId, known, consentSource) : 0;
  const now = ctx.clock.now();
  await tagRows(
    ctx,
    listId,
    fresh.map((row) => ({ row, id: row.id, createdAt: now })),
  );
  return { created: fresh.length, updated, skipped: rows.length - fresh.length - updated };
}

async function mergeRows(
  ctx: TxCtx,
  listId: string,
  known: readonly NewSubscriber[],
  consentSource: string,
): Promise<number> {
  if (known.length === 0) return 0;
  const byContact = new Map(known.map((row) => [row.contactId, row]));
  const existing = await lockExisting(ctx.sql, ctx.accountId, listId, [...byContact.keys()]);
  const matched = existing.flatMap(({ contact_id, id, created_at, tracking_consent }) => {
    const row = byContact.get(contact_id);
    const answer = row ? answerFromFile(tracking_consent, row.trackingConsent) : null;
    return row ? [{ row, id, createdAt: created_at, answer }] : [];
  });
  const tagged = await tagRows(ctx, listId, matched);
  const merges = matched.map(({ row, id, answer }) => ({ id, row, answer, isTagged: tagged.has(id) }));
  await recordAnswers(
    ctx,
    listId,
    matched.map(({ row, id, answer }) => ({ id, contactId: row.contactId, answer })),
    { isNew: false, source: consentSource },
  );
  return (await mergeImported(ctx.sql, ctx.accountId, merges, ctx.clock.now())).size;
}

/** The import's own evidence is about being mailed, so the log says only which file it was. */
async function recordAnswers(
  ctx: TxCtx,
  listId: string,
  answers: readonly { id: string; contactId: string; answer: boolean | null }[],
  common: { isNew: boolean; source: string },
): Promise<void> {
  const given = answers.filter(({ answer }) => answer !== null);
  await recordTrackingAnswers(
    ctx,
    given.map(({ id, contactId, answer }) => ({
      row: { id, contact_id: contactId, list_id: listId, tracking_consent: answer },
      evidence: undefined,
      ...common,
    })),
  );
}

/** Returns who got a tag that they didn't have. */
async function tagRows(
  ctx: TxCtx,
  listId: string,
  rows: readonly { row: ImportRow; id: string; createdAt: Date }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map(rows.flatMap(({ row }) => [...row.tags]));
  if (names.size === 0) return new Map();
  const ids = await ensureTags(ctx, [...names.values()]);
  const taggings = rows.flatMap(({ row, id, createdAt }) =>
    [...row.tags.keys()].flatMap((key) => {
      const tagId = ids.get(key);
      return tagId ? [{ subscriberId: id, tagId, listId, createdAt }] : [];
    }),
  );
  return insertTaggings(ctx.sql, ctx.accountId, taggings);
}

async function countRows(ctx: TxCtx, run: ImportRowInDb, rows: readonly ImportRow[]): Promise<Counts> {
  const hashes = rows.map((row) => row.hash);
  const { isNew, isOnList } = await countImported(ctx.sql, ctx.accountId, run.id, run.list_id, hashes);
  const created = hashes.filter(
    (hash) => isNew.has(hash.toString("hex")) && !isOnList.has(hash.toString("hex")),
  ).length;
  const met = rows.length - created;
  return run.options.on_conflict === "update"
    ? { created, updated: met, skipped: 0 }
    : { created, updated: 0, skipped: met };
}
