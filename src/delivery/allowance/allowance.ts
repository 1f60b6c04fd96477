/**
 * An allowance is how many mails an account may send in a period and on a day. It is reserved by leases, so that no sender passes it, whoever
 * dies. Billing writes it; senders read it, and need nothing of billing. Other rooms use this file alone.
 */
export {
  type AllowedPeriod,
  isLimited,
  lockAllowance,
  removeAllowance,
  writeAllowance,
} from "./allowance-store.ts";
export { leaseFromAllowance, readAllowance, readMailRoom, readPeriodUse, readWaitsUntil } from "./grants.ts";
export { overQuota, quotaReached } from "./problems.ts";
export { count, dateOf, describeQuota, type Limits, QUOTA_REACHED, roomOf } from "./room-rules.ts";
export { tellLateThresholds } from "./thresholds.ts";
export { createUsedUp, type UsedUp } from "./used-up.ts";
