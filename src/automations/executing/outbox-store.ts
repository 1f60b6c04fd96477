/** What steps tell others waits here, written with the step, until it was told. */
import type { TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import type { Node } from "../graph-types.ts";

type Telling = Extract<Node, { type: "webhook" | "notify" }>;

export async function addToOutbox(
  { sql: tx, accountId, clock }: TxCtx,
  automationId: string,
  name: string,
  { type, next: _, ...told }: Telling,
  runs: readonly { readonly id: string; readonly subscriberId: string; readonly visit: number }[],
): Promise<void> {
  const now = clock.now();
  await tx.execute(sql`
    insert into automation_outbox (account_id, id, automation_id, run_id, subscriber_id, visit, node, kind, told, happened_at, next_at)
    select ${accountId}, id, ${automationId}, run_id, subscriber_id, visit, ${name}, ${type}, ${JSON.stringify(told)}::jsonb, ${now},
           ${now}
    from unnest(${runs.map(() => newId(clock))}::uuid[], ${runs.map((one) => one.id)}::uuid[],
                ${runs.map((one) => one.subscriberId)}::uuid[], ${runs.map((one) => one.visit)}::smallint[])
      as new (id, run_id, subscriber_id, visit)`);
}
