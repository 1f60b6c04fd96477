/**
 * Mail tests: a campaign leaves by its real transport to an address of ours, and what arrives is examined as a large provider would
 * examine it. This file is what other folders may use.
 */
export { takeArrival } from "./arrivals.ts";
export type { BeginTools } from "./begin.ts";
export type { MailTest } from "./schema.ts";
export { findNewestReports, isOpenTest } from "./store.ts";
