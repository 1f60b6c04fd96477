/**
 * Campaigns: one mail to everybody on a list, from draft to sent. Here is what may be done with one and when; what is
 * launched is frozen and handed to delivery, which sends it and says how it ended. This file is what other folders may use.
 */
export { prepareFor, sendCampaign } from "./actions.ts";
export { createCampaign } from "./edit.ts";
export { campaignShowing } from "./file-use.ts";
export { campaignRecipients } from "./recipients.ts";
export { startSchedule } from "./schedule.ts";
export { campaignOwner } from "./source-ended.ts";
