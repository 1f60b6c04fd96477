/** Checks whether bounces and complaints of the account's earlier campaigns hold the next one. */
import { type Hold, readHolds } from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Check } from "../schema.ts";
import type { SenderDefaults } from "../sender-defaults.ts";

/** A hold lapses after so many days: mailbox providers judge a sender by about its last month. */
const HELD_FOR_MS = 30 * 24 * 3_600_000;

export async function guardrailChecks(
  { sql, accountId, clock }: Ctx,
  { account, isSandbox }: Pick<SenderDefaults, "account" | "isSandbox">,
): Promise<Check[]> {
  const lapsedMs = clock.now().getTime() - HELD_FOR_MS;
  const releasedMs = new Date(account?.guardrails.released_at ?? 0).getTime();
  const holds = await readHolds(sql, accountId, new Date(Math.max(lapsedMs, releasedMs)));
  return checkHolds(holds, isSandbox);
}

/** The sandbox isn't held, because nobody's inbox is reached from it. */
function checkHolds(holds: readonly Hold[], isSandbox: boolean): Check[] {
  const [newest] = holds;
  if (!newest) return [];
  const what = holds.map(({ detail }) => detail).join("; ");
  return [
    {
      code: "guardrail_hold",
      severity: isSandbox ? "warning" : "error",
      message: `An earlier campaign of this account met a guardrail when it could not be paused any more: ${what}.`,
      remedy:
        "Find out why, and take such addresses off the list. To go on knowingly, PATCH /v1/account with " +
        `{"guardrails": {"released_at": "${newest.at.toISOString()}"}}.`,
      place: null,
      count: holds.length,
    },
  ];
}
