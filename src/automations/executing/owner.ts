/** What automations are to delivery. */
import { type HowEnded, reviveLater, type SourceName, type SourceOwner } from "../../delivery/delivery.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";

export const automationOwner: Pick<SourceOwner, "sourceEnded" | "sourceWarned" | "idsInEvents"> = {
  sourceEnded,
  sourceWarned: async () => undefined,
  idsInEvents: ({ ownerId }): Record<string, string> => ({ automation_id: toPublicId("aut", ownerId) }),
};

/** A wave that can't go on is tried again by itself, as that of transactional mail; one that is done was closed because its day is over. */
async function sourceEnded(
  ctx: TxCtx,
  source: SourceName & { readonly id: string },
  how: HowEnded,
): Promise<void> {
  if (how.kind === "paused" || how.kind === "failed") await reviveLater(ctx, source.id);
}
