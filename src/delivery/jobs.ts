/** Says how the jobs of delivery are run, for the `jobs` role. */
import { type AccountReleasedPayload, accountReleasedKind, findHolds } from "../accounts/accounts.ts";
import { systemCtx, type TxCtx } from "../platform/context.ts";
import { type AnyJob, addJob, type JobCtx } from "../platform/jobs/jobs.ts";
import { bringForward, probeOutTransport } from "./failover/failover.ts";
import {
  bringForwardKind,
  cancelSourceKind,
  closeWaveKind,
  discardSourceKind,
  type EvidencePayload,
  keepDomainsKind,
  planSourceKind,
  probeTransportKind,
  reviveWaveKind,
  type SourcePayload,
  sendPutOffKind,
  sendTestKind,
  settleLaterKind,
  type TestPayload,
  takeOverSourceKind,
} from "./job-kinds.ts";
import { listUnplanned } from "./ledger/ledger.ts";
import { planSlice } from "./planning/planning.ts";
import { sendPutOff } from "./providers/providers.ts";
import { keepDomains, settleByEvidence } from "./reports/reports.ts";
import { sendTest, type TestSendTools } from "./sending/sending.ts";
import {
  cancelRows,
  closeWave,
  discardSource,
  endIfDone,
  reviveWave,
  takeOverRows,
} from "./sources/sources.ts";
import type { SourceOwner } from "./types.ts";
import { dropTestMail } from "./usage/usage.ts";

/** A job that waits for rows on the wire looks again after this time: by then most are settled, or known to be lost. */
const AGAIN_MS = 2_000;

export function deliveryJobs({
  owner,
  ...tools
}: TestSendTools & { readonly owner: SourceOwner }): readonly AnyJob[] {
  async function plan(ctx: JobCtx, payload: SourcePayload): Promise<void> {
    const { account_id: accountId, source_id: sourceId } = payload;
    while (await planSlice({ ...ctx, owner }, accountId, sourceId)) {
      // A new job is added instead of failing this one, because stopping the service must not use up a job's attempts.
      if (ctx.signal.aborted) return addJob(ctx.db, planSourceKind, payload, { key: `plan ${sourceId}` });
    }
    await endIfDone({ ...ctx, owner }, accountId, sourceId);
  }

  /** Senders see by themselves that they may go on; planning has ended its jobs. */
  async function release(ctx: JobCtx, { account_id: accountId }: AccountReleasedPayload): Promise<void> {
    for (const sourceId of await listUnplanned(ctx.db, accountId)) {
      const payload = { account_id: accountId, source_id: sourceId };
      await addJob(ctx.db, planSourceKind, payload, { key: `plan ${sourceId}` });
    }
  }

  /** An account may be held since its test was asked for; the author is told by what holds it. */
  async function sendUnlessHeld(ctx: JobCtx, payload: TestPayload): Promise<void> {
    const holds = await findHolds(ctx.db, payload.account_id);
    if (holds.length === 0) return sendTest(ctx, tools, payload);
    if (payload.mail_id !== undefined) await dropTestMail(ctx.db, payload.account_id, payload.mail_id);
    ctx.log.warn({ transport: payload.transport_id }, "a test message was dropped: its account is held");
  }

  async function cancel(ctx: JobCtx, payload: SourcePayload): Promise<void> {
    if (await cancelRows(ctx, payload.account_id, payload.source_id)) return;
    const runAt = new Date(ctx.clock.now().getTime() + AGAIN_MS);
    await addJob(ctx.db, cancelSourceKind, payload, { runAt, key: `cancel ${payload.source_id}` });
  }

  async function takeOver(ctx: JobCtx, payload: SourcePayload): Promise<void> {
    if (await takeOverRows(ctx, payload.account_id, payload.source_id)) return;
    const runAt = new Date(ctx.clock.now().getTime() + AGAIN_MS);
    await addJob(ctx.db, takeOverSourceKind, payload, { runAt, key: `take over ${payload.source_id}` });
  }

  async function discard(ctx: JobCtx, payload: SourcePayload): Promise<void> {
    if (await discardSource(ctx, payload.account_id, payload.source_id)) return;
    // It was stopped halfway, which is no failure, so another job continues.
    await addJob(ctx.db, discardSourceKind, payload);
  }

  async function settleLater({ db, clock }: JobCtx, { evidence, looks }: EvidencePayload): Promise<void> {
    await db.transaction((tx) => settleByEvidence(tx, clock, evidence, looks));
  }

  const inTransaction =
    (work: (ctx: TxCtx, sourceId: string) => Promise<void>) =>
    ({ db, clock, log }: JobCtx, { account_id: accountId, source_id: sourceId }: SourcePayload) =>
      db.transaction((tx) => work(systemCtx({ clock, log }, tx, accountId), sourceId));
  const revive = (ctx: TxCtx, waveId: string) => reviveWave(ctx, waveId, tools.relay !== undefined);

  return [
    { ...accountReleasedKind, run: release },
    { ...closeWaveKind, run: inTransaction(closeWave) },
    { ...reviveWaveKind, run: inTransaction(revive) },
    { ...discardSourceKind, run: discard },
    { ...planSourceKind, run: plan },
    { ...cancelSourceKind, run: cancel },
    { ...takeOverSourceKind, run: takeOver },
    { ...keepDomainsKind, run: keepDomains },
    { ...settleLaterKind, run: settleLater },
    { ...sendPutOffKind, run: ({ db }, payload) => sendPutOff(db, payload) },
    { ...bringForwardKind, run: ({ db, signal }, payload) => bringForward(db, payload, signal) },
    { ...probeTransportKind, run: (ctx, payload) => probeOutTransport(ctx, tools, payload) },
    { ...sendTestKind, run: (ctx, payload) => sendUnlessHeld(ctx, payload) },
  ];
}
