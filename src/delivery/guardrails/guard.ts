/** Acts on the guardrails that a source has met: pauses it, warns of it, or holds the account's next campaign. */
import { readGuardrails } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { lockSourceProgress, pauseRunning, readSourceName, type SourceProgress } from "../ledger/ledger.ts";
import type { SourceOwner } from "../types.ts";
import { judgeCounts, type Met } from "./guardrail-rules.ts";
import { addMet, insertHold, readGuarded } from "./guardrail-store.ts";

/**
 * Judges a source under its lock, so that of several who saw the same counts one acts, and none acts on counts from before a
 * resume. What was met once is not acted on again until the source counts anew. Returns whether the source is paused now.
 */
export async function guardSource(ctx: TxCtx, owner: SourceOwner, sourceId: string): Promise<boolean> {
  const { sql, accountId } = ctx;
  const progress = await lockSourceProgress(sql, accountId, sourceId);
  if (!progress || progress.state === "replaced") return false;
  const isPaused = progress.state === "paused";
  // The lock is a statement of its own, because this one must see what others committed before they released it.
  const guarded = await readGuarded(sql, accountId, sourceId);
  if (!guarded) return isPaused;
  const all = judgeCounts(guarded, await readGuardrails(sql, accountId));
  const met = all.filter(({ name }) => !guarded.met.includes(name));
  const [gravest] = met;
  if (!gravest) return isPaused;
  await addMet(
    sql,
    accountId,
    sourceId,
    met.map(({ name }) => name),
  );
  const { name, detail } = gravest;
  const isWarning = name === "complaints_warning";
  if (isWarning || !isUnderWay(progress)) {
    // A source that is paused keeps the reason it has, and somebody will decide about it: it holds nothing.
    await warn(ctx, owner, sourceId, gravest, !isWarning && !guarded.isSandbox && !isPaused);
    return isPaused;
  }
  ctx.sql.afterCommit(() => ctx.log.warn({ source: sourceId, reason: name, detail }, "a source was paused"));
  return pauseRunning(ctx, owner, sourceId, { reason: name, detail });
}

/** Returns whether a pause would keep anybody from being mailed. */
function isUnderWay({ state, isPlanned, done, recipients }: SourceProgress): boolean {
  return state === "running" && !(isPlanned && done >= recipients);
}

async function warn(
  ctx: TxCtx,
  owner: SourceOwner,
  sourceId: string,
  { name, detail }: Met,
  holdsNext: boolean,
): Promise<void> {
  const source = await readSourceName(ctx.sql, ctx.accountId, sourceId);
  const reason = name === "complaints_warning" ? "complaints" : name;
  if (holdsNext) {
    const ids = Object.values(owner.idsInEvents(source)).join(", ");
    const hold = { at: ctx.clock.now(), reason, detail: ids ? `${detail} (${ids})` : detail };
    await insertHold(ctx.sql, ctx.accountId, sourceId, hold);
  }
  await owner.sourceWarned(ctx, source, { reason, detail, holdsNext });
  ctx.sql.afterCommit(() => ctx.log.warn({ source: sourceId, reason, detail }, "a source met a guardrail"));
}
