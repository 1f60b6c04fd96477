/** A preview, a check or a test is rendered for a subscriber, or for a sample recipient who is made up here. */
import {
  type FieldRow,
  MERGE_NAMES,
  type MergeValues,
  SAMPLE_PLAIN_VALUES,
} from "../../subscribers/subscribers.ts";

const SAMPLE_VALUES = {
  text: "Sample",
  number: 42,
  date: "2026-11-14",
  boolean: true,
  url: "https://example.com/",
};

export function sampleSubscriber(fields: readonly FieldRow[]): MergeValues {
  return {
    id: "sub_00000000000000000000000000",
    email: "ada@example.com",
    ...SAMPLE_PLAIN_VALUES,
    fields: Object.fromEntries(fields.map(({ key, type }) => [key, SAMPLE_VALUES[type]])),
    tags: [],
  };
}

const OF_RECIPIENT = ["first_name", "last_name", "email"];
const OF_MAIL = ["unsubscribe_url", "preferences_url", "view_url", "postal_address"];
const ROOTS = [...OF_RECIPIENT, ...OF_MAIL];
/** It is a map, since authors write names that every object has, such as `constructor`. */
const MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["subscriber", MERGE_NAMES],
  ["list", ["id", "name"]],
  ["campaign", ["id", "name"]],
]);

/** Returns the names to offer to an author: each value once, by the shortest name that it has. */
export function offeredVariables(fields: readonly FieldRow[]): string[] {
  const others = MERGE_NAMES.filter((name) => name !== "fields" && !ROOTS.includes(name));
  return [
    ...OF_RECIPIENT,
    ...fields.map(({ key }) => `fields.${key}`),
    ...others.map((name) => `subscriber.${name}`),
    "list.name",
    "campaign.name",
    ...OF_MAIL,
  ];
}

/** Tells whether a template may use this name, whatever its value. What follows a value, such as `.size`, isn't looked at. */
export function isKnownVariable(name: string, keys: ReadonlySet<string>): boolean {
  const [root = "", ...rest] = name.split(".");
  if (root === "fields") return isKnownField(rest, keys);
  const members = MEMBERS.get(root);
  if (!members) return ROOTS.includes(root);
  const [member, ...further] = rest;
  if (member === undefined) return true;
  return member === "fields" && root === "subscriber"
    ? isKnownField(further, keys)
    : members.includes(member);
}

function isKnownField([key]: readonly string[], keys: ReadonlySet<string>): boolean {
  return key === undefined || keys.has(key);
}
