/**
 * Test messages go to a few addresses that the author chose. They use the transport of their stream and the ledger of no source; they are taken from
 * the account's mails all the same, and count where a server took them.
 */
import { drawForTests, refuseWhileHeld } from "../../accounts/accounts.ts";
import { createSmtpPool, type SmtpOptions, type SmtpOutcome } from "../../mail/smtp/smtp.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/db.ts";
import { addJobs, type JobCtx } from "../../platform/jobs/jobs.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import { sendTestKind, type TestPayload } from "../job-kinds.ts";
import { catchMessages } from "../sandbox/sandbox.ts";
import { readTransport, type TransportTools, toAsciiDomain, transportFor } from "../transports/transports.ts";
import type { Stream, TestMessage } from "../types.ts";
import { dropTestMail, settleTestMail, takeTestMails } from "../usage/usage.ts";

/** What sending a test message needs. */
export type TestSendTools = TransportTools & {
  /** The instance's own server; where it is undefined, the sandbox takes its place. */
  readonly relay: SmtpOptions | undefined;
};

/**
 * Adds a job for each message, which sends it by the account's transport or else by the instance's. Where there is neither, or
 * the campaign is one for the sandbox alone, the messages are put into the sandbox at once.
 */
export async function sendTestMessages(
  ctx: TxCtx,
  messages: readonly TestMessage[],
  {
    stream,
    hasRelay,
    isSandbox,
  }: { readonly stream: Stream; readonly hasRelay: boolean; readonly isSandbox: boolean },
): Promise<void> {
  await refuseWhileHeld(ctx);
  if (isSandbox) return catchMessages(ctx, messages);
  const { id: transportId } = await transportFor(ctx.sql, ctx.accountId, stream, hasRelay);
  if (transportId === INSTANCE_TRANSPORT && !hasRelay) return catchMessages(ctx, messages);
  await drawForTests(ctx, messages.length);
  const ids = await takeTestMails(ctx, messages.length, transportId);
  const payloads = messages.map(({ from, to, message }, nth) => ({
    mail_id: ids[nth] as string,
    account_id: ctx.accountId,
    transport_id: transportId,
    from,
    to,
    message: message.toString("base64"),
  }));
  await addJobs(ctx.sql, sendTestKind, payloads);
}

/** The time-outs are short because the author is waiting; their sum is below the time limit of the job. */
const TIMEOUTS = {
  connectMs: 20_000,
  tlsMs: 20_000,
  greetingMs: 30_000,
  commandMs: 20_000,
  mailMs: 20_000,
  rcptMs: 20_000,
  dataMs: 20_000,
  dotMs: 60_000,
};

/** Doesn't throw on the last attempt: a job that failed for good would be kept, with the address in its payload. */
export async function sendTest(ctx: JobCtx, tools: TestSendTools, payload: TestPayload): Promise<void> {
  const { account_id: accountId, transport_id: transportId, from, to, mail_id: mailId } = payload;
  const drop = async (db: Pick<Tx, "execute">) => {
    if (mailId !== undefined) await dropTestMail(db, accountId, mailId);
  };
  const message = Buffer.from(payload.message, "base64");
  const isInstance = transportId === INSTANCE_TRANSPORT;
  const smtp = isInstance
    ? tools.relay
    : (await readTransport(ctx.db, tools.secrets, accountId, transportId, tools.internalHosts))?.smtp;
  if (!smtp && isInstance) {
    // The instance had a server when the job was added, and has none now.
    const { clock, log } = ctx;
    return ctx.db.transaction(async (tx) => {
      await drop(tx);
      await catchMessages(systemCtx({ clock, log }, tx, accountId), [{ from, to, message }]);
    });
  }
  if (!smtp) {
    await drop(ctx.db);
    return void ctx.log.warn({ transport: transportId }, "a test message's transport is gone");
  }
  const outcome = await sendOnce(smtp, { from, to, message }, ctx.signal);
  if (outcome.kind === "accepted") {
    if (mailId !== undefined) await settleTestMail(ctx.db, accountId, mailId, ctx.clock.now());
    return;
  }
  const { kind, phase, code } = outcome;
  const mayTryAgain =
    ["deferred", "unreachable", "withdrawn"].includes(kind) && ctx.attempt < sendTestKind.maxAttempts;
  if (mayTryAgain) throw new Error(`a test message was ${kind} at ${phase} (${code ?? "no reply"})`);
  await drop(ctx.db);
  ctx.log.warn({ transport: transportId, kind, phase, code }, "a test message was not delivered");
}

/** Sends one message by a transport of the account's, or by the instance's own where that is null, and says what became of it. */
export async function handOverTest(
  { db, signal }: Pick<JobCtx, "db" | "signal">,
  tools: TestSendTools,
  accountId: string,
  transportId: string | null,
  message: TestMessage,
): Promise<SmtpOutcome | "no_transport"> {
  const smtp =
    transportId === null
      ? tools.relay
      : (await readTransport(db, tools.secrets, accountId, transportId, tools.internalHosts))?.smtp;
  return smtp ? sendOnce(smtp, message, signal) : "no_transport";
}

async function sendOnce(smtp: SmtpOptions, one: TestMessage, signal: AbortSignal): Promise<SmtpOutcome> {
  const pool = createSmtpPool({ ...smtp, maxConnections: 1, timeouts: TIMEOUTS });
  try {
    const envelope = { from: toAsciiDomain(one.from), to: [toAsciiDomain(one.to)] };
    return await pool.send({ envelope, body: one.message, signal });
  } finally {
    await pool.drain();
  }
}
