/** Usage is how much mail of an account was sent, by hour, stream and whose server it left by. Other rooms use this file alone. */
export { type Accepted, type AccountSpan, readAccepted, readUsageIn } from "./accepted.ts";
export { countingSettledUsage, countingUsage } from "./counting.ts";
export {
  type CurrentUsage,
  readCurrentUsage,
  readUsage,
  readUsageOfOwners,
  readUsagePoints,
  type UsageCount,
  type UsageSpan,
} from "./read-usage.ts";
export { rollUpUsageJob, USAGE_KEPT_DAYS } from "./roll-up.ts";
export { dropTestMail, settleTestMail, takeTestMails } from "./test-mails.ts";
