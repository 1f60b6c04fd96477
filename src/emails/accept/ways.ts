/** Says by which transport mail leaves, and whether that can take it. */
import { findWave, INSTANCE_TRANSPORT, type Wave, type WaveOf } from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import type { Draft, Texts } from "../input/input.ts";
import { emailTooLarge } from "../problems.ts";

/** Finds the wave of mail that is accepted now; a refusal says that the transport which was named isn't there. */
export type WaveFinder = (
  ctx: Ctx,
  transportId: string | null,
  /** Whose mail it is, where it isn't the account's. */
  of?: WaveOf,
) => Promise<Wave>;

/** So long a process takes for granted which transport an account has. */
const WAVE_KNOWN_MS = 1_000;
const MOST_KNOWN = 10_000;

/**
 * Returns a function that says by which wave mails leave that are accepted now. It asks once a second for an account, because
 * its statements would cost as much as storing the mail.
 */
export function createWaveFinder(hasInstanceServer: boolean): WaveFinder {
  const found = createLruCache<{ readonly wave: Promise<Wave>; readonly atMs: number }>(MOST_KNOWN);
  return async (ctx, transportId, of = "account") => {
    const nowMs = ctx.clock.monotonicMs();
    const key = `${ctx.accountId} ${transportId} ${of}`;
    const known = found.get(key);
    if (known && nowMs - known.atMs < WAVE_KNOWN_MS) return known.wave;
    const wave = findWave(ctx, hasInstanceServer, transportId, of).then((one) => {
      if (transportId !== null && one.transportId !== transportId) throw unknownTransport();
      return one;
    });
    found.set(key, { wave, atMs: nowMs });
    wave.catch(() => found.delete(key));
    return wave;
  };
}

export function readTransportId(given: string | undefined): string | null {
  if (given === undefined) return null;
  const id = fromPublicId("trn", given);
  // The instance's own has no public id, so that no program chooses it.
  if (id === undefined || id === INSTANCE_TRANSPORT) throw unknownTransport();
  return id;
}

function unknownTransport(): AppError {
  const detail = "there is no such transport in this account";
  return invalid({ pointer: "/transport_id", code: "not_found", detail });
}

/** A line of base64 has 76 characters and a line break (RFC 2045 §6.8). */
const BASE64_GROWTH = (4 / 3) * (78 / 76);

/**
 * Refuses a mail that its server is known not to take. Texts grow when they are encoded, and headers come to them, so a mail that
 * is only just too large is refused when it is sent.
 */
export function checkSize({ sizeLimit }: Wave, { attachments }: Draft, { html, text }: Texts): void {
  if (sizeLimit === null) return;
  const attached = attachments.reduce((sum, { size }) => sum + size, 0);
  const written = Buffer.byteLength(html ?? "") + Buffer.byteLength(text ?? "");
  const least = Math.floor(attached * BASE64_GROWTH) + written;
  if (least <= sizeLimit) return;
  const detail = `the mail has at least ${least} bytes, and the server of its transport takes ${sizeLimit}`;
  throw new AppError(emailTooLarge, detail);
}
