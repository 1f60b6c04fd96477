/**
 * Deliverability: what the world says of our mail, and what to do about it. This file is what other folders may use.
 */
export {
  type AddressOnList,
  type BlocklistTools,
  configureBlocklists,
  createAddressLookUp,
} from "./blocklists/blocklists.ts";
export type { ChecklistTools } from "./checklist/checklist.ts";
export {
  type Kept,
  keepReports,
  type OwnAddresses,
  readAlignment,
  removeOldReports,
  takeReportMail,
} from "./dmarc/dmarc.ts";
export { findNewestReports, isOpenTest, type MailTest, takeArrival } from "./mail-tests/mail-tests.ts";
