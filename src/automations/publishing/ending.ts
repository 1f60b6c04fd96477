/** Ends automations: everybody leaves one that is canceled, and one that has drained is archived. */
import { recordEvent } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { defineJob } from "../../platform/jobs/jobs.ts";
import type { Log } from "../../platform/log.ts";
import { holdFeed } from "../feed/feed.ts";
import { lockAutomation, moveAutomation } from "../store.ts";
import { endSomeRuns, hasActiveRuns, listDrained } from "./ending-store.ts";

type OfAutomation = { readonly account_id: string; readonly automation_id: string };

const AT_ONCE = 2_000;

/** Lets everybody leave an automation that was canceled, a piece a transaction. It may be run again at any time. */
export const endRunsJob = defineJob<OfAutomation>({
  name: "end_automation_runs",
  timeoutMs: 3_600_000,
  run: async ({ db, clock, signal }, { account_id: accountId, automation_id: id }) => {
    for (;;) {
      const which = { as: "canceled", now: clock.now(), limit: AT_ONCE };
      const ended = await db.transaction((tx) => endSomeRuns(tx, accountId, id, which));
      if (ended === 0) return;
      signal.throwIfAborted();
    }
  },
});

/** Archives those that have drained: the last person inside has finished. */
async function archiveDrained(tools: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<void> {
  for (const { account_id: accountId, id } of await listDrained(tools.db)) {
    await tools.db.transaction(async (tx) => {
      const ctx = systemCtx(tools, tx, accountId);
      const row = await lockAutomation(tx, accountId, id);
      if (row?.state !== "draining") return;
      await holdFeed(tx, accountId);
      if (await hasActiveRuns(tx, accountId, id)) return;
      await moveAutomation(
        tx,
        row,
        { state: "archived", version: row.version },
        tools.clock.now(),
        ctx.actor,
      );
      await recordEvent(ctx, { type: "automation.archived", data: { automation_id: toPublicId("aut", id) } });
    });
  }
}

/** The last who leaves archives nothing themselves, so that steps of many people don't meet at one row. */
export const archiveDrainedJob = defineJob<Record<string, never>>({
  name: "archive_drained_automations",
  run: archiveDrained,
});
