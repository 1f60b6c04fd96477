/** Rules about mail once more, written as naively as possible over what was sent and what was done with it. */
import {
  type EngagementCondition,
  isLink,
  isMailCount,
} from "../../src/subscribers/segments/engagement-rules.ts";
import { isEngagement, isGroup, type Rule } from "../../src/subscribers/segments/rules.ts";
import type { Seen } from "../../src/subscribers/subscribers.ts";

export type Action = {
  readonly kind: "open" | "click";
  readonly url: string | null;
  readonly hoursAgo: number;
  readonly by: "human" | "machine" | "prefetch";
};
export type Campaign = {
  readonly id: string;
  readonly list: number;
  readonly daysAgo: number;
  readonly opens: Seen;
  readonly clicks: Seen;
};
type Mail = { readonly campaign: number; readonly state: string; readonly actions: readonly Action[] };
export type Reader = {
  readonly list: number;
  readonly createdDaysAgo: number;
  readonly consent: boolean | null;
  /** When that was answered, or cleared; null where nobody ever asked. */
  readonly consentDaysAgo: number | null;
  readonly mails: readonly Mail[];
};
export type World = { readonly campaigns: readonly Campaign[]; readonly ledgerDays: number };

/** A question about mail has three answers: where something can't be seen, nobody knows. */
type Answer = "yes" | "no" | "unknown";
const OPPOSITE = { yes: "no", no: "yes", unknown: "unknown" } as const;

export function matches(rule: Rule, reader: Reader, world: World): boolean {
  return answer(rule, reader, world) === "yes";
}

function answer(rule: Rule, reader: Reader, world: World): Answer {
  if (!isGroup(rule)) {
    if (!isEngagement(rule)) throw new Error("other rules have an evaluator of their own");
    const found = answerOne(rule, reader, world);
    return /^(not|none|fewer)_/.test(rule.op) ? OPPOSITE[found] : found;
  }
  if ("not" in rule) return OPPOSITE[answer(rule.not, reader, world)];
  const [members, decides] = "all" in rule ? [rule.all, "no" as const] : [rule.any, "yes" as const];
  const answers = members.map((one) => answer(one, reader, world));
  if (answers.includes(decides)) return decides;
  return answers.includes("unknown") ? "unknown" : OPPOSITE[decides];
}

function answerOne(condition: EngagementCondition, reader: Reader, world: World): Answer {
  const { field, op, value, machines = false } = condition;
  const asked = campaignsOf(condition, reader, world);
  const mails = reader.mails.filter(({ campaign }) => asked.includes(campaign));
  if (isMailCount(value))
    return mails.filter(({ state }) => state === "sent").length >= value.mails ? "yes" : "no";
  if (field === "sent") {
    if (mails.some(({ state }) => state === "sent")) return "yes";
    if (asked.some((one) => (world.campaigns[one] as Campaign).daysAgo > world.ledgerDays)) return "unknown";
    return mails.some(({ state }) => !["skipped", "failed"].includes(state)) ? "unknown" : "no";
  }
  const inDays = op.endsWith("_in_last_days") || op === "in_last_days";
  const everything = reader.mails.flatMap(({ actions }) => actions);
  const actions = inDays
    ? everything.filter(({ hoursAgo }) => hoursAgo < Number(value) * 24)
    : mails.flatMap((mail) => mail.actions);
  const isDone = actions.some(
    ({ kind, by, url }) =>
      (machines || by === "human") &&
      (field === "opened" || kind === "click") &&
      (!isLink(value) || url === value.url),
  );
  if (isDone) return "yes";
  const isSeen = ({ campaign }: Mail) => sees(reader, world.campaigns[campaign] as Campaign, field);
  if (!mails.some((mail) => mail.state === "sent" && isSeen(mail))) return "unknown";
  if (field === "clicked") return "no";
  if (!inDays && actions.some(({ by }) => by === "prefetch")) return "unknown";
  const last = (by: Action["by"]) =>
    Math.min(...everything.flatMap((action) => (action.by === by ? [action.hoursAgo] : [])));
  return last("prefetch") < last("human") ? "unknown" : "no";
}

/** What this reader did with that campaign's mail could be seen when it was launched, and ever since. */
function sees(reader: Reader, campaign: Campaign, field: "opened" | "clicked"): boolean {
  const whose = campaign[field === "opened" ? "opens" : "clicks"];
  if (whose === "nobody" || reader.consent === false || reader.createdDaysAgo < campaign.daysAgo)
    return false;
  if (whose === "consenting" && reader.consent !== true) return false;
  return reader.consentDaysAgo === null || reader.consentDaysAgo >= campaign.daysAgo;
}

/** The numbers of the campaigns that a condition is about, for this reader. */
function campaignsOf({ op, value }: EngagementCondition, reader: Reader, world: World): number[] {
  const all = world.campaigns.map((campaign, index) => ({ ...campaign, index }));
  const ids = isLink(value) ? value.campaign_id : isMailCount(value) ? value.days : value;
  if (typeof ids === "string") return all.filter(({ id }) => id === ids).map(({ index }) => index);
  const ofList = all
    .filter(({ list, daysAgo }) => list === reader.list && daysAgo < world.ledgerDays)
    .sort((one, other) => one.daysAgo - other.daysAgo);
  const last = op.endsWith("_of_last") ? ofList.slice(0, Number(value)) : ofList;
  const isRecent = ({ daysAgo }: Campaign) => op.endsWith("_of_last") || daysAgo < Number(ids);
  return last.filter(isRecent).map(({ index }) => index);
}
