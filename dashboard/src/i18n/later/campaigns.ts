import { addWords } from "../i18n.ts";

/** The list of campaigns, and what stands above each part of one. */
export const campaigns = {
  campaigns: {
    title: "Campaigns",
    one: "Campaign",
    tabs: {
      label: "Parts of the campaign",
      overview: "Overview",
      links: "Links",
      recipients: "Recipients",
      domains: "Providers",
      mail: "The mail",
    },
    unreadable: "The campaign can't be shown",
  },
} as const;
addWords(campaigns);
