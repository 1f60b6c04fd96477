import { recordEvent } from "../events/events.ts";
import type { Clock } from "../platform/clock.ts";
import { SYSTEM } from "../platform/context.ts";
import type { Tx } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { type AccountRow, insertAccount, noteFirstAccount } from "./account-store.ts";
import { beginProbation } from "./standing/standing.ts";

/** Creates an account. Where there are others, it is on probation until it is known (docs/decisions/0070). */
export async function createAccount(tx: Tx, clock: Clock, input: { name: string }): Promise<AccountRow> {
  const now = clock.now();
  const account = await insertAccount(tx, {
    account_id: newId(clock),
    name: input.name,
    time_zone: "UTC",
    created_at: now,
    updated_at: now,
  });
  await noteFirstAccount(tx, account.account_id);
  await beginProbation(tx, account.account_id, now);
  const ctx = { sql: tx, accountId: account.account_id, actor: SYSTEM, clock };
  await recordEvent(ctx, { type: "account.created", data: {} });
  return account;
}
