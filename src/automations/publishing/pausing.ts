/** Pauses an automation whose mail delivery stopped, until somebody has looked at it and lets it go on, as a campaign. */
import { pauseSource } from "../../delivery/delivery.ts";
import { recordEvent } from "../../events/events.ts";
import { systemCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { defineJob } from "../../platform/jobs/jobs.ts";
import { lockAutomation, moveAutomation } from "../store.ts";

type Stopped = {
  readonly account_id: string;
  readonly automation_id: string;
  readonly reason: string;
  readonly detail: string | null;
};

/**
 * Delivery holds the source of the mail when it stops that, and whoever leads people on holds the automation before its sources; so the automation
 * is paused by a job of its own. One that is draining goes on: its mail alone stays where it is, until somebody resumes it.
 */
export const pauseAutomationJob = defineJob<Stopped>({
  name: "pause_automation",
  run: async (tools, { account_id: accountId, automation_id: id, reason, detail }) => {
    await tools.db.transaction(async (tx) => {
      const ctx = systemCtx(tools, tx, accountId);
      const row = await lockAutomation(tx, accountId, id);
      if (row?.state === "draining") {
        const data = { automation_id: toPublicId("aut", id), reason, ...(detail && { detail }) };
        await recordEvent(ctx, { type: "automation.mail_stopped", data });
      }
      if (row?.state !== "live") return;
      const to = { state: "paused", version: row.version } as const;
      await moveAutomation(tx, row, to, ctx.clock.now(), ctx.actor);
      const data = { automation_id: toPublicId("aut", id), reason, ...(detail && { detail }) };
      await recordEvent(ctx, { type: "automation.paused", data });
      await pauseSource(ctx, id, "requested", "none");
    });
  },
});
