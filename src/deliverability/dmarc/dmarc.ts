/**
 * DMARC reports: what other servers say about mail in the name of an account's domains. They come by mail, by upload and by a command,
 * are kept once each, and are added up by day. This file is what other folders may use.
 */
import type { Writable } from "../../platform/db/db.ts";
import { firstDayKept } from "./keep-reports.ts";
import { removeBefore } from "./store.ts";

export { takeReportMail } from "./by-mail.ts";
export { type Kept, keepReports } from "./keep-reports.ts";
export type { NamingTools } from "./name-sources.ts";
export { readAlignment } from "./numbers-store.ts";
export type { OwnAddresses } from "./watch-sources.ts";

export function removeOldReports(db: Writable, now: Date): Promise<void> {
  return removeBefore(db, firstDayKept(now));
}
