import { createHash } from "node:crypto";

/**
 * Returns a person's own number from 0 to 999 at a step. It is the same whenever they come, and says nothing about the number at
 * another step or in another automation.
 */
export function shareOf(automationId: string, node: string, subscriberId: string): number {
  const digest = createHash("sha256").update(`${automationId} ${node} ${subscriberId}`).digest();
  return Number(digest.readBigUInt64BE() % 1_000n);
}
