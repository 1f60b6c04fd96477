/** Adds to the sources of statements what they are called and how much was sent of each in all, while that is known. */
import { findAutomationNames } from "../../automations/automations.ts";
import { findCampaignNames } from "../../campaigns/campaigns.ts";
import { readUsageOfOwners } from "../../delivery/delivery.ts";
import type { Queryable } from "../../platform/db/db.ts";
import type { SourceRow } from "./statement-store.ts";

/** What isn't there any more keeps what was written when the statement was closed. */
export async function nameSources<Row extends SourceRow>(
  db: Queryable,
  accountId: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const idsOf = (kind: SourceRow["kind"]) =>
    rows.filter((row) => row.kind === kind).map((row) => row.owner_id);
  const [campaigns, automations] = [idsOf("campaign"), idsOf("automation")];
  const campaignNames = await findCampaignNames(db, accountId, campaigns);
  const automationNames = await findAutomationNames(db, accountId, automations);
  const sent = await readUsageOfOwners(db, accountId, [...campaigns, ...automations]);
  return rows.map((row) => ({
    ...row,
    name: campaignNames.get(row.owner_id) ?? automationNames.get(row.owner_id) ?? row.name,
    sent_in_all: sent.get(row.owner_id)?.sent ?? row.sent_in_all,
  }));
}
