/**
 * Warm-up limits what a transport is given in a day of UTC: to all mailbox providers together (`max_per_day`), and by a plan to each of them,
 * a few at first and more after each good day. Senders draw from the day's rows (`../pacing/transport-caps.ts`), and mail that finds none
 * left waits for the next day.
 */
export { ALL_PROVIDERS, type TransportDay } from "./day-counts.ts";
export {
  drawFromDay,
  type GivenBack,
  giveBackToDay,
  isTransportUsedUp,
  limitDay,
  openDay,
  removeOldTransportDays,
  usedUpProviders,
} from "./day-store.ts";
export { estimateDays } from "./estimate.ts";
export { RETRIES_SPREAD_MS } from "./plan-rules.ts";
