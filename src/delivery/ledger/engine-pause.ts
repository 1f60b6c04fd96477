/** Delivery pauses a source by its own decision here, whatever the reason. */
import type { TxCtx } from "../../platform/context.ts";
import type { SourceOwner } from "../types.ts";
import { notifyProgress } from "./notifications.ts";
import { readSourceName } from "./owner-store.ts";
import { removeRunnable } from "./runnable-store.ts";
import { moveSource } from "./source-store.ts";

/** Pauses a running source and tells its owner. One that isn't running any more keeps its state and its reason. */
export async function pauseRunning(
  ctx: TxCtx,
  owner: SourceOwner,
  sourceId: string,
  why: {
    readonly reason: string;
    /** Is shown to people where it is given. */
    readonly detail?: string;
  },
): Promise<boolean> {
  const { sql, accountId } = ctx;
  const to = { state: "paused", reason: why.reason, endedAt: null } as const;
  if (!(await moveSource(sql, accountId, sourceId, ["running"], to))) return false;
  await removeRunnable(sql, accountId, sourceId);
  const source = await readSourceName(sql, accountId, sourceId);
  await owner.sourceEnded(ctx, source, { kind: "paused", ...why });
  await notifyProgress(sql, accountId, sourceId);
  return true;
}
