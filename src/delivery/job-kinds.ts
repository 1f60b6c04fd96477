/**
 * These are the kinds of jobs that delivery adds to the queue. `jobs.ts` says how each is run, because that needs tools which
 * those who add a job don't have.
 */
import { defineJob } from "../platform/jobs/jobs.ts";

export type SourcePayload = { account_id: string; source_id: string };

const DAY_MS = 24 * 3_600_000;

export const planSourceKind = defineJob<SourcePayload>({
  name: "plan_source",
  // Somebody has just pressed "send" and is waiting.
  priority: -10,
  timeoutMs: DAY_MS,
  run: notHere,
});
export const cancelSourceKind = defineJob<SourcePayload>({
  name: "cancel_source",
  priority: -10,
  timeoutMs: DAY_MS,
  run: notHere,
});
/** Has a high priority, because the recipients that it moves to another source get no mail before it has run. */
export const takeOverSourceKind = defineJob<SourcePayload>({
  name: "take_over_source",
  priority: -10,
  timeoutMs: DAY_MS,
  run: notHere,
});
/** Has the usual priority, because nobody waits for it. */
export const discardSourceKind = defineJob<SourcePayload>({
  name: "discard_source",
  timeoutMs: DAY_MS,
  run: notHere,
});
/** Closes the wave of a day that is over. */
export const closeWaveKind = defineJob<SourcePayload>({ name: "close_wave", run: notHere });
/** Lets a wave go on that delivery paused or failed: nobody would press a button for it. */
export const reviveWaveKind = defineJob<SourcePayload>({ name: "revive_wave", run: notHere });
/** Lets mail go that was put off for a mailbox provider which somebody has opened. */
export type PutOffPayload = {
  account_id: string;
  transport_id: string;
  closed_until: string;
  opened_at: string;
};
export const sendPutOffKind = defineJob<PutOffPayload>({
  name: "send_put_off",
  timeoutMs: 600_000,
  run: notHere,
});
/** Lets rows of a source go at once that only waited for a place on the server which it has left. */
export type MovedPayload = SourcePayload & { moved_at: string };
export const bringForwardKind = defineJob<MovedPayload>({
  name: "bring_forward",
  // Until it has run, mail waits that could leave.
  priority: -10,
  timeoutMs: 600_000,
  run: notHere,
});
/** Keeps the counts by domain of a source that has ended for good. */
export const keepDomainsKind = defineJob<SourcePayload>({
  name: "keep_domains",
  // It isn't urgent: until it has run, the ledger is counted each time somebody asks.
  priority: 5,
  timeoutMs: 300_000,
  run: notHere,
});

/** Looks whether campaigns of an account go on, or stop, now that it may send another number of mails. */
export type AllowancePayload = { account_id: string };
export const allowanceChangedKind = defineJob<AllowancePayload>({
  name: "allowance_changed",
  priority: -5,
  run: notHere,
});

/** Tries a transport again that was put out at that time. */
export type ProbePayload = { account_id: string; transport_id: string; out_since: string };
export const probeTransportKind = defineJob<ProbePayload>({ name: "probe_transport", run: notHere });

/** Looks again at rows that were on the wire when there was evidence that they had arrived. */
export type EvidencePayload = {
  evidence: readonly {
    accountId: string;
    sourceId: string;
    contactId: string;
    by: "dsn" | "open" | "click" | "reply" | "unsubscribe" | "acceptance";
  }[];
  looks: number;
};
export const settleLaterKind = defineJob<EvidencePayload>({
  name: "settle_later",
  priority: 5,
  run: notHere,
});

/** `message` is in base64. Address and text are personal data, so they are never logged and are kept no longer than needed. */
export type TestPayload = {
  account_id: string;
  transport_id: string;
  from: string;
  to: string;
  message: string;
  /** The row of `test_mails`; a job of the release before has none. */
  mail_id?: string;
};
export const sendTestKind = defineJob<TestPayload>({
  name: "send_test",
  priority: -5,
  // This is longer than all time-outs of the SMTP client together, so that the client ends by itself and says how.
  timeoutMs: 240_000,
  maxAttempts: 3,
  run: notHere,
});

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
