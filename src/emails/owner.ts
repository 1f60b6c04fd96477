/** What transactional mail is to delivery. */
import { type HowEnded, reviveLater, type SourceName, type SourceOwner } from "../delivery/delivery.ts";
import type { TxCtx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import { mailIdOf } from "./mail-ids.ts";

export const emailOwner: Pick<SourceOwner, "sourceEnded" | "sourceWarned" | "idsInEvents"> = {
  sourceEnded,
  sourceWarned: async () => undefined,
  idsInEvents: (_source, contactId): Record<string, string> =>
    contactId === undefined ? {} : { email_id: toPublicId("msg", mailIdOf(contactId)) },
};

/** A wave that can't go on is tried again by itself; one that is done was closed because its day is over. */
async function sourceEnded(
  ctx: TxCtx,
  source: SourceName & { readonly id: string },
  how: HowEnded,
): Promise<void> {
  if (how.kind === "paused" || how.kind === "failed") await reviveLater(ctx, source.id);
}
