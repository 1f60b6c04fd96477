/** Operators say how many mails a day and how many subscribers an account may have at most, beside what its standing allows. */
import { changedFields, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { missing } from "../../platform/problems.ts";
import { type Limits, lockLimits, updateLimits } from "./limit-store.ts";
import { dayOf } from "./standing-rules.ts";
import { limitDay } from "./standing-store.ts";

export type LimitsPatch = Partial<Limits>;

const EDITABLE = ["name", "daily_mail_limit", "subscriber_limit"] as const;

/** Covers what operators may change of an account, and nothing that its own people do but its name. */
export function limitsEtag({ name, daily_mail_limit, subscriber_limit }: Limits): string {
  return etagOf({ name, daily_mail_limit, subscriber_limit });
}

/**
 * Changes what operators allow an account. A new number of mails holds for the day that has begun too: what senders drew before stays
 * counted, and no more is drawn.
 */
export async function changeLimits(
  ctx: TxCtx,
  patch: LimitsPatch,
  ifMatch: string | undefined,
): Promise<Limits> {
  const { sql, accountId, clock, actor } = ctx;
  const before = await lockLimits(sql, accountId);
  if (!before) throw missing("account");
  requireMatch(ifMatch, limitsEtag(before));
  const wanted = { ...before, ...patch };
  const changed = changedFields(before, wanted, EDITABLE);
  if (changed.length === 0) return before;
  const now = clock.now();
  const after = await updateLimits(sql, accountId, wanted, { now, actor });
  if (changed.includes("daily_mail_limit"))
    await limitDay(sql, accountId, dayOf(now), after.daily_mail_limit);
  await recordEvent(ctx, { type: "account.updated", data: { changed: [...changed] } });
  return after;
}
