/** Reads parts of JSON that a client wrote, and keeps every fault with its place instead of stopping at the first. */
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import { fromPublicId } from "../../platform/ids.ts";
import type { Fault } from "../../platform/problems.ts";
import type { FieldRow, RuleMention } from "../../subscribers/subscribers.ts";
import { WEEKDAYS, type Weekday } from "../graph-types.ts";
import { isHour, readDuration } from "../times/times.ts";

/** What a graph names, with the place where it does, so that it can be looked up. `id` is that of the database. */
export type Mention = {
  readonly kind: "list" | "segment" | "campaign" | "template" | "topic" | "user";
  readonly id: string;
  readonly pointer: string;
};

const PREFIX = {
  list: "lst",
  segment: "seg",
  campaign: "cmp",
  template: "tpl",
  topic: "top",
  user: "usr",
} as const;

export type Reading = {
  readonly fields: readonly FieldRow[];
  readonly faults: Fault[];
  readonly mentions: Mention[];
  /** What the rules in it name. */
  readonly ruleMentions: RuleMention[];
  /** Steps whose mails it names, and where. */
  readonly mailsNamed: { readonly node: string; readonly pointer: string }[];
};

type Json = Readonly<Record<string, unknown>>;

/** An object of the graph, at its place. What a method finds wrong is a fault there, and the method returns undefined. */
export type Part = {
  readonly pointer: string;
  readonly json: Json;
  at(key: string): string;
  fault(key: string | undefined, code: string, detail: string): undefined;
  has(key: string): boolean;
  text(key: string, most: number): string | undefined;
  optionalText(key: string, most: number): string | undefined;
  oneOf<T extends string>(key: string, values: readonly T[], fallback?: T): T | undefined;
  whole(key: string, least: number, most: number, fallback?: number): number | undefined;
  hour(key: string): string | undefined;
  span(key: string): string | undefined;
  weekdays(key: string): readonly Weekday[];
  id(key: string, kind: Mention["kind"]): string | undefined;
  ids(key: string, kind: Mention["kind"], most: number): readonly string[];
  /** Returns the parts of a list of objects; an empty list where there is a fault. */
  parts(key: string, least: number, most: number): readonly Part[];
  part(key: string): Part | undefined;
  texts(key: string, most: number, longest: number): readonly string[];
};

export function partOf(reading: Reading, json: unknown, pointer: string): Part | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    reading.faults.push({ pointer, code: "invalid_type", detail: "must be an object" });
    return undefined;
  }
  return openPart(reading, json as Json, pointer);
}

/** The fault of something that isn't there, or isn't the account's. */
export function unknownThing(kind: Mention["kind"], pointer: string): Fault {
  return { pointer, code: `unknown_${kind}`, detail: `there is no such ${kind} in this account` };
}

/** Names the keys that aren't among these. */
export function refuseUnknown(part: Part, known: readonly string[]): void {
  for (const key of Object.keys(part.json))
    if (!known.includes(key)) part.fault(key, "unknown_field", "is not a part of it");
}

function openPart(reading: Reading, json: Json, pointer: string): Part {
  const at = (key: string) => `${pointer}/${escapePointer(key)}`;
  const fault = (key: string | undefined, code: string, detail: string): undefined =>
    void reading.faults.push({ pointer: key === undefined ? pointer : at(key), code, detail });
  const has = (key: string) => Object.hasOwn(json, key) && json[key] !== null;
  const list = (key: string, least: number, most: number): readonly unknown[] => {
    const value = json[key];
    if (!Array.isArray(value)) return fault(key, "invalid_type", "must be a list") ?? [];
    if (value.length < least) fault(key, "too_few", `must have at least ${least}`);
    if (value.length <= most) return value;
    return fault(key, "too_many", `must have ${most} at most`) ?? [];
  };
  const readId = (value: unknown, place: string, kind: Mention["kind"]): string | undefined => {
    const id = typeof value === "string" ? fromPublicId(PREFIX[kind], value) : undefined;
    if (id) reading.mentions.push({ kind, id, pointer: place });
    else reading.faults.push(unknownThing(kind, place));
    return id;
  };
  const part: Part = {
    pointer,
    json,
    at,
    fault,
    has,
    text(key, most) {
      return has(key) ? part.optionalText(key, most) : fault(key, "required", "must be given");
    },
    optionalText(key, most) {
      const value = json[key];
      if (!has(key)) return undefined;
      if (typeof value !== "string") return fault(key, "invalid_type", "must be text");
      if (value.trim() === "") return fault(key, "too_short", "must not be empty");
      return [...value].length > most
        ? fault(key, "too_long", `must have ${most} characters at most`)
        : value;
    },
    oneOf(key, values, fallback) {
      if (!has(key) && fallback !== undefined) return fallback;
      const found = values.find((one) => one === json[key]);
      return (
        found ?? fault(key, has(key) ? "invalid_value" : "required", `must be one of ${values.join(", ")}`)
      );
    },
    whole(key, least, most, fallback) {
      if (!has(key) && fallback !== undefined) return fallback;
      const value = json[key];
      const isGood = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
      if (isGood) return value;
      return fault(
        key,
        has(key) ? "invalid_value" : "required",
        `must be a whole number from ${least} to ${most}`,
      );
    },
    hour(key) {
      if (!has(key)) return undefined;
      const value = json[key];
      return isHour(value) ? value : fault(key, "invalid_value", "must be an hour of the day such as 09:30");
    },
    span(key) {
      const value = json[key];
      if (typeof value !== "string")
        return fault(key, has(key) ? "invalid_type" : "required", "must be a span such as P2D");
      const read = readDuration(value);
      return "wrong" in read ? fault(key, "invalid_duration", read.wrong) : value;
    },
    weekdays(key) {
      if (!has(key)) return [];
      const days = list(key, 1, WEEKDAYS.length);
      const known = days.filter((day): day is Weekday => (WEEKDAYS as readonly unknown[]).includes(day));
      if (known.length < days.length) fault(key, "invalid_value", `must be of ${WEEKDAYS.join(", ")}`);
      return [...new Set(known)];
    },
    id(key, kind) {
      if (!has(key)) return fault(key, "required", "must be given");
      return readId(json[key], at(key), kind);
    },
    ids(key, kind, most) {
      if (!has(key)) return fault(key, "required", "must be given") ?? [];
      return list(key, 1, most).flatMap((one, index) => readId(one, `${at(key)}/${index}`, kind) ?? []);
    },
    parts(key, least, most) {
      return list(key, least, most).flatMap(
        (one, index) => partOf(reading, one, `${at(key)}/${index}`) ?? [],
      );
    },
    part(key) {
      return partOf(reading, json[key], at(key));
    },
    texts(key, most, longest) {
      if (!has(key)) return [];
      return list(key, 1, most).flatMap((one, index) => {
        if (typeof one === "string" && one.trim() !== "" && [...one].length <= longest) return one.trim();
        reading.faults.push({
          pointer: `${at(key)}/${index}`,
          code: "invalid_value",
          detail: `must be text of 1 to ${longest} characters`,
        });
        return [];
      });
    },
  };
  return part;
}
