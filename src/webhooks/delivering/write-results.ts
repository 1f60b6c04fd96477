/** Writes what became of some messages together with the endpoint's place in the log. */
import { recordEvent, releaseEvents } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { ownerOf } from "../kept-types.ts";
import { type DeliveryRow, insertDeliveries, updateDeliveries } from "./delivery-store.ts";
import type { Result } from "./items.ts";
import { disableLeased, type LeasedWebhook, moveOn, type Progress } from "./lease-store.ts";

export type Writing = {
  readonly results: readonly Result[];
  readonly progress: Progress;
  /** Why the endpoint is disabled with this; undefined where it isn't. */
  readonly disables: "gone" | "failing" | undefined;
};

type WriteTools = { readonly db: Db; readonly clock: Clock; readonly log: Log };

/** Returns false where the lease is lost; then nothing is written. */
export function writeResults(
  tools: WriteTools,
  webhook: LeasedWebhook,
  { results, progress, disables }: Writing,
): Promise<boolean> {
  return tools.db.transaction(async (tx) => {
    if (!(await moveOn(tx, webhook, progress))) return false;
    const rows = results.map(rowOf);
    const isStored = (_row: DeliveryRow, at: number) => results[at]?.item.isStored ?? false;
    await insertDeliveries(
      tx,
      rows.filter((row, at) => !isStored(row, at)),
    );
    await updateDeliveries(tx, rows.filter(isStored));
    if (disables && (await disableLeased(tx, webhook, disables, tools.clock.now()))) {
      await releaseEvents(tx, webhook.account_id, ownerOf(webhook.id));
      const data = { webhook_id: toPublicId("whk", webhook.id), reason: disables };
      const ctx = systemCtx(tools, tx, webhook.account_id);
      await recordEvent(ctx, { type: "webhook.disabled", data, isNoticed: true });
    }
    return true;
  });
}

function rowOf({ item, state, attempts, nextAttemptAt, answer }: Result): DeliveryRow {
  return { ...item.row, state, attempts, next_attempt_at: nextAttemptAt, answer };
}
