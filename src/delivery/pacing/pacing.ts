/**
 * Pacing decides which message goes next on a transport, how many are under way at once, how many are sent a second, and how many of a
 * new account or by a transport in a day.
 */
export { createDailyLimits, type DailyLimits } from "./daily-limit.ts";
export { createDispatcher, type Dispatcher } from "./dispatcher.ts";
export { createMessageMemory, type MessageMemory } from "./message-memory.ts";
export { createRate } from "./rate.ts";
export { bothRights, freeRight, type SendingRight } from "./sending-right.ts";
export { type CappedTransport, createTransportCaps, type TransportCaps } from "./transport-caps.ts";
