/** The standing of accounts says how far one is trusted on an instance with several, by what it has sent before. */
export { dayOf, nextDayBegins } from "./standing-rules.ts";
export { beginProbation, drawMails, giveBackMails, hasUsedUp, readDailyLimit } from "./standing-store.ts";
