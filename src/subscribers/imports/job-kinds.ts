import type { Tx } from "../../platform/db/db.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";

export type ImportPayload = { account_id: string; import_id: string };

const DAY_MS = 24 * 3_600_000;

/** These jobs are added to the queue here; `jobs.ts` says how each is run, which takes more than whoever adds it has. */
export const runImportKind = defineJob<ImportPayload>({
  name: "run_import",
  priority: 10,
  timeoutMs: DAY_MS,
  run: notHere,
});
export const undoImportKind = defineJob<ImportPayload>({
  name: "undo_import",
  priority: 10,
  timeoutMs: DAY_MS,
  run: notHere,
});

export const removeFaultsKind = defineJob<ImportPayload>({
  name: "remove_import_errors",
  priority: 10,
  run: notHere,
});

const KEEP_FAULTS_MS = 30 * DAY_MS;

/** Rows that failed, or whose address is doubtful, hold personal data, so they go by themselves 30 days after their import has ended. */
export async function keepFaultsForAWhile(
  tx: Tx,
  row: { account_id: string; id: string; failed: number; checked: { bad: number; risky: number } | null },
  endedAt: Date,
): Promise<void> {
  if (row.failed + (row.checked?.bad ?? 0) + (row.checked?.risky ?? 0) === 0) return;
  const runAt = new Date(endedAt.getTime() + KEEP_FAULTS_MS);
  const payload = { account_id: row.account_id, import_id: row.id };
  await addJob(tx, removeFaultsKind, payload, { runAt, key: `import errors ${row.id}` });
}

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
