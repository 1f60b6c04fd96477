/**
 * Counts the mails that people opened and clicked in by provider. In which flow and for which hour a message counts is decided at its first
 * hit and stays, so that the counts equal a recount whatever becomes of the ledger's row.
 */
import { countEngagement, readFlowsOfMails } from "../../delivery/delivery.ts";
import type { Tx } from "../../platform/db/db.ts";
import { NO_ENGAGEMENT, sumsOf } from "./count.ts";
import type { CountedFlow, MessageKey, MessageRow } from "./count-store.ts";

const NO_FLOW: CountedFlow = { flowId: null, mailedAt: null };
type Named = Pick<MessageKey, "accountId" | "sourceId"> & { readonly contactId: string | null };

/** Looks up what messages count for of which nothing was seen before. */
export async function placeInFlows(
  tx: Tx,
  fresh: readonly MessageKey[],
): Promise<{ of(message: Named): CountedFlow }> {
  const found = await readFlowsOfMails(tx, fresh);
  const placed = new Map(fresh.map((key, at) => [nameOf(key), found[at] ?? NO_FLOW]));
  return { of: (message) => placed.get(nameOf(message)) ?? NO_FLOW };
}

/** Adds what changed of each message: `before` is undefined for one that is new, `after` for one that is forgotten. */
export function countInFlows(
  tx: Tx,
  messages: readonly (readonly [before: MessageRow | undefined, after: MessageRow | undefined])[],
): Promise<void> {
  const changes = messages.flatMap(([before, after]) => {
    const { accountId, flowId, mailedAt } = (after ?? before) as MessageRow;
    if (flowId === null || mailedAt === null) return [];
    const [was, is] = [sumsOf(before ?? NO_ENGAGEMENT), sumsOf(after ?? NO_ENGAGEMENT)];
    const place = { accountId, flowId, mailedAt };
    return [
      { ...place, what: "opened" as const, by: is.humanOpeners - was.humanOpeners },
      { ...place, what: "clicked" as const, by: is.humanClickers - was.humanClickers },
    ];
  });
  return countEngagement(tx, changes);
}

function nameOf({ accountId, sourceId, contactId }: Named): string {
  return `${accountId} ${sourceId} ${contactId}`;
}
