/**
 * A soft bounce says that a mail wasn't taken, and not that its address is wrong. Several of them over some time suppress the address,
 * unless a mail is known to have reached it since.
 */
import { readBounceLimits } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { readLastHumanOpens } from "../engagement/engagement.ts";
import { liftSoftBounces, suppressContacts } from "../suppressions/suppressions.ts";
import { meetsSoftLimit } from "./soft-bounce-rules.ts";
import { insertSoftBounces, readHistories, type SoftBounce, upsertReached } from "./soft-bounce-store.ts";

export { removeOldSoftBounces, type SoftBounce } from "./soft-bounce-store.ts";

/** Counts them, and returns the addresses that they suppress, whether they were suppressed before or not. */
export async function noteSoftBounces(
  ctx: TxCtx,
  bounces: readonly SoftBounce[],
): Promise<ReadonlySet<string>> {
  if (bounces.length === 0) return new Set();
  await insertSoftBounces(ctx.sql, ctx.accountId, bounces);
  const met = await findThoseThatMeetTheLimit(
    ctx,
    bounces.map(({ contactId }) => contactId),
  );
  const wanted = met.map((contactId) => ({ contactId, reason: "soft_bounces" as const, source: "delivery" }));
  await suppressContacts(ctx, wanted, { tellAll: true });
  return new Set(met);
}

/**
 * Notes that a mail reached these addresses, so that their soft bounces until then don't count. Whom only such bounces have
 * suppressed may be mailed again: reports come in any order, and the outcome is the same.
 */
export async function noteReached(
  ctx: TxCtx,
  reached: readonly { readonly contactId: string; readonly at: Date }[],
): Promise<void> {
  if (reached.length === 0) return;
  await upsertReached(ctx.sql, ctx.accountId, reached);
  const contactIds = [...new Set(reached.map(({ contactId }) => contactId))];
  const met = new Set(await findThoseThatMeetTheLimit(ctx, contactIds));
  await liftSoftBounces(
    ctx,
    contactIds.filter((contactId) => !met.has(contactId)),
  );
}

async function findThoseThatMeetTheLimit(ctx: TxCtx, contactIds: readonly string[]): Promise<string[]> {
  const { sql, accountId } = ctx;
  const ids = [...new Set(contactIds)];
  const histories = await readHistories(sql, accountId, ids);
  if (histories.length === 0) return [];
  const limits = await readBounceLimits(sql, accountId);
  const opens = await readLastHumanOpens(sql, accountId, ids);
  return histories
    .filter(({ contactId, times, reachedAt }) =>
      meetsSoftLimit(times, later(reachedAt, opens.get(contactId) ?? null), limits),
    )
    .map(({ contactId }) => contactId);
}

function later(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one > other ? one : other;
}
