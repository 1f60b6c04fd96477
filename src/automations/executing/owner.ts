/** What automations are to delivery. */
import { type HowEnded, reviveLater, type SourceName, type SourceOwner } from "../../delivery/delivery.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { pauseAutomationJob } from "../publishing/publishing.ts";

export const automationOwner: Pick<SourceOwner, "sourceEnded" | "sourceWarned" | "idsInEvents"> = {
  sourceEnded,
  sourceWarned: async () => undefined,
  idsInEvents: ({ ownerId }): Record<string, string> => ({ automation_id: toPublicId("aut", ownerId) }),
};

/** What mends itself: the account has another transport now, or will have one. */
const MENDED_BY_ITSELF = ["transport_missing"];

/**
 * What delivery stops for people to look at, by a guardrail or for a key that can't be read, pauses the automation, as it would a campaign. A wave
 * that only can't go on just now is tried again by itself; one that is done was closed because its day is over.
 */
async function sourceEnded(
  ctx: TxCtx,
  source: SourceName & { readonly id: string },
  how: HowEnded,
): Promise<void> {
  if (how.kind !== "paused" && how.kind !== "failed") return;
  if (how.kind === "failed" || MENDED_BY_ITSELF.includes(how.reason)) return reviveLater(ctx, source.id);
  const { reason, detail = null } = how;
  const payload = { account_id: ctx.accountId, automation_id: source.ownerId, reason, detail };
  await addJob(ctx.sql, pauseAutomationJob, payload, { key: `pause ${source.ownerId}` });
}
