/** Removes what hangs on an automation that was deleted. There may be millions of runs, so a job takes them away, some at a time. */
import { type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";

const REMOVED_AT_ONCE = 5_000;

export const removeRunsJob = defineJob<{ account_id: string; automation_id: string }>({
  name: "remove_automation_runs",
  priority: 10,
  timeoutMs: 3_600_000,
  run: async ({ db, signal }, { account_id: accountId, automation_id: automationId }) => {
    for (;;) {
      const removed = await db.transaction((tx) => removeSome(tx, accountId, automationId));
      if (removed === 0) return;
      // What is left is done by the next run: each batch is complete in itself.
      signal.throwIfAborted();
    }
  },
});

/** Is called in the transaction that deletes the automation. What is little goes at once. */
export async function removeRunsOf(tx: Tx, accountId: string, automationId: string): Promise<void> {
  const ofIt = sql`account_id = ${accountId} and automation_id = ${automationId}`;
  await tx.execute(sql`delete from automation_versions where ${ofIt}`);
  await tx.execute(sql`delete from automation_counts where ${ofIt}`);
  await tx.execute(sql`delete from automation_date_looks where ${ofIt}`);
  await tx.execute(sql`delete from automation_limits where ${ofIt}`);
  await tx.execute(sql`delete from automation_waves where ${ofIt}`);
  await tx.execute(sql`delete from automation_outbox where ${ofIt}`);
  await tx.execute(sql`delete from automation_enrollments where ${ofIt}`);
  // Who was in its segments is removed in pieces by who looks through them.
  await tx.execute(sql`update automation_segments set is_ended = true where ${ofIt}`);
  await addJob(tx, removeRunsJob, { account_id: accountId, automation_id: automationId });
}

/**
 * The indexes automation_runs_due, automation_runs_ended and automation_gates_of serve it. Whoever ends these runs at the same time writes to the
 * journal and counts in the same transaction: the runs are locked before their journal goes, and the counts go once none is left.
 */
async function removeSome(tx: Tx, accountId: string, automationId: string): Promise<number> {
  const ofIt = sql`account_id = ${accountId} and automation_id = ${automationId}`;
  const some = (isOfState: Sql) =>
    tx.many<{ id: string }>(sql`
      select id from automation_runs where ${ofIt} and ${isOfState} limit ${REMOVED_AT_ONCE} for update`);
  const runs = [...(await some(sql`state = 'active'`)), ...(await some(sql`state <> 'active'`))];
  const ids = sql`${runs.map(({ id }) => id)}::uuid[]`;
  await tx.execute(
    sql`delete from automation_journal where account_id = ${accountId} and run_id = any(${ids})`,
  );
  await tx.execute(sql`delete from automation_runs where account_id = ${accountId} and id = any(${ids})`);
  const gates = await tx.execute(sql`
    delete from automation_gates where account_id = ${accountId} and ctid = any(array(
      select ctid from automation_gates where ${ofIt} limit ${REMOVED_AT_ONCE}))`);
  if (runs.length === 0) await tx.execute(sql`delete from automation_counts where ${ofIt}`);
  return runs.length + gates;
}
