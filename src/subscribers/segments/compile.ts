/**
 * This file makes a rule tree into one SQL condition on `subscribers s`. Every value is a parameter and every name is from
 * `columns.ts`, so nothing a client writes is ever SQL. Each condition is true or false, and never null.
 */
import { join, type Sql, sql } from "../../platform/db/db.ts";
import { comparedColumn } from "../column-sql.ts";
import type { ColumnName } from "../columns.ts";
import type { FieldRow } from "../fields/fields.ts";
import { dormancyOf } from "../mailable.ts";
import { tagKey } from "../tags/tags.ts";
import { compileEngagement } from "./compile-engagement.ts";
import { compileEvent } from "./event-rules.ts";
import {
  BUILT_IN,
  type Condition,
  isEngagement,
  isEvent,
  isGroup,
  type Kind,
  kindOfField,
  type Leaf,
  type Rule,
  type Value,
} from "./rules.ts";
import type { KnownSources } from "./sent-sources.ts";

export type CompileOptions = {
  readonly fields: readonly FieldRow[];
  readonly now: Date;
  /** Days depend on it: "on 14 November" begins and ends by the account's own clock. */
  readonly timeZone: string;
  /** The mail that its conditions about engagement are about; undefined where it has none. */
  readonly known?: KnownSources | undefined;
};

/** A `not` is pushed down to the conditions: those about engagement have opposites that say less than "not". */
export function compileRule(rule: Rule, options: CompileOptions, isInverted = false): Sql {
  if (!isGroup(rule)) return compileLeaf(rule, options, isInverted);
  if ("not" in rule) return compileRule(rule.not, options, !isInverted);
  const [members, isAll] = "all" in rule ? [rule.all, !isInverted] : [rule.any, isInverted];
  return sql`(${join(
    members.map((one) => compileRule(one, options, isInverted)),
    isAll ? " and " : " or ",
  )})`;
}

function compileLeaf(leaf: Leaf, options: CompileOptions, isInverted: boolean): Sql {
  if (isEvent(leaf)) return compileEvent(leaf, isInverted, options.now);
  if (isEngagement(leaf)) {
    if (!options.known) throw new Error("what was sent must be known before engagement is asked for");
    return compileEngagement(leaf, isInverted, { known: options.known, now: options.now });
  }
  const condition = compileCondition(leaf, options);
  return isInverted ? sql`(not ${condition})` : condition;
}

function compileCondition(condition: Condition, options: CompileOptions): Sql {
  const { kind, column } = source(condition.field, options);
  const test = kind && compileTest(kind, column, condition, options);
  // A deleted field has no values any more: nothing is set, nothing is equal to anything.
  return test ? sql`coalesce(${test}, false)` : condition.op === "is_not_set" ? sql`true` : sql`false`;
}

function source(field: string, { fields }: CompileOptions): { kind: Kind | undefined; column: Sql } {
  const builtIn = Object.hasOwn(BUILT_IN, field) ? BUILT_IN[field] : undefined;
  // A tag, a list and a dormancy are no columns: their tests look into other rows.
  if (builtIn === "tag" || builtIn === "list" || builtIn === "dormancy")
    return { kind: builtIn, column: sql`null` };
  if (builtIn) return { kind: builtIn, column: comparedColumn(field as ColumnName) };
  const custom = fields.find((one) => `field:${one.id}` === field);
  const text = sql`(s.fields ->> ${String(custom?.slot ?? "")})`;
  switch (custom && kindOfField(custom)) {
    case "number":
      return { kind: "number", column: sql`${text}::float8` };
    case "boolean":
      return { kind: "boolean", column: sql`${text}::boolean` };
    case "date":
      return { kind: "date", column: sql`${text}::date` };
    case "text":
      return { kind: "text", column: text };
    default:
      return { kind: undefined, column: sql`null` };
  }
}

function compileTest(kind: Kind, column: Sql, condition: Condition, options: CompileOptions): Sql {
  const { op, value } = condition;
  if (op === "is_set") return sql`${column} is not null`;
  if (op === "is_not_set") return sql`${column} is null`;
  switch (kind) {
    case "text":
      return testText(column, op, value);
    case "number":
      return testOrder(column, op, value, (one) => sql`${one}::float8`);
    case "boolean":
      return sql`${column} = ${value}::boolean`;
    case "status":
      return op === "is_not" ? sql`s.status <> ${value}` : sql`s.status = any(${list(value)}::text[])`;
    case "tag":
      return op === "has" ? hasTag(value) : sql`not ${hasTag(value)}`;
    case "list":
      return op === "is" ? onList(value) : sql`not ${onList(value)}`;
    case "dormancy":
      return sql`${dormancyOf} ${op === "is" ? sql`=` : sql`is distinct from`} ${value}`;
    case "date":
      return testDate(column, op, value, options);
    case "time":
      return testTime(column, op, value, options);
  }
}

/** Case doesn't matter, and an absent text is neither equal to nor contains anything. */
function testText(column: Sql, op: Condition["op"], value: Value | undefined): Sql {
  const lower = sql`lower(${column})`;
  const wanted = sql`lower(${value}::text)`;
  switch (op) {
    case "is":
      return sql`${lower} = ${wanted}`;
    case "is_not":
      return sql`${lower} is distinct from ${wanted}`;
    case "contains":
      return sql`position(${wanted} in ${lower}) > 0`;
    case "not_contains":
      return sql`coalesce(position(${wanted} in ${lower}), 0) = 0`;
    case "starts_with":
      return sql`starts_with(${lower}, ${wanted})`;
    case "ends_with":
      return sql`right(${lower}, length(${wanted})) = ${wanted}`;
    default:
      return sql`${lower} = any(select lower(one) from unnest(${list(value)}::text[]) as one)`;
  }
}

function testOrder(
  column: Sql,
  op: Condition["op"],
  value: Value | undefined,
  bind: (one: unknown) => Sql,
): Sql {
  const [low, high] = list(value);
  switch (op) {
    case "is":
      return sql`${column} = ${bind(low)}`;
    case "is_not":
      return sql`${column} is distinct from ${bind(low)}`;
    case "above":
    case "after":
      return sql`${column} > ${bind(low)}`;
    case "below":
    case "before":
      return sql`${column} < ${bind(low)}`;
    case "at_least":
      return sql`${column} >= ${bind(low)}`;
    case "at_most":
      return sql`${column} <= ${bind(low)}`;
    default:
      return sql`${column} between ${bind(low)} and ${bind(high)}`;
  }
}

function testDate(column: Sql, op: Condition["op"], value: Value | undefined, options: CompileOptions): Sql {
  const today = sql`(${options.now}::timestamptz at time zone ${options.timeZone})::date`;
  if (op === "in_last_days") return sql`${column} > ${today} - ${value}::int and ${column} <= ${today}`;
  if (op === "in_next_days") return sql`${column} > ${today} and ${column} <= ${today} + ${value}::int`;
  return testOrder(column, op, value, (one) => sql`${one}::date`);
}

function testTime(column: Sql, op: Condition["op"], value: Value | undefined, options: CompileOptions): Sql {
  const { now, timeZone } = options;
  const since = sql`${now}::timestamptz - make_interval(hours => 24 * ${value}::int)`;
  if (op === "in_last_days") return sql`${column} > ${since}`;
  if (op === "not_in_last_days") return sql`coalesce(${column} <= ${since}, true)`;
  const start = (one: unknown) =>
    isWholeDay(one) ? sql`(${one}::date::timestamp at time zone ${timeZone})` : sql`${one}::timestamptz`;
  const end = (one: unknown) =>
    isWholeDay(one)
      ? sql`((${one}::date + 1)::timestamp at time zone ${timeZone})`
      : sql`${one}::timestamptz`;
  const [low, high] = list(value);
  // A day is all of it: "after the 14th" begins with the 15th, "between" includes both days.
  if (op === "before") return sql`${column} < ${start(low)}`;
  if (op === "after") return isWholeDay(low) ? sql`${column} >= ${end(low)}` : sql`${column} > ${end(low)}`;
  const until = isWholeDay(high) ? sql`${column} < ${end(high)}` : sql`${column} <= ${end(high)}`;
  return sql`${column} >= ${start(low)} and ${until}`;
}

function isWholeDay(value: unknown): boolean {
  return typeof value === "string" && value.length === 10;
}

/** The primary key of subscriber_tags finds the tag. */
function hasTag(value: Value | undefined): Sql {
  return sql`exists (
    select from subscriber_tags st join tags t on t.account_id = st.account_id and t.id = st.tag_id
    where st.account_id = s.account_id and st.subscriber_id = s.id and t.name_key = ${tagKey(String(value))})`;
}

/** The same person is on another list, whatever the status there. The index subscribers_by_contact finds it. */
function onList(value: Value | undefined): Sql {
  return sql`exists (
    select from subscribers other
    where other.account_id = s.account_id and other.contact_id = s.contact_id and other.list_id = ${value}::uuid)`;
}

function list(value: Value | undefined): readonly (string | number | boolean)[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value as string | number | boolean];
}
