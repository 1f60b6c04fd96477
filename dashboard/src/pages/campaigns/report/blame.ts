import type { CampaignDomains } from "../../../api/openapi.ts";
import { groupsOf } from "../provider-groups.ts";

/** A provider is the reason for many bounces if without it there were no more than usual. The largest such one is named. */
export function blameOf(domains: CampaignDomains, usual: number): string | undefined {
  const groups = groupsOf(domains);
  const all = [...groups.map(({ numbers }) => numbers), domains.other];
  const bounced = all.reduce((sum, { bounces }) => sum + bounces.total, 0);
  const tried = all.reduce((sum, { sent, failed }) => sum + sent + failed, 0);
  const found = groups.find(({ numbers: { bounces, sent, failed } }) => {
    const rest = tried - sent - failed;
    return rest > 0 && bounces.total > 0 && (bounced - bounces.total) / rest <= usual;
  });
  return found?.name;
}
