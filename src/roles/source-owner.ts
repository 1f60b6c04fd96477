/** Sources belong to campaigns, automations or transactional mail. Delivery is given one owner, which asks the one that it is about. */
import { automationOwner } from "../automations/automations.ts";
import { campaignOwner } from "../campaigns/campaigns.ts";
import type { SourceName, SourceOwner, Stream } from "../delivery/delivery.ts";
import { emailOwner } from "../emails/emails.ts";

export const sourceOwner: SourceOwner = {
  sourceEnded: (ctx, source, how) => ownerOf(source).sourceEnded(ctx, source, how),
  sourceWarned: (ctx, source, warning) => ownerOf(source).sourceWarned(ctx, source, warning),
  idsInEvents: (source, contactId) => ownerOf(source).idsInEvents(source, contactId),
  sentCampaigns: campaignOwner.sentCampaigns,
};

const owners: Readonly<Record<Stream, Omit<SourceOwner, "sentCampaigns">>> = {
  campaign: campaignOwner,
  automation: automationOwner,
  transactional: emailOwner,
};

function ownerOf({ stream }: SourceName): Omit<SourceOwner, "sentCampaigns"> {
  return owners[stream];
}
