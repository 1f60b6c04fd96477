/**
 * Pacing decides which message goes next on a transport, how many are under way at once, how many are sent a second, and how many of a
 * new account in a day.
 */
export { createDailyLimits, type DailyLimits, freeRight, type SendingRight } from "./daily-limit.ts";
export { createDispatcher, type Dispatcher } from "./dispatcher.ts";
export { createMessageMemory, type MessageMemory } from "./message-memory.ts";
export { createRate } from "./rate.ts";
