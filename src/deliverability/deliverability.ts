/**
 * Deliverability: what the world says of our mail, and what to do about it. This file is what other folders may use.
 */

export { type BlocklistTools, configureBlocklists, createAddressLookUp } from "./blocklists/blocklists.ts";
export type { ChecklistTools } from "./checklist/checklist.ts";
export {
  type Kept,
  keepReports,
  type OwnAddresses,
  removeOldReports,
  takeReportMail,
} from "./dmarc/dmarc.ts";
export { isOpenTest, takeArrival } from "./mail-tests/mail-tests.ts";
