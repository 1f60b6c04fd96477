/**
 * A version that can't be read any more, because what it names is gone, leads nobody on and lets nobody in. That is rare, since what a published
 * automation names can't be deleted; so whoever meets one opens an alert, and it is closed once people can go on.
 */
import { closeAlert, listAccountsWith, listSubjects, openAlert } from "../../alerts/alerts.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { readVersionFaults } from "./live.ts";

const KIND = "automation_unreadable";
const MOST_SHOWN = 5;

export class UnreadableVersion extends Error {
  readonly number: number;
  constructor(number: number) {
    super(`version ${number} can't be read`);
    this.number = number;
  }
}

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
      "Mend what the automation names, or publish another version: everybody inside goes on from their step.",
    data: { automation_id: id, version: number, faults },
  });
}

/** Closes the alerts about automations that are over, or whose version of today can be read. Who stays in an older one brings it back. */
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
        const row = await tx.maybeOne<{ version: number }>(sql`
          select version from automations
          where account_id = ${accountId} and id = ${id ?? null} and state in ('live', 'paused', 'draining')`);
        const faults = row && id ? await readVersionFaults(tx, accountId, id, row.version) : [];
        if (faults.length === 0) await closeAlert(ctx, KIND, subject);
      }
    });
}
