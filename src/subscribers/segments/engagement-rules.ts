/** Reads the conditions about mail: what somebody was sent, opened and clicked. */
import { fromPublicId, toPublicId } from "../../platform/ids.ts";

const FIELDS = ["sent", "opened", "clicked"] as const;
type EngagementField = (typeof FIELDS)[number];

const OPS = {
  sent: ["campaign", "not_campaign", "at_least", "fewer_than"],
  opened: ["campaign", "not_campaign", "any_of_last", "none_of_last", "in_last_days", "not_in_last_days"],
  clicked: [
    "campaign",
    "not_campaign",
    "link",
    "not_link",
    "any_of_last",
    "none_of_last",
    "in_last_days",
    "not_in_last_days",
  ],
} as const satisfies Readonly<Record<EngagementField, readonly string[]>>;
export type EngagementOp = (typeof OPS)[EngagementField][number];

/** What each negative one is the opposite of: `not` around a condition turns it into its opposite, and never only inverts it. */
const POSITIVE = {
  not_campaign: "campaign",
  fewer_than: "at_least",
  not_link: "link",
  none_of_last: "any_of_last",
  not_in_last_days: "in_last_days",
} as const;

export function isNegative(op: EngagementOp): op is keyof typeof POSITIVE {
  return op in POSITIVE;
}

export function positiveOf(op: EngagementOp): Exclude<EngagementOp, keyof typeof POSITIVE> {
  return isNegative(op) ? POSITIVE[op] : op;
}

export type EngagementCondition = {
  readonly field: EngagementField;
  readonly op: EngagementOp;
  /** A campaign's id, a link in a campaign, how many campaigns or days, or how many mails in how many days. */
  readonly value: string | number | CampaignLink | MailCount;
  /** What machines did counts too. */
  readonly machines?: true;
};
type CampaignLink = { readonly campaign_id: string; readonly url: string };
type MailCount = { readonly mails: number; readonly days: number };

/** A campaign that a rule names, and where; the caller looks whether it is there. */
export type Mention = { readonly campaignId: string; readonly url: string | null; readonly pointer: string };

export const MOST_CAMPAIGNS = 50;
const MOST_DAYS = 36_500;
/** The ledger knows of no more. */
const MOST_LEDGER_DAYS = 395;
const MOST_URL_CHARACTERS = 10_000;

export function isEngagementField(field: string): field is EngagementField {
  return (FIELDS as readonly string[]).includes(field);
}

export function campaignOf({ value }: EngagementCondition): string | null {
  if (typeof value === "string") return value;
  return isLink(value) ? value.campaign_id : null;
}

export function isLink(value: EngagementCondition["value"]): value is CampaignLink {
  return typeof value === "object" && "campaign_id" in value;
}

export function isMailCount(value: EngagementCondition["value"]): value is MailCount {
  return typeof value === "object" && "mails" in value;
}

type Fault = (pointer: string, code: string, detail: string) => undefined;

/** Returns undefined where something is wrong, after it was named. */
export function readEngagement(
  field: EngagementField,
  node: Readonly<Record<string, unknown>>,
  at: string,
  fault: Fault,
): { readonly condition: EngagementCondition; readonly mention: Mention | null } | undefined {
  const ops: readonly EngagementOp[] = OPS[field];
  const op = ops.find((one) => one === node["op"]);
  if (!op) return fault(`${at}/op`, "invalid_value", `must be one of ${ops.join(", ")}`);
  const { machines } = node;
  if (machines !== undefined && field === "sent")
    return fault(`${at}/machines`, "unknown_field", "is for opened and clicked");
  if (machines !== undefined && typeof machines !== "boolean")
    return fault(`${at}/machines`, "invalid_type", "must be true or false");
  const value = readValue(op, node["value"], `${at}/value`, fault);
  if (value === undefined) return undefined;
  const condition = { field, op, value, ...(machines && { machines }) };
  const campaignId = campaignOf(condition);
  const url = isLink(value) ? value.url : null;
  return { condition, mention: campaignId === null ? null : { campaignId, url, pointer: `${at}/value` } };
}

function readValue(
  op: EngagementOp,
  value: unknown,
  at: string,
  fault: Fault,
): EngagementCondition["value"] | undefined {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 1;
  switch (positiveOf(op)) {
    case "campaign": {
      const id = typeof value === "string" ? fromPublicId("cmp", value) : undefined;
      return id ?? fault(at, "invalid_value", "must be a campaign's id");
    }
    case "link":
      return readLink(value, at, fault);
    case "at_least":
      return readMailCount(value, at, fault);
    case "any_of_last":
      if (isCount && value <= MOST_CAMPAIGNS) return value;
      return fault(at, "invalid_value", `must be a whole number of campaigns, 1 to ${MOST_CAMPAIGNS}`);
    case "in_last_days":
      if (isCount && value <= MOST_DAYS) return value;
      return fault(at, "invalid_value", "must be a whole number of days, 1 to 36,500");
  }
}

function readLink(value: unknown, at: string, fault: Fault): CampaignLink | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fault(at, "invalid_type", "must be {campaign_id, url}");
  const { campaign_id: given, url, ...others } = value as Record<string, unknown>;
  for (const key of Object.keys(others))
    fault(`${at}/${key}`, "unknown_field", "is not a part of {campaign_id, url}");
  const id = typeof given === "string" ? fromPublicId("cmp", given) : undefined;
  if (!id) fault(`${at}/campaign_id`, "invalid_value", "must be a campaign's id");
  const isUrl = typeof url === "string" && url.length >= 1 && url.length <= MOST_URL_CHARACTERS;
  if (!isUrl) fault(`${at}/url`, "invalid_value", "must be the address of a link in the campaign");
  return id && isUrl && Object.keys(others).length === 0 ? { campaign_id: id, url } : undefined;
}

function readMailCount(value: unknown, at: string, fault: Fault): MailCount | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fault(at, "invalid_type", "must be {mails, days}");
  const { mails, days, ...others } = value as Record<string, unknown>;
  for (const key of Object.keys(others))
    fault(`${at}/${key}`, "unknown_field", "is not a part of {mails, days}");
  const isIn = (one: unknown, most: number): one is number =>
    typeof one === "number" && Number.isInteger(one) && one >= 1 && one <= most;
  if (!isIn(mails, MOST_CAMPAIGNS))
    fault(`${at}/mails`, "invalid_value", `must be a whole number, 1 to ${MOST_CAMPAIGNS}`);
  if (!isIn(days, MOST_LEDGER_DAYS))
    fault(`${at}/days`, "invalid_value", `must be a whole number of days, 1 to ${MOST_LEDGER_DAYS}`);
  const isWhole = isIn(mails, MOST_CAMPAIGNS) && isIn(days, MOST_LEDGER_DAYS);
  return isWhole && Object.keys(others).length === 0 ? { mails, days } : undefined;
}

/** Shows a condition as a client writes it. */
export function showEngagement({ field, op, value, machines }: EngagementCondition): unknown {
  const shown = isLink(value)
    ? { ...value, campaign_id: toPublicId("cmp", value.campaign_id) }
    : typeof value === "string"
      ? toPublicId("cmp", value)
      : value;
  return { field, op, value: shown, ...(machines && { machines }) };
}
