/** Makes what a webhook step posts. It holds ids and no address: whoever gets it reads the person with a key of the account. */
import { toPublicId } from "../../platform/ids.ts";
import type { OutboxRow } from "./outbox-store.ts";

const MESSAGE_TYPE = "automation.webhook";

/** The same for every try of one visit, so that a receiver knows what it has already. */
export function messageId({ run_id: runId, visit }: Pick<OutboxRow, "run_id" | "visit">): string {
  return `${toPublicId("run", runId)}.${visit}`;
}

/** The same bytes for every try. */
export function messageBody(row: OutboxRow): Buffer {
  return Buffer.from(
    JSON.stringify({
      id: messageId(row),
      type: MESSAGE_TYPE,
      timestamp: row.happened_at.toISOString(),
      account_id: toPublicId("acc", row.account_id),
      data: {
        automation_id: toPublicId("aut", row.automation_id),
        run_id: toPublicId("run", row.run_id),
        subscriber_id: toPublicId("sub", row.subscriber_id),
        node: row.node,
        visit: row.visit,
      },
    }),
  );
}
