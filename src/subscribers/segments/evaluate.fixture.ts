/** This is the rules once more, written as naively as possible over plain objects; the compiled SQL is held against it. */
import type { FieldRow } from "../fields/fields.ts";
import { type Condition, isEngagement, isEvent, isGroup, type Rule } from "./rules.ts";

export type Person = {
  email: string;
  first_name: string | null;
  last_name: string | null;
  locale: string | null;
  time_zone: string | null;
  source: string;
  status: string;
  created_at: string;
  updated_at: string;
  confirmed_at: string | null;
  unsubscribed_at: string | null;
  tags: string[];
  lists: number[];
  note: string | null;
  score: number | null;
  birthday: string | null;
  member: boolean | null;
};

type World = { fields: readonly FieldRow[]; now: Date; timeZone: string; lists: readonly string[] };

export function evaluateRule(rule: Rule, person: Person, world: World): boolean {
  if (!isGroup(rule)) {
    if (isEngagement(rule) || isEvent(rule))
      throw new Error("engagement and events are held against tests of their own");
    return evaluate(rule, person, world);
  }
  if ("not" in rule) return !evaluateRule(rule.not, person, world);
  if ("all" in rule) return rule.all.every((one) => evaluateRule(one, person, world));
  return rule.any.some((one) => evaluateRule(one, person, world));
}

function evaluate({ field, op, value }: Condition, person: Person, world: World): boolean {
  const custom = world.fields.find((one) => `field:${one.id}` === field);
  const actual = person[(custom?.key ?? field) as keyof Person] as unknown;
  if (field === "tag") {
    const has = person.tags.some((tag) => same(tag, value));
    return op === "has" ? has : !has;
  }
  if (op === "is_set") return actual !== null;
  if (op === "is_not_set") return actual === null;
  const isTime = field.endsWith("_at");
  if (isTime) return evaluateTime(actual as string | null, op, value, world);
  if (custom?.type === "date") return evaluateDate(actual as string | null, op, value, world);
  const values = Array.isArray(value) ? value : [value];
  const text = typeof actual === "string" ? actual.toLowerCase() : "";
  const wanted = typeof value === "string" ? value.toLowerCase() : "";
  switch (op) {
    case "is":
      return actual !== null && same(actual, value);
    case "is_not":
      return actual === null || !same(actual, value);
    case "one_of":
      return values.some((one) => actual !== null && same(actual, one));
    case "contains":
      return actual !== null && text.includes(wanted);
    case "not_contains":
      return actual === null || !text.includes(wanted);
    case "starts_with":
      return actual !== null && text.startsWith(wanted);
    case "ends_with":
      return actual !== null && text.endsWith(wanted);
    case "between":
      return actual !== null && Number(actual) >= Number(values[0]) && Number(actual) <= Number(values[1]);
  }
  if (actual === null) return false;
  const [a, b] = [Number(actual), Number(value)];
  return { above: a > b, below: a < b, at_least: a >= b, at_most: a <= b }[op as "above"];
}

function evaluateDate(actual: string | null, op: string, value: unknown, { now, timeZone }: World): boolean {
  if (actual === null) return false;
  const today = new Intl.DateTimeFormat("en-CA", { timeZone }).format(now);
  const shifted = (days: number) =>
    new Date(Date.parse(`${today}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
  if (op === "in_last_days") return actual > shifted(-Number(value)) && actual <= today;
  if (op === "in_next_days") return actual > today && actual <= shifted(Number(value));
  const [low = "", high = ""] = Array.isArray(value) ? value : [];
  if (op === "between") return actual >= low && actual <= high;
  return { is: actual === value, before: actual < String(value), after: actual > String(value) }[op as "is"];
}

function evaluateTime(actual: string | null, op: string, value: unknown, { now, timeZone }: World): boolean {
  const at = actual === null ? undefined : Date.parse(actual);
  const since = now.getTime() - Number(value) * 86_400_000;
  if (op === "not_in_last_days") return at === undefined || at <= since;
  if (at === undefined) return false;
  if (op === "in_last_days") return at > since;
  const dayOf = new Intl.DateTimeFormat("en-CA", { timeZone }).format(at);
  const isDay = (one: unknown) => String(one).length === 10;
  const isBefore = (one: unknown) => (isDay(one) ? dayOf < String(one) : at < Date.parse(String(one)));
  const isAfter = (one: unknown) => (isDay(one) ? dayOf > String(one) : at > Date.parse(String(one)));
  if (op === "before") return isBefore(value);
  if (op === "after") return isAfter(value);
  const [low, high] = value as string[];
  return !isBefore(low) && !isAfter(high);
}

function same(a: unknown, b: unknown): boolean {
  return typeof a === "string" && typeof b === "string" ? a.toLowerCase() === b.toLowerCase() : a === b;
}
