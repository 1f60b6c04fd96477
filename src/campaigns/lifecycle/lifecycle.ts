/** What moves a campaign from one status to the next: by hand, by the schedule, and when its source ends. */
export { cancelCampaign, prepareFor, sendCampaign, unscheduleCampaign } from "./actions.ts";
export { startSchedule } from "./schedule.ts";
export { campaignOwner } from "./source-ended.ts";
