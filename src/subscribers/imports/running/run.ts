/**
 * This file runs an import from wherever it stands to its end. It may start anew at any time: what is committed says
 * where to go on.
 */
import { recordEvent } from "../../../events/events.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { TxCtx } from "../../../platform/context.ts";
import type { Db, Tx } from "../../../platform/db/db.ts";
import { notify } from "../../../platform/db/listen.ts";
import { toPublicId } from "../../../platform/ids.ts";
import type { Log } from "../../../platform/log.ts";
import type { HashAddress } from "../../contact-store.ts";
import { allFields, type FieldRow } from "../../fields/fields.ts";
import {
  type ImportChange,
  type ImportRowInDb,
  lockImport,
  optionsOf,
  updateImport,
} from "../import-store.ts";
import { keepFaultsForAWhile } from "../job-kinds.ts";
import { FileFault, isBlank, readRecords } from "../reading/reading.ts";
import { IMPORTS_CHANNEL, writeBatch } from "./batch.ts";
import { removeDryRows } from "./batch-store.ts";
import { createAddressChecker, createDomainCollector } from "./check-addresses.ts";
import { createCollector } from "./collect.ts";
import type { RowKind } from "./row-kind.ts";
import { subscriberRows } from "./subscriber-rows.ts";
import { suppressionRows } from "./suppression-rows.ts";

export type RunOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly hash: HashAddress;
  readonly accountId: string;
  readonly importId: string;
  readonly path: string;
  /** Says whether to leave off after the present batch. */
  readonly isStopping: () => boolean;
};

/** We measured that below 1,000 a transaction costs more than its rows, and above 5,000 nothing is gained. */
const BATCH_ROWS = 2_000;

/** `stopped` means that there is more to do, for whoever comes next. */
export async function runImport(options: RunOptions): Promise<"ended" | "stopped"> {
  const started = await begin(options);
  if (!started) return "ended";
  try {
    const counted = await countRows(options, started);
    if (!counted) return options.isStopping() ? "stopped" : "ended";
    const done =
      optionsOf(started).target === "suppressions"
        ? await importRows(options, counted, suppressionRows)
        : await importRows(options, counted, subscriberRows);
    if (!done) return options.isStopping() ? "stopped" : "ended";
    await end(options, { status: "completed" });
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    await failImport(options, error);
  }
  return "ended";
}

export async function failImport(
  options: Omit<RunOptions, "hash" | "path" | "isStopping">,
  fault: FileFault,
): Promise<void> {
  await end(options, { status: "failed", error_code: fault.code, error_detail: fault.message });
}

type ImportRef = Pick<RunOptions, "db" | "clock" | "log" | "accountId" | "importId">;

function begin(options: ImportRef): Promise<ImportRowInDb | undefined> {
  const { accountId, importId } = options;
  return options.db.transaction(async (tx) => {
    const row = await lockImport(tx, accountId, importId);
    if (row?.status === "running") return row;
    if (row?.status !== "pending") return undefined;
    const now = options.clock.now();
    return updateImport(tx, accountId, importId, { status: "running", started_at: now }, now);
  });
}

/** Reads the whole file once before its first row is written, so that one that breaks off in the middle is refused whole. */
async function countRows(options: RunOptions, row: ImportRowInDb): Promise<ImportRowInDb | undefined> {
  if (row.total !== null) return row;
  const firstRow = row.options.has_header ? 2 : 1;
  let total = 0;
  const domains =
    optionsOf(row).checks === "off"
      ? undefined
      : createDomainCollector(options, row.columns, row.options.format);
  const isRead = await readRecords(options.path, row.options.format, {
    onRecord: (cells, number) => {
      if (number < firstRow || isBlank(cells)) return;
      total++;
      domains?.add(cells);
    },
    afterChunk: async () => !options.isStopping(),
  });
  if (!isRead) return undefined;
  await domains?.lookUp(options.isStopping);
  return options.db.transaction(async (tx) => {
    const current = await lockImport(tx, options.accountId, options.importId);
    if (current?.status !== "running") return undefined;
    return updateImport(tx, options.accountId, options.importId, { total }, options.clock.now());
  });
}

/** Reads on while the batch before is being written. It returns false when it didn't get to the end. */
async function importRows<R extends object>(
  options: RunOptions,
  from: ImportRowInDb,
  kind: RowKind<R>,
): Promise<boolean> {
  const { db, clock, accountId } = options;
  const { format, on_conflict: onConflict, has_header: hasHeader, tags, ...told } = optionsOf(from);
  const history = {
    standing: told.default_status,
    statusValues: told.status_values,
    order: told.date_order,
    now: clock.now(),
  };
  const readerOf = (fields: readonly FieldRow[]) =>
    kind.createReader({ columns: from.columns, fields, format, hash: options.hash, tags, history });
  const firstRow = Math.max(from.position + 1, hasHeader ? 2 : 1);
  let current: ImportRowInDb | undefined = from;
  let fields = await allFields(db, accountId);
  let read = readerOf(fields);
  const collector = createCollector(kind, (cells, row) => read(cells, row), onConflict);
  const checkAddresses = createAddressChecker(options, kind, told.checks);
  let writing: Promise<void> = Promise.resolve();
  let failure: unknown;
  const startedMs = clock.monotonicMs();
  let rows = 0;

  const flush = async (): Promise<boolean> => {
    await writing;
    if (failure) throw failure;
    if (!current || options.isStopping()) return false;
    if (collector.size() === 0) return true;
    rows += collector.size();
    const batch = collector.take();
    const perSecond = rows / Math.max(0.001, (clock.monotonicMs() - startedMs) / 1_000);
    const before = current;
    writing = checkAddresses(batch)
      .then((checked) =>
        db.transaction((tx) => writeBatch(ctxOf(options, tx, before), kind, before, checked, perSecond)),
      )
      .then(
        (next) => {
          current = next;
        },
        (error) => {
          failure = error;
        },
      );
    fields = await refreshed(options, from, fields);
    read = readerOf(fields);
    return true;
  };
  const isRead = await readRecords(options.path, format, {
    onRecord: (cells, row) => {
      if (row >= firstRow && !isBlank(cells)) collector.add(cells, row);
    },
    afterChunk: async () => (collector.size() < BATCH_ROWS ? failure === undefined : flush()),
  }).finally(() => writing);
  if (failure) throw failure;
  if (!isRead || !(await flush())) return false;
  await writing;
  if (failure) throw failure;
  return current !== undefined;
}

/** A mapped field may be deleted meanwhile: the import then goes on without it, and says so. */
async function refreshed(options: RunOptions, run: ImportRowInDb, before: FieldRow[]): Promise<FieldRow[]> {
  const { db, clock, accountId, importId } = options;
  const fields = await allFields(db, accountId);
  const gone = before.filter(
    (field) =>
      run.columns.some(({ fieldId }) => fieldId === field.id) && !fields.some((one) => one.id === field.id),
  );
  if (gone.length > 0) {
    await db.transaction(async (tx) => {
      const row = await lockImport(tx, accountId, importId);
      const warnings = gone.map((field) => ({
        code: "field_deleted",
        detail: `The field ${field.key} was deleted during the import: its column was ignored from then on.`,
      }));
      const change = { warnings: [...(row?.warnings ?? []), ...warnings] };
      if (row) await updateImport(tx, accountId, importId, change, clock.now());
    });
  }
  return fields;
}

async function end(
  options: ImportRef,
  change: ImportChange & { status: "completed" | "failed" },
): Promise<void> {
  const { db, clock, accountId, importId } = options;
  await db.transaction(async (tx) => {
    const row = await lockImport(tx, accountId, importId);
    if (row?.status !== "running" && row?.status !== "pending") return;
    const now = clock.now();
    const ended = await updateImport(tx, accountId, importId, { ...change, finished_at: now }, now);
    await keepFaultsForAWhile(tx, ended, now);
    if (row.dry_run) await removeDryRows(tx, accountId, importId);
    await recordEvent(ctxOf(options, tx, row), {
      type: change.status === "completed" ? "import.completed" : "import.failed",
      data: {
        import_id: toPublicId("imp", importId),
        list_id: row.list_id && toPublicId("lst", row.list_id),
        dry_run: row.dry_run,
        counts: countsOf(ended),
        ...(change.error_code && { error: change.error_code }),
      },
    });
    await notify(tx, IMPORTS_CHANNEL, importId);
  });
}

export function countsOf(row: ImportRowInDb) {
  const { total, created, updated, skipped, failed } = row;
  return { total, processed: created + updated + skipped + failed, created, updated, skipped, failed };
}

/** The import acts in the name of whoever asked for it. */
function ctxOf({ clock, log, accountId }: ImportRef, tx: Tx, row: ImportRowInDb): TxCtx {
  return { sql: tx, accountId, actor: { kind: row.actor_kind, id: row.actor_id }, clock, log };
}
