/** This file says a rule tree in plain English, so that people see what they asked for. */
import { COLUMNS, type ColumnName } from "../columns.ts";
import type { FieldRow } from "../fields/fields.ts";
import { describeEngagement } from "./describe-engagement.ts";
import { describeEvent } from "./event-rules.ts";
import { type Condition, isEngagement, isEvent, isGroup, type Rule, type Value } from "./rules.ts";

export type Names = {
  readonly fields: readonly FieldRow[];
  /** A list's name stands here by the list's id. */
  readonly lists: ReadonlyMap<string, string>;
  /** A campaign's name stands here by the campaign's id. */
  readonly campaigns: ReadonlyMap<string, string>;
};

export function describeRule(rule: Rule, names: Names): string {
  const sentence = describe(rule, names, false);
  return `${sentence.replace(/\p{Letter}/u, (first) => first.toUpperCase())}.`;
}

function describe(rule: Rule, names: Names, isInner: boolean): string {
  if (!isGroup(rule)) {
    if (isEvent(rule)) return describeEvent(rule);
    return isEngagement(rule) ? describeEngagement(rule, names.campaigns) : describeCondition(rule, names);
  }
  if ("not" in rule) return `not (${describe(rule.not, names, false)})`;
  const [members, word] = "all" in rule ? [rule.all, "and"] : [rule.any, "or"];
  const parts = members.map((one) => describe(one, names, members.length > 1));
  const joined = parts.join(` ${word} `);
  return isInner && parts.length > 1 ? `(${joined})` : joined;
}

function describeCondition({ field, op, value }: Condition, names: Names): string {
  if (field === "tag")
    return op === "has" ? `has the tag ${quoted(value)}` : `doesn't have the tag ${quoted(value)}`;
  if (field === "list") {
    const name = quoted(names.lists.get(String(value)) ?? "a deleted list");
    return op === "is" ? `is also on the list ${name}` : `is not on the list ${name}`;
  }
  if (field === "dormancy") {
    const words = value === "warned" ? "warned by the sunset policy" : "dormant by the sunset policy";
    return `${op === "is" ? "is" : "is not"} ${words}`;
  }
  const custom = names.fields.find((one) => `field:${one.id}` === field);
  const words = Object.hasOwn(COLUMNS, field) ? COLUMNS[field as ColumnName].segment?.words : undefined;
  const subject = words ?? (custom ? `the field ${quoted(custom.name)}` : "a deleted field");
  return `${subject} ${predicate(op, value)}`;
}

function predicate(op: Condition["op"], value: Value | undefined): string {
  const [first, second] = Array.isArray(value) ? value : [value];
  const days = value === 1 ? "day" : `${value} days`;
  switch (op) {
    case "is":
      return `is ${quoted(value)}`;
    case "is_not":
      return `is not ${quoted(value)}`;
    case "contains":
      return `contains ${quoted(value)}`;
    case "not_contains":
      return `doesn't contain ${quoted(value)}`;
    case "starts_with":
      return `starts with ${quoted(value)}`;
    case "ends_with":
      return `ends with ${quoted(value)}`;
    case "one_of":
      return `is one of ${(Array.isArray(value) ? value : []).map(quoted).join(", ")}`;
    case "is_set":
      return "is known";
    case "is_not_set":
      return "is not known";
    case "above":
      return `is above ${value}`;
    case "below":
      return `is below ${value}`;
    case "at_least":
      return `is at least ${value}`;
    case "at_most":
      return `is at most ${value}`;
    case "between":
      return `is between ${first} and ${second}`;
    case "before":
      return `is before ${value}`;
    case "after":
      return `is after ${value}`;
    case "in_last_days":
      return `is in the last ${days}`;
    case "not_in_last_days":
      return `is not in the last ${days}`;
    case "in_next_days":
      return `is in the next ${days}`;
    default:
      return op;
  }
}

function quoted(value: unknown): string {
  return typeof value === "string" ? `“${value}”` : String(value);
}
