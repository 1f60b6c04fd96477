/**
 * A mail and its recipients have ids that differ in the last byte alone: 0 is the mail, and 1 to 50 are its recipients, by which
 * the ledger knows them. So either is found from the other without a look at the database.
 */
import type { Clock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";

export const MOST_RECIPIENTS = 50;

export function newMailId(clock: Clock): string {
  return `${newId(clock).slice(0, -2)}00`;
}

export function recipientIdOf(mailId: string, nth: number): string {
  return `${mailId.slice(0, -2)}${(nth + 1).toString(16).padStart(2, "0")}`;
}

export function mailIdOf(recipientId: string): string {
  return `${recipientId.slice(0, -2)}00`;
}

/** Returns the place of a recipient in its mail, from 0. */
export function nthOf(recipientId: string): number {
  return Number.parseInt(recipientId.slice(-2), 16) - 1;
}

/** Returns the ids of the first `count` recipients of a mail. */
export function recipientIdsOf(mailId: string, count: number): string[] {
  return Array.from({ length: count }, (_, nth) => recipientIdOf(mailId, nth));
}
