/**
 * A version that can't be read any more, because what it names is gone, leads nobody on and lets nobody in. That is rare, since what a published
 * automation names can't be deleted; so whoever meets one opens an alert, and it is closed once people can go on.
 */
import { closeAlert, listAccountsWith, listSubjects, openAlert } from "../../alerts/alerts.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { type Db, type Queryable, sql } from "../../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { readVersionFaults } from "./live.ts";

const KIND = "automation_unreadable";
const MOST_SHOWN = 5;

export async function tellUnreadable(ctx: TxCtx, automationId: string, number: number): Promise<void> {
  const { sql: tx, accountId } = ctx;
  const { name } = await tx.one<{ name: string }>(
    sql`select name from automations where account_id = ${accountId} and id = ${automationId}`,
  );
  const faults = await readVersionFaults(tx, accountId, automationId, number);
  const id = toPublicId("aut", automationId);
  const found = faults.slice(0, MOST_SHOWN).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  await openAlert(ctx, {
    kind: KIND,
    subject: id,
    severity: "critical",
    stateKey: String(number),
    title: `“${name}” stands still`,
    detail: `Version ${number} of this automation can't be read any more, so nobody in it is led on, and nobody enters. ${found.join("; ")}`,
    remedy:
      "Mend what the automation names, or publish another version that people inside follow: they go on from their step.",
    data: { automation_id: id, version: number, faults },
  });
}

/** Closes the alerts about automations that are over, and whose people can all go on. */
export async function closeUnreadable(tools: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<void> {
  for (const accountId of await listAccountsWith(tools.db, [KIND]))
    await tools.db.transaction(async (tx) => {
      const ctx = systemCtx(tools, tx, accountId);
      for (const subject of await listSubjects(tx, accountId, KIND)) {
        const id = fromPublicId("aut", subject);
        if (!id || !(await standsStill(tx, accountId, id))) await closeAlert(ctx, KIND, subject);
      }
    });
}

/** Whether the version of today can't be read, or one in which people stay although there are newer ones. */
async function standsStill(tx: Queryable, accountId: string, automationId: string): Promise<boolean> {
  const versions = await tx.many<{ number: number }>(sql`
    select v.number from automations a
    join automation_versions v on v.account_id = a.account_id and v.automation_id = a.id
    where a.account_id = ${accountId} and a.id = ${automationId} and a.state in ('live', 'paused', 'draining')
      and (v.number = a.version or exists (
        select from automation_versions next
        where next.account_id = v.account_id and next.automation_id = v.automation_id and next.number = v.number + 1 and next.people = 'stay')
      and exists (
        select from automation_runs r
        where r.account_id = v.account_id and r.automation_id = v.automation_id and r.state = 'active' and r.version = v.number))`);
  for (const { number } of versions)
    if ((await readVersionFaults(tx, accountId, automationId, number)).length > 0) return true;
  return false;
}
