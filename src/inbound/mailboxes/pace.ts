/** These rules say when a mailbox is looked into next. No I/O happens here. */
import type { FailureCode } from "./failures.ts";

/** A server without IDLE is asked this often. */
const POLL_EVERY_MS = 120_000;
const FIRST_WAIT_MS = 30_000;
/** Servers lock out who signs in with a wrong password too often. */
const FIRST_WAIT_AFTER_REFUSAL_MS = 300_000;
const LONGEST_WAIT_MS = 3_600_000;

/** `failures` counts those in a row. `random` is in [0, 1): without it, mailboxes of one server would all come back at once. */
export function waitAfterFailure(code: FailureCode, failures: number, random: number): number {
  const first = code === "sign_in" ? FIRST_WAIT_AFTER_REFUSAL_MS : FIRST_WAIT_MS;
  const wait = Math.min(LONGEST_WAIT_MS, first * 2 ** Math.min(failures - 1, 20));
  return jittered(wait, random);
}

export function waitAfterSuccess(random: number): number {
  return jittered(POLL_EVERY_MS, random);
}

/** Returns between 80% and 120% of the time. */
function jittered(ms: number, random: number): number {
  return Math.round(ms * (0.8 + 0.4 * random));
}
