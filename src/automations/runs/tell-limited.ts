/** Tells that people were kept from entering, once an hour for each automation, however many they are. */
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";

const NOT_OFTENER_THAN_MS = 3_600_000;

/** Only who would tell it locks the row: others who let people in don't wait for each other. */
export async function tellLimited(ctx: TxCtx, automationId: string, people: number): Promise<void> {
  const { sql: tx, accountId, clock } = ctx;
  const now = clock.now();
  const since = new Date(now.getTime() - NOT_OFTENER_THAN_MS);
  const told = await tx.maybeOne(sql`
    select from automation_limits where account_id = ${accountId} and automation_id = ${automationId} and told_at > ${since}`);
  if (told) return;
  const mine = await tx.maybeOne(sql`
    insert into automation_limits as known (account_id, automation_id, told_at) values (${accountId}, ${automationId}, ${now})
    on conflict (account_id, automation_id) do update set told_at = excluded.told_at where known.told_at <= ${since}
    returning told_at`);
  if (!mine) return;
  const data = { automation_id: toPublicId("aut", automationId), count: people };
  await recordEvent(ctx, { type: "automation.entries_limited", data });
}
