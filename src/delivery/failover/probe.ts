/** The job that tries a transport again that was put out: it connects, says EHLO and signs in, and sends nothing. */
import { systemCtx } from "../../platform/context.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import type { ProbePayload } from "../job-kinds.ts";
import {
  noteTry,
  probeTransport,
  reinstateTransport,
  type TransportTools,
} from "../transports/transports.ts";

export async function probeOutTransport(
  { db, clock, log }: JobCtx,
  tools: TransportTools,
  { account_id: accountId, transport_id: id, out_since: since }: ProbePayload,
): Promise<void> {
  const outSince = new Date(since);
  const isWell = await probeTransport(db, tools, accountId, id, outSince);
  if (isWell === undefined) return;
  await db.transaction(async (tx) => {
    const ctx = systemCtx({ clock, log }, tx, accountId);
    if (isWell) await reinstateTransport(ctx, id, "probe", outSince);
    else await noteTry(ctx, id, outSince);
  });
}
