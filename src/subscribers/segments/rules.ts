/**
 * The rules of a segment are a tree of all/any/not over conditions. This file reads what a client sent, names every fault,
 * and turns custom fields' keys into ids, so that a renamed field keeps its segments.
 */
import { fromPublicId } from "../../platform/ids.ts";
import type { Fault } from "../../platform/problems.ts";
import { COLUMNS } from "../columns.ts";
import type { FieldRow } from "../fields/fields.ts";
import { STATUSES } from "../status.ts";
import { tagKey } from "../tags/tags.ts";
import {
  type EngagementCondition,
  isEngagementField,
  type Mention,
  readEngagement,
} from "./engagement-rules.ts";
import { type EventCondition, readEventCondition } from "./event-rules.ts";

export type Kind = "text" | "number" | "boolean" | "date" | "time" | "status" | "tag" | "list" | "dormancy";

/** `field` is a built-in name, or `field:<uuid>` of a custom field. */
export type Condition = { readonly field: string; readonly op: Op; readonly value?: Value };
export type Value = string | number | boolean | readonly (string | number)[];
export type Rule =
  | { readonly all: readonly Rule[] }
  | { readonly any: readonly Rule[] }
  | { readonly not: Rule }
  | Leaf;

/** What a rule says of a person: of what is known of them, of mail, or of what they did elsewhere. */
export type Leaf = Condition | EngagementCondition | EventCondition;

export const BUILT_IN: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(
    Object.entries(COLUMNS).flatMap(([name, { segment }]) => (segment ? [[name, segment.kind]] : [])),
  ),
  tag: "tag",
  list: "list",
  dormancy: "dormancy",
};

const SETNESS = ["is_set", "is_not_set"] as const;
const OPS = {
  text: ["is", "is_not", "contains", "not_contains", "starts_with", "ends_with", "one_of", ...SETNESS],
  number: ["is", "is_not", "above", "below", "at_least", "at_most", "between", ...SETNESS],
  boolean: ["is", ...SETNESS],
  date: ["is", "before", "after", "between", "in_last_days", "in_next_days", ...SETNESS],
  time: ["before", "after", "between", "in_last_days", "not_in_last_days", ...SETNESS],
  status: ["is", "is_not", "one_of"],
  tag: ["has", "has_not"],
  list: ["is", "is_not"],
  dormancy: ["is", "is_not"],
} as const satisfies Readonly<Record<Kind, readonly string[]>>;
type Op = (typeof OPS)[Kind][number];

/** What a sunset policy says of people. */
const DORMANCIES = ["warned", "dormant"] as const;

const DEEPEST = 8;
const MOST_CONDITIONS = 100;
const MOST_VALUES = 100;
/** Each of these looks into the ledger, the facts or the events of every subscriber. */
const MOST_ABOUT_MAIL = 20;

export function readRules(
  input: unknown,
  fields: readonly FieldRow[],
  pointer: string,
): { rule: Rule; mentions: readonly Mention[] } | { faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const mentions: Mention[] = [];
  let conditions = 0;
  let aboutMail = 0;
  const fault = (at: string, code: string, detail: string): undefined =>
    void faults.push({ pointer: at, code, detail });

  function read(node: unknown, at: string, depth: number): Rule | undefined {
    if (typeof node !== "object" || node === null || Array.isArray(node)) {
      return fault(at, "invalid_type", "must be a rule: {all}, {any}, {not} or {field, op, value}");
    }
    if (depth > DEEPEST) return fault(at, "too_deep", `rules may be nested ${DEEPEST} deep`);
    const keys = Object.keys(node);
    const group = node as { all?: unknown; any?: unknown; not?: unknown };
    if (keys.length === 1 && "not" in group) {
      const inner = read(group.not, `${at}/not`, depth + 1);
      return inner && { not: inner };
    }
    for (const word of ["all", "any"] as const) {
      if (keys.length === 1 && word in group) {
        const members = readGroup(group[word], `${at}/${word}`, depth);
        return members && (word === "all" ? { all: members } : { any: members });
      }
    }
    return readCondition(node as Record<string, unknown>, at);
  }

  function readGroup(node: unknown, at: string, depth: number): readonly Rule[] | undefined {
    if (!Array.isArray(node) || node.length === 0)
      return fault(at, "too_few", "must be a list of at least one rule");
    if (node.length > MOST_CONDITIONS) return fault(at, "too_many", `at most ${MOST_CONDITIONS} rules`);
    const members = node.map((one, index) => read(one, `${at}/${index}`, depth + 1));
    return members.every((one) => one !== undefined) ? (members as Rule[]) : undefined;
  }

  function readCondition(node: Record<string, unknown>, at: string): Leaf | undefined {
    if (++conditions === MOST_CONDITIONS + 1) fault(at, "too_many", `at most ${MOST_CONDITIONS} conditions`);
    const isOfEngagement = typeof node["field"] === "string" && isEngagementField(node["field"]);
    const parts = ["field", "op", "value", ...(isOfEngagement ? ["machines"] : [])];
    const unknown = Object.keys(node).filter((key) => !parts.includes(key));
    for (const key of unknown) fault(`${at}/${key}`, "unknown_field", "is not a part of a condition");
    const { field, op, value } = node;
    if (typeof field !== "string") return fault(`${at}/field`, "required", "say which field");
    if (isEngagementField(field)) {
      if (++aboutMail === MOST_ABOUT_MAIL + 1)
        fault(at, "too_many", `at most ${MOST_ABOUT_MAIL} conditions about mail and events`);
      const read = readEngagement(field, node, at, fault);
      if (read?.mention) mentions.push(read.mention);
      return read?.condition;
    }
    if (field === "event") {
      if (++aboutMail === MOST_ABOUT_MAIL + 1)
        fault(at, "too_many", `at most ${MOST_ABOUT_MAIL} conditions about mail and events`);
      return readEventCondition(node, at, fault);
    }
    const found = findField(field, fields);
    if (!found) return fault(`${at}/field`, "unknown_field", "there is no such field");
    const known = OPS[found.kind].find((one) => one === op);
    if (!known) return fault(`${at}/op`, "invalid_value", `must be one of ${OPS[found.kind].join(", ")}`);
    if (known === "is_set" || known === "is_not_set") {
      return value === undefined
        ? { field: found.name, op: known }
        : fault(`${at}/value`, "unknown_field", "takes none");
    }
    const read = readValue(found.kind, known, value);
    if ("wrong" in read) return fault(`${at}/value`, "invalid_value", read.wrong);
    return { field: found.name, op: known, value: read.value };
  }

  const rule = read(input, pointer, 1);
  return rule && faults.length === 0 ? { rule, mentions } : { faults };
}

function findField(name: string, fields: readonly FieldRow[]): { name: string; kind: Kind } | undefined {
  const kind = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (kind) return { name, kind };
  const key = name.startsWith("fields.") ? name.slice(7) : undefined;
  const field = fields.find((one) => one.key === key);
  return field && { name: `field:${field.id}`, kind: kindOfField(field) };
}

export function kindOfField(field: FieldRow): Kind {
  return field.type === "url" ? "text" : field.type;
}

type ReadValue = { value: Value } | { wrong: string };

function readValue(kind: Kind, op: Op, value: unknown): ReadValue {
  if (op === "one_of") return readMany(value, (one) => readOne(kind, one));
  if (op === "between") {
    const both = readMany(value, (one) => readOne(kind, one));
    return "value" in both && (both.value as unknown[]).length !== 2
      ? { wrong: "must be a list of two" }
      : both;
  }
  if (op === "in_last_days" || op === "not_in_last_days" || op === "in_next_days") {
    const isDays = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 36_500;
    return isDays ? { value } : { wrong: "must be a whole number of days, 1 to 36,500" };
  }
  return readOne(kind, value);
}

function readMany(value: unknown, read: (one: unknown) => ReadValue): ReadValue {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_VALUES) {
    return { wrong: `must be a list of 1 to ${MOST_VALUES}` };
  }
  const all = value.map(read);
  const wrong = all.find((one) => "wrong" in one);
  return wrong ?? { value: all.map((one) => ("value" in one ? one.value : "")) as (string | number)[] };
}

function readOne(kind: Kind, value: unknown): ReadValue {
  switch (kind) {
    case "text":
      return typeof value === "string" && value.length >= 1 && value.length <= 1_000
        ? { value }
        : { wrong: "must be text of 1 to 1,000 characters" };
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? { value } : { wrong: "must be a number" };
    case "boolean":
      return typeof value === "boolean" ? { value } : { wrong: "must be true or false" };
    case "date":
      return isDay(value) ? { value } : { wrong: "must be a date such as 2026-11-14" };
    case "time":
      return isTime(value) ? { value } : { wrong: "must be a date, or a time with its offset (RFC 3339)" };
    case "status":
      return (STATUSES as readonly unknown[]).includes(value)
        ? { value: value as string }
        : { wrong: `must be one of ${STATUSES.join(", ")}` };
    case "dormancy":
      return (DORMANCIES as readonly unknown[]).includes(value)
        ? { value: value as string }
        : { wrong: `must be one of ${DORMANCIES.join(", ")}` };
    case "tag":
      // Characters are counted as schemas count them: an emoji is one, where `length` says two.
      return typeof value === "string" && tagKey(value) !== "" && [...value].length <= 64
        ? { value: value.trim() }
        : { wrong: "must be a tag" };
    case "list": {
      const id = typeof value === "string" ? fromPublicId("lst", value) : undefined;
      return id ? { value: id } : { wrong: "must be a list's id" };
    }
  }
}

function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function isTime(value: unknown): value is string {
  if (isDay(value)) return true;
  const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
  return typeof value === "string" && form.test(value) && !Number.isNaN(Date.parse(value));
}

export function isGroup(rule: Rule): rule is Exclude<Rule, Leaf> {
  return !("field" in rule);
}

export function isEngagement(rule: Leaf): rule is EngagementCondition {
  return isEngagementField(rule.field);
}

export function isEvent(rule: Leaf): rule is EventCondition {
  return rule.field === "event";
}

/** The lists that rules mention, by id. */
export function listsIn(rule: Rule): string[] {
  if (!isGroup(rule)) return rule.field === "list" ? [String(rule.value)] : [];
  if ("not" in rule) return listsIn(rule.not);
  return ("all" in rule ? rule.all : rule.any).flatMap(listsIn);
}
