/**
 * Campaigns: one mail to everybody on a list, from draft to sent. Here is what may be done with one and when; what is
 * launched is frozen and handed to delivery, which sends it and says how it ended. This file is what other folders may use.
 */

export { archivedCampaigns } from "./archive.ts";
export { type ComposedForTest, composeForMailTest, createCampaign } from "./editing/editing.ts";
export {
  approveCampaign,
  campaignOwner,
  prepareFor,
  refuseCampaign,
  sendCampaign,
  startSchedule,
} from "./lifecycle/lifecycle.ts";
export { preflightFailed } from "./problems.ts";
export { campaignRecipients, tagRecipientsJob } from "./recipients/recipients.ts";
export { createSampleCampaign, putAwayCampaigns, readSampleCampaigns } from "./sample-campaigns.ts";
export { sentCampaigns } from "./sent-campaigns.ts";
export { countStartedCampaigns, listStartedCampaigns, type StartedCampaign } from "./started.ts";
export {
  findCampaign as findWholeCampaign,
  findHead as findCampaign,
  findNames as findCampaignNames,
} from "./store.ts";
export { campaignFrom, campaignSendingFrom, campaignShowing, countCampaignsFrom } from "./uses.ts";
