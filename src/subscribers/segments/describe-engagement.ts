/** Says a condition about engagement in plain English. */
import {
  campaignOf,
  type EngagementCondition,
  isLink,
  isMailCount,
  isNegative,
  positiveOf,
} from "./engagement-rules.ts";

export function describeEngagement(
  condition: EngagementCondition,
  campaigns: ReadonlyMap<string, string>,
): string {
  const { field, op, value, machines } = condition;
  const isNot = isNegative(op);
  const campaign = `the campaign “${campaigns.get(campaignOf(condition) ?? "") ?? "a deleted campaign"}”`;
  const suffix = machines ? ", machines included" : "";
  if (isMailCount(value)) {
    const mails = value.mails === 1 ? "campaign" : "campaigns";
    const days = value.days === 1 ? "day" : `${value.days} days`;
    return `was sent ${isNot ? "fewer than" : "at least"} ${value.mails} ${mails} in the last ${days}`;
  }
  if (field === "sent") return `${isNot ? "wasn't" : "was"} sent ${campaign}`;
  switch (positiveOf(op)) {
    case "campaign":
      return `${isNot ? "hasn't" : "has"} ${field} ${campaign}${suffix}`;
    case "link": {
      const url = isLink(value) ? value.url : "";
      return `${isNot ? "hasn't" : "has"} clicked the link “${url}” of ${campaign}${suffix}`;
    }
    case "any_of_last": {
      if (value === 1) return `${isNot ? "hasn't" : "has"} ${field} the last campaign${suffix}`;
      return `has ${field} ${isNot ? "none" : "any"} of the last ${value} campaigns${suffix}`;
    }
    case "in_last_days": {
      const days = value === 1 ? "day" : `${value} days`;
      return `${isNot ? "hasn't" : "has"} ${field} in the last ${days}${suffix}`;
    }
    case "at_least":
      return "";
  }
}
