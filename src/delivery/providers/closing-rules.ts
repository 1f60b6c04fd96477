/** These pure rules say how long a mailbox provider is closed, when it is closed again, and when the mails that waited are sent afterwards. */

export type Closed = {
  readonly closedAt: Date;
  readonly until: Date;
  /** How often in a row it closed again soon after it had opened; 0 where it was opened by hand. */
  readonly times: number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A provider that says the same within this time after it opened is closed for twice as long. */
const CALM_MS = 6 * HOUR_MS;
/** Nothing is closed for longer by being repeated. */
const LONGEST_MS = 4 * HOUR_MS;
/** What was on the wire when the provider closed says the same again, and changes nothing; something graver does. */
const SAME_MS = MINUTE_MS;
/** The clock was set back where something seems to have been closed so far ahead. */
const AHEAD_MS = MINUTE_MS;

/** Returns undefined where the provider is closed for as long already. */
export function closeAgain(known: Closed | undefined, closeMs: number, now: Date): Closed | undefined {
  const nowMs = now.getTime();
  const before = known && known.closedAt.getTime() <= nowMs + AHEAD_MS ? known : undefined;
  const openedMs = before?.until.getTime() ?? Number.NEGATIVE_INFINITY;
  const isClosed = openedMs > nowMs;
  const isRepeated = before !== undefined && before.times > 0 && nowMs - openedMs < CALM_MS;
  const times = isClosed ? Math.max(1, before?.times ?? 1) : isRepeated ? before.times + 1 : 1;
  const forMs = Math.min(closeMs * 2 ** Math.min(times - 1, 20), Math.max(closeMs, LONGEST_MS));
  if (isClosed && nowMs + forMs < openedMs + SAME_MS) return undefined;
  // A slow beginning that is under way goes on.
  if (closeMs === 0 && nowMs - openedMs < SLOW_START_MS) return undefined;
  return { closedAt: now, until: new Date(nowMs + forMs), times };
}

/** In the first minute after the opening so many mails are sent, and in each that follows twice as many, by all senders together. */
const FIRST_MINUTE = 20;
/** After this time mails that were not put off go at once: they would be 85 a second by then. */
export const SLOW_START_MS = 8 * MINUTE_MS;
/** Clocks of several machines differ, and what is due too soon would have to be put off again. */
const AFTER_OPENING_MS = 1_000;

/** Returns how long after the opening the mail with this place, from 0, is sent. */
export function afterOpeningMs(place: number): number {
  return AFTER_OPENING_MS + Math.round(MINUTE_MS * Math.log2(1 + place / FIRST_MINUTE));
}

/** Returns the first place whose time isn't over, so long after the opening: what nobody used isn't made up for. */
export function placeAt(sinceOpeningMs: number): number {
  if (sinceOpeningMs <= AFTER_OPENING_MS) return 0;
  const minutes = Math.min((sinceOpeningMs - AFTER_OPENING_MS) / MINUTE_MS, 30);
  return Math.floor(FIRST_MINUTE * (2 ** minutes - 1));
}

/** So many mails are sent while a provider begins slowly. */
export const SLOW_START_PLACES = placeAt(SLOW_START_MS);
