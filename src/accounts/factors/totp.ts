/**
 * Time-based one-time passwords (RFC 6238), as every authenticator app makes them: SHA-1, six digits, thirty seconds. It needs no
 * database.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const STEP_SECONDS = 30;
/** A clock may be a step behind or ahead (RFC 6238 §5.2 asks for one at most). */
const WINDOW = [0, -1, 1];
/** RFC 4226 §4 recommends 160 bits. */
export const SECRET_BYTES = 20;

/** Six digits of ASCII, and nothing else: what other scripts call digits is no code. */
const CODE = /^[0-9]{6}$/;

export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1_000 / STEP_SECONDS);
}

/** The code of a step (RFC 4226 §5.3). */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Returns the step that the code is of, now or one step before or after; undefined where it is wrong. */
export function stepOfCode(secret: Buffer, code: string, now: Date): number | undefined {
  if (!CODE.test(code)) return undefined;
  const given = Buffer.from(code);
  const present = stepAt(now);
  // All three are compared, so that the time taken doesn't tell how well the clocks agree.
  const right = WINDOW.map((shift) => present + shift).filter(
    (step) => step >= 0 && timingSafeEqual(Buffer.from(codeAt(secret, step)), given),
  );
  return right[0];
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Writes base32 without padding (RFC 4648 §6), which people can type into an app. */
export function toBase32(bytes: Buffer): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(held << (5 - bits)) & 31];
}

/** What the QR code holds, as apps read it. */
export function totpUri(secret: Buffer, whose: { readonly issuer: string; readonly email: string }): string {
  const label = `${encodeURIComponent(whose.issuer)}:${encodeURIComponent(whose.email)}`;
  const issuer = encodeURIComponent(whose.issuer);
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${issuer}&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`;
}
