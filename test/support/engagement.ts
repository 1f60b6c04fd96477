/** Rules about mail once more, written as naively as possible over what was sent and what was done with it. */
import type { EngagementCondition } from "../../src/subscribers/segments/engagement-rules.ts";
import { isEngagement, isGroup, type Rule } from "../../src/subscribers/segments/rules.ts";

export type Deed = {
  readonly kind: "open" | "click";
  readonly url: string | null;
  readonly hoursAgo: number;
  readonly by: "human" | "machine" | "prefetch";
};
export type Campaign = {
  readonly id: string;
  readonly list: number;
  readonly daysAgo: number;
  readonly seesOpens: boolean;
  readonly seesClicks: boolean;
};
type Mail = { readonly campaign: number; readonly state: string; readonly deeds: readonly Deed[] };
export type Reader = { readonly list: number; readonly mails: readonly Mail[] };
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
    return /^(not|none)_/.test(rule.op) ? OPPOSITE[found] : found;
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
  if (field === "sent") {
    if (mails.some(({ state }) => state === "sent")) return "yes";
    if (asked.some((one) => (world.campaigns[one] as Campaign).daysAgo > world.ledgerDays)) return "unknown";
    return mails.some(({ state }) => !["skipped", "failed"].includes(state)) ? "unknown" : "no";
  }
  const inDays = op.endsWith("_in_last_days") || op === "in_last_days";
  const everything = reader.mails.flatMap(({ deeds }) => deeds);
  const deeds = inDays
    ? everything.filter(({ hoursAgo }) => hoursAgo < Number(value) * 24)
    : mails.flatMap((mail) => mail.deeds);
  const isDone = deeds.some(
    ({ kind, by, url }) =>
      (machines || by === "human") &&
      (field === "opened" || kind === "click") &&
      (typeof value !== "object" || url === value.url),
  );
  if (isDone) return "yes";
  const sees = ({ campaign }: Mail) =>
    (world.campaigns[campaign] as Campaign)[field === "opened" ? "seesOpens" : "seesClicks"];
  if (!mails.some((mail) => mail.state === "sent" && sees(mail))) return "unknown";
  if (field === "clicked") return "no";
  if (!inDays && deeds.some(({ by }) => by === "prefetch")) return "unknown";
  const last = (by: Deed["by"]) =>
    Math.min(...everything.flatMap((deed) => (deed.by === by ? [deed.hoursAgo] : [])));
  return last("prefetch") < last("human") ? "unknown" : "no";
}

/** The numbers of the campaigns that a condition is about, for this reader. */
function campaignsOf({ op, value }: EngagementCondition, reader: Reader, world: World): number[] {
  const all = world.campaigns.map((campaign, index) => ({ ...campaign, index }));
  const ids = typeof value === "object" ? value.campaign_id : value;
  if (typeof ids === "string") return all.filter(({ id }) => id === ids).map(({ index }) => index);
  const ofList = all
    .filter(({ list, daysAgo }) => list === reader.list && daysAgo < world.ledgerDays)
    .sort((one, other) => one.daysAgo - other.daysAgo);
  const last = op.endsWith("_of_last") ? ofList.slice(0, Number(value)) : ofList;
  const isRecent = ({ daysAgo }: Campaign) => op.endsWith("_of_last") || daysAgo < Number(value);
  return last.filter(isRecent).map(({ index }) => index);
}
