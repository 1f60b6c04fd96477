import type { CampaignDomains } from "../../../api/openapi.ts";

/** A provider is the reason for many bounces if without it there were no more than usual. The largest such one is named. */
export function blameOf({ data, other }: CampaignDomains, usual: number): string | undefined {
  const all = [...data, other];
  const bounced = all.reduce((sum, { bounces }) => sum + bounces.total, 0);
  const tried = all.reduce((sum, { sent, failed }) => sum + sent + failed, 0);
  const found = data.find(({ bounces, sent, failed }) => {
    const rest = tried - sent - failed;
    return rest > 0 && bounces.total > 0 && (bounced - bounces.total) / rest <= usual;
  });
  return found?.domain;
}
