/**
 * A wave takes the transactional mail of an account for one day and one transport, so that a mail costs some rows and no source
 * of its own. Any number of requests add to it at once: none waits for another, and nothing is read (docs/decisions/0026).
 */
import { createHash } from "node:crypto";
import { isKept, recordEvents } from "../../events/events.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../ids.ts";
import { closeWaveKind, reviveWaveKind } from "../job-kinds.ts";
import { addRunnable, notifyReady } from "../ledger/ledger.ts";
import { findOwnTransport, findTransportFor } from "../transports/transports.ts";
import type { Stream } from "../types.ts";
import {
  closeWavePlan,
  lookAtWave,
  readStoppedWave,
  runAgain,
  sendToWave,
  type WaveOf,
  type WaveRecipient,
} from "./wave-store.ts";

const DAY_MS = 24 * 3_600_000;
/** A wave is closed this long after its day, so that no process whose clock is slow still adds to it. */
const CLOSED_AFTER_MS = 3_600_000;
const REVIVED_AFTER_MS = 60_000;

export type { WaveOf };

export type Wave = {
  readonly id: string;
  readonly transportId: string;
  /** Whether it leaves by the instance's server (SMTP_URL). */
  readonly isInstance: boolean;
  /** The greatest message that its server takes; null where that isn't known, or where there is no limit. */
  readonly sizeLimit: number | null;
  /** Whether it takes its first mail, as far as can be seen. */
  readonly isNew: boolean;
  readonly of: WaveOf;
  /** Whether its mail is taken from an allowance of the account. */
  readonly isLimited: boolean;
  /** Whether the account wants an event for each mail that is queued. */
  readonly keepsQueued: boolean;
};

/**
 * Says which wave takes an account's mail now: that of the transport which is asked for, else that of the account's choice, also
 * where there is no such transport any more. The instance's server may be asked for, where there is one, though the account has a
 * transport. It only reads, so it may be asked before the transaction.
 */
export async function findWave(
  ctx: Ctx,
  hasInstanceServer: boolean,
  wanted: string | null,
  of: WaveOf = "account",
): Promise<Wave> {
  const { sql, accountId, clock } = ctx;
  const [named, chosen, keepsQueued] = await Promise.all([
    wanted === null ? undefined : findOwnTransport(sql, accountId, wanted),
    findTransportFor(sql, accountId, "transactional", hasInstanceServer),
    isKept(sql, accountId, "email.queued"),
  ]);
  const own = wanted === INSTANCE_TRANSPORT && hasInstanceServer ? undefined : (named ?? chosen);
  const transportId = own?.id ?? (hasInstanceServer ? INSTANCE_TRANSPORT : SANDBOX_TRANSPORT);
  const id = waveIdOf(accountId, transportId, clock.now(), of);
  const { exists, isLimited } = await lookAtWave(sql, accountId, id);
  const isInstance = transportId === INSTANCE_TRANSPORT;
  const sizeLimit = own?.sizeLimit || null;
  const isTaken = isLimited && of === "account" && transportId !== SANDBOX_TRANSPORT;
  return { id, transportId, isInstance, sizeLimit, keepsQueued, isNew: !exists, of, isLimited: isTaken };
}

/** Processes of the release before call waves of the product's own mail `own`, and meter them. */
const KINDS: Readonly<Record<WaveOf, string>> = {
  account: "",
  product: "product's ",
  invitations: "invitations' ",
};

/**
 * Every process makes the same id for the same day, so none has to look for the wave. It is a UUIDv7 of the beginning of the
 * day, whose other bits are a digest.
 */
function waveIdOf(accountId: string, transportId: string, now: Date, of: WaveOf): string {
  const time = dayOf(now).toString(16).padStart(12, "0");
  const bits = createHash("sha256").update(`${KINDS[of]}wave ${accountId} ${transportId}`).digest("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-8${bits.slice(3, 6)}-${bits.slice(6, 18)}`;
}

function dayOf(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS) * DAY_MS;
}

/** A mail of a wave, with the ids by which events name it. */
type WaveMail = {
  readonly ids: Readonly<Record<string, string>>;
  readonly recipients: readonly WaveRecipient[];
};

/**
 * Adds mails to a wave within the caller's transaction, without waiting for an answer. The contacts of the recipients must be
 * there. A transaction that comes too late for the wave fails as a conflict. The caller wakes the senders once it has
 * committed: a notification within the transaction would let only one such transaction commit at a time.
 */
export async function addToWave(ctx: TxCtx, wave: Wave, mails: readonly WaveMail[]): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  const { transportId, isNew, of } = wave;
  const name = { accountId, waveId: wave.id, transportId, isNew, of, now };
  sendToWave(
    sql,
    name,
    mails.map(({ recipients }) => recipients),
  );
  if (wave.keepsQueued) {
    const dataOf = ({ ids, recipients }: WaveMail) => ({ ...ids, recipients: recipients.length, attempt: 0 });
    await recordEvents(
      ctx,
      mails.map((mail) => ({ type: "email.queued", data: dataOf(mail) })),
    );
  }
  if (!wave.isNew) return;
  const runAt = new Date(dayOf(now) + DAY_MS + CLOSED_AFTER_MS);
  const payload = { account_id: accountId, source_id: wave.id };
  await addJob(sql, closeWaveKind, payload, { runAt, key: `close ${wave.id}` });
}

/** Closes a wave whose day is over. A sender ends it once every message is settled. */
export async function closeWave(ctx: TxCtx, waveId: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  await closeWavePlan(sql, accountId, waveId, clock.now());
  await addRunnable(sql, accountId, waveId);
  await notifyReady(sql, waveId);
}

/**
 * Lets a wave go on that delivery paused or failed, by its own transport, or where that is gone by the one that the account has
 * now. For a campaign somebody decides; mail that a program sends waits for nobody. What was to leave by a server never goes into
 * the sandbox instead, where it would count as sent: without a server it waits for one.
 */
export async function reviveWave(ctx: TxCtx, waveId: string, hasInstanceServer: boolean): Promise<void> {
  const { sql, accountId } = ctx;
  const former = await readStoppedWave(sql, accountId, waveId);
  if (!former) return;
  const transportId = await findTransportAgain(ctx, former, hasInstanceServer);
  if (transportId === undefined) return reviveLater(ctx, waveId);
  if (!(await runAgain(sql, accountId, waveId, transportId))) return;
  await addRunnable(sql, accountId, waveId);
  await notifyReady(sql, waveId);
}

async function findTransportAgain(
  { sql, accountId }: TxCtx,
  { stream, transportId: former }: { readonly stream: Stream; readonly transportId: string },
  hasInstanceServer: boolean,
): Promise<string | undefined> {
  if (former === SANDBOX_TRANSPORT || (former === INSTANCE_TRANSPORT && hasInstanceServer)) return former;
  const own = await findOwnTransport(sql, accountId, former);
  const other = own ?? (await findTransportFor(sql, accountId, stream, hasInstanceServer));
  return other?.id ?? (hasInstanceServer ? INSTANCE_TRANSPORT : undefined);
}

/** Adds the job that revives a wave, in the transaction that pauses or fails it. */
export async function reviveLater({ sql, accountId, clock }: TxCtx, waveId: string): Promise<void> {
  const runAt = new Date(clock.now().getTime() + REVIVED_AFTER_MS);
  const payload = { account_id: accountId, source_id: waveId };
  await addJob(sql, reviveWaveKind, payload, { runAt, key: `revive ${waveId}` });
}
