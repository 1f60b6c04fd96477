import { listRecipients, noteUnsubscribe } from "../delivery/delivery.ts";
import { findHead } from "./store.ts";

/** For subscribers, who stand below and can't ask by themselves: those a campaign went to, by the ledger. */
export const campaignRecipients = {
  exists: async (...of: Parameters<typeof findHead>) => (await findHead(...of)) !== undefined,
  list: listRecipients,
  noteUnsubscribe,
};
