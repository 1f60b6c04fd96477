/** What a custom event may be. */

/** Events are kept for this long after we were told, and what happened earlier than that isn't taken. */
export const KEPT_DAYS = 400;
/** Clocks differ: what happened so little ahead of ours is taken. */
export const MOST_AHEAD_MS = 5 * 60_000;

export const MOST_ITEMS = 1_000;
export const MOST_PROPERTY_BYTES = 8 * 1_024;
/** An object in an object is two. */
export const DEEPEST_PROPERTIES = 10;

export const LONGEST_EVENT_NAME = 100;
export const EVENT_NAME = /^[A-Za-z][A-Za-z0-9_.-]*$/;
export const LONGEST_KEY = 255;
