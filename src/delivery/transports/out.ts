/**
 * A transport that refuses us, or can't be reached, is put out: one row says so, whoever found it out first, and the account
 * is told once. It comes back by a probe, by hand, or by an edit of its settings.
 */
import { closeAlert, closeAlertsAbout, openAlert } from "../../alerts/alerts.ts";
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { probeTransportKind } from "../job-kinds.ts";
import { markBack, markOut, markTried, type OutRow, setNextTry } from "./out-store.ts";
import { findTransport, type OutReason, type TransportRow } from "./store.ts";

const FIRST_TRY_MS = 30_000;
const LONGEST_TRY_MS = 30 * 60_000;
/**
 * One that is put out again so soon after it came back is probed as rarely as before: a server may let us in, which is all that
 * a probe sees, and then take no mail of ours.
 */
const SAME_TROUBLE_MS = 3_600_000;

/** Returns after how long a transport is probed that was probed so often already: 30 s, then twice as long, up to 30 min. */
function tryAfterMs(tries: number): number {
  return Math.min(LONGEST_TRY_MS, FIRST_TRY_MS * 2 ** Math.min(tries, 10));
}

/** What was found, and of which version of the transport: one that was edited since isn't put out for what it was before. */
type Found = { readonly version: number; readonly reason: OutReason; readonly detail: string };

/** Returns false where it was out already, was edited since, or is gone. */
export async function putOut(ctx: TxCtx, id: string, found: Found): Promise<boolean> {
  const { sql, accountId, clock, log } = ctx;
  const now = clock.now();
  const sameTroubleSince = new Date(now.getTime() - SAME_TROUBLE_MS);
  const row = await markOut(sql, accountId, id, { ...found, now, sameTroubleSince });
  if (!row) return false;
  await probeLater(ctx, id, row);
  const data = { transport_id: toPublicId("trn", id), reason: found.reason };
  await recordEvent(ctx, { type: "transport.put_out", data });
  await openAlert(ctx, {
    kind: "transport_out",
    subject: toPublicId("trn", id),
    severity: "warning",
    stateKey: found.reason,
    title: `Mail no longer leaves by ${row.name}`,
    detail:
      found.reason === "refused"
        ? `${row.host} refuses our mail: ${found.detail}.`
        : `No mail gets through to ${row.host}: ${found.detail}.`,
    remedy:
      "Mail leaves by the next server in the order meanwhile. This one is tried again by itself; mend its settings, or reinstate it once it is well.",
    data,
  });
  sql.afterCommit(() => log.warn({ transport: id, reason: found.reason }, "a transport was put out"));
  return true;
}

/** Notes that a probe failed, and adds the next one. Nothing happens where the transport came back or was put out anew since. */
export async function noteTry(ctx: TxCtx, id: string, outSince: Date): Promise<void> {
  const row = await markTried(ctx.sql, ctx.accountId, id, outSince);
  if (row) await probeLater(ctx, id, row);
}

async function probeLater({ sql, accountId, clock }: TxCtx, id: string, row: OutRow): Promise<void> {
  const runAt = new Date(clock.now().getTime() + tryAfterMs(row.out_tries));
  await setNextTry(sql, accountId, id, runAt);
  const payload = { account_id: accountId, transport_id: id, out_since: row.out_since.toISOString() };
  await addJob(sql, probeTransportKind, payload, { runAt, key: `probe ${id}` });
}

/**
 * Brings a transport back, and returns it; undefined where it wasn't out, or not since then. Sources that have moved stay where
 * they are.
 */
export async function reinstateTransport(
  ctx: TxCtx,
  id: string,
  by: "probe" | "hand" | "edit",
  outSince?: Date,
): Promise<TransportRow | undefined> {
  const { sql, accountId, clock } = ctx;
  const keepsTries = by === "probe";
  if (!(await markBack(sql, accountId, id, { now: clock.now(), outSince, keepsTries }))) return undefined;
  const subject = toPublicId("trn", id);
  await recordEvent(ctx, { type: "transport.reinstated", data: { transport_id: subject, cause: by } });
  await closeAlert(ctx, "transport_out", subject);
  return findTransport(sql, accountId, id);
}

/** Closes the alert of a transport that is deleted. */
export async function forgetOut(ctx: TxCtx, id: string): Promise<void> {
  await closeAlertsAbout(ctx, toPublicId("trn", id));
}
