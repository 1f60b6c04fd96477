/** What moves a campaign from one status to the next: by hand, by the schedule, and when its source ends. */
export {
  approveCampaign,
  cancelCampaign,
  prepareFor,
  refuseCampaign,
  sendCampaign,
  unscheduleCampaign,
} from "./actions.ts";
export { followAllowancesJob, quotaJobs } from "./quota.ts";
export { quotaChecks } from "./quota-check.ts";
export { startSchedule } from "./schedule.ts";
export { campaignOwner } from "./source-ended.ts";
