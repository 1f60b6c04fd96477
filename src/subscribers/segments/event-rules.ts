/** The conditions about custom events: who did something, within some days, how often, and with which properties. */
import { type Sql, sql } from "../../platform/db/db.ts";
import { EVENT_NAME, KEPT_DAYS, LONGEST_EVENT_NAME, readConditions } from "../custom-events/custom-events.ts";

export type EventCondition = {
  readonly field: "event";
  readonly op: "did" | "did_not";
  readonly value: EventValue;
};

type EventValue = {
  readonly name: string;
  /** Within so many days; without it, within all that is kept. */
  readonly days?: number;
  /** At least so often; without it, once. */
  readonly count?: number;
  readonly where?: Readonly<Record<string, string | number | boolean>>;
};

const OPS = ["did", "did_not"] as const;
const MOST_TIMES = 1_000;
const PARTS = ["name", "days", "count", "where"];
/** An event is told after it happened, or by a clock that is ahead by minutes. */
const MARGIN_HOURS = 1;

type Fault = (pointer: string, code: string, detail: string) => undefined;

/** Returns undefined where something is wrong, after it was named. */
export function readEventCondition(
  node: Readonly<Record<string, unknown>>,
  at: string,
  fault: Fault,
): EventCondition | undefined {
  const op = OPS.find((one) => one === node["op"]);
  if (!op) fault(`${at}/op`, "invalid_value", `must be one of ${OPS.join(", ")}`);
  const value = readValue(node["value"], `${at}/value`, fault);
  return op && value ? { field: "event", op, value } : undefined;
}

function readValue(given: unknown, at: string, fault: Fault): EventValue | undefined {
  if (!isObject(given)) return fault(at, "invalid_type", "must be {name, days, count, where}");
  let isGood = true;
  const refuse = (part: string, code: string, detail: string) => {
    isGood = false;
    fault(`${at}${part}`, code, detail);
  };
  const { name, days, count, where } = given;
  for (const key of Object.keys(given))
    if (!PARTS.includes(key))
      refuse(`/${key}`, "unknown_field", "is not a part of {name, days, count, where}");
  if (typeof name !== "string" || name.length > LONGEST_EVENT_NAME || !EVENT_NAME.test(name))
    refuse("/name", "invalid_value", "must be the name of an event, such as order.placed");
  if (days !== undefined && !isWhole(days, KEPT_DAYS))
    refuse("/days", "invalid_value", `must be a whole number of days, 1 to ${KEPT_DAYS}`);
  if (count !== undefined && !isWhole(count, MOST_TIMES))
    refuse("/count", "invalid_value", "must be a whole number of times, 1 to 1,000");
  if (where !== undefined && !isObject(where)) refuse("/where", "invalid_type", "must be an object");
  else if (where !== undefined)
    readConditions(where, (key, code, detail) =>
      refuse(key === undefined ? "/where" : `/where/${key}`, code, detail),
    );
  return isGood ? (given as EventValue) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown, most: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
}

/**
 * Counts no further than is asked for, by the primary key of custom_events. It is a scalar subquery, which the server can't turn into a
 * join; older partitions are left out by when they were told.
 */
export function compileEvent({ op, value }: EventCondition, isInverted: boolean, now: Date): Sql {
  const { name, days = KEPT_DAYS, count = 1, where = {} } = value;
  const since = sql`${now}::timestamptz - make_interval(hours => ${24 * days}::int)`;
  const told = sql`${now}::timestamptz - make_interval(hours => ${24 * days + MARGIN_HOURS}::int)`;
  const has =
    Object.keys(where).length > 0 ? sql`and e.properties @> ${JSON.stringify(where)}::jsonb` : sql``;
  const times = sql`(
    select count(*) from (
      select from custom_events e
      where e.account_id = s.account_id and e.subscriber_id = s.id and e.name = ${name} and e.occurred_at > ${since}
        and e.created_at > ${told} ${has}
      limit ${count}) as done)`;
  return (op === "did") === isInverted ? sql`(${times} < ${count})` : sql`(${times} >= ${count})`;
}

/** Says it in plain English. */
export function describeEvent({ op, value }: EventCondition): string {
  const { name, days, count = 1, where = {} } = value;
  const times = count === 1 ? "" : ` at least ${count} times`;
  const within = days === undefined ? "" : days === 1 ? " in the last day" : ` in the last ${days} days`;
  const properties = Object.entries(where).map(([key, one]) => `${key} ${quoted(one)}`);
  const withThese = properties.length > 0 ? ` with ${properties.join(" and ")}` : "";
  return `${op === "did" ? "did" : "didn't do"} “${name}”${times}${within}${withThese}`;
}

function quoted(value: unknown): string {
  return typeof value === "string" ? `“${value}”` : String(value);
}
