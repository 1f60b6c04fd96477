/**
 * Mailbox providers that say, by a reply or in a report, that they want less from us or nothing for a while. A provider is then *closed*, for a
 * transport or for a domain in From: no sender gives it mail before it opens, and then little at first. Other rooms use this file alone.
 */
export {
  closeProvider,
  readClosings,
  reopenProvider,
  type ShownClosing,
} from "./close.ts";
export { type ClosedFor, readClosedFor } from "./closed-for.ts";
export { ProviderClosing, shapeClosing } from "./closing-schema.ts";
export {
  createProviderClosings,
  type Destination,
  type HeldByProvider,
  type ProviderClosings,
} from "./closings.ts";
export { forgetClosings } from "./forget.ts";
export { sendPutOff } from "./put-off.ts";
export { heedReports, type ProviderReport } from "./reports.ts";
